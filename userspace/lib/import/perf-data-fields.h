/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields of records in a file of perf, whose layout depends on the event's attributes, and the
 * same records in the one layout that records.h takes.
 */
#ifndef SPT_PERF_DATA_FIELDS_H
#define SPT_PERF_DATA_FIELDS_H

#include <glib.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Those of a sample that are used; pointers are into the record.  What it lacks is 0. */
struct spt_perf_fields {
	uint64_t ip, time, id, period;
	uint32_t pid, tid, cpu;
	const uint64_t *frames;		/* n_frames of them, as the kernel reports them */
	uint64_t n_frames;
	/* Calls that hardware recorded, the last first: from, to and flags of each. */
	const uint64_t *calls;
	uint64_t n_calls;
	const uint64_t *registers;	/* those in sample_regs_user, in order */
	uint64_t registers_abi;		/* 0: there are none */
	const uint64_t *stack;		/* stack_bytes, of which stack_copied are valid */
	uint64_t stack_bytes, stack_copied;
	const uint8_t *raw;		/* of a trace point, raw_bytes; NULL: there is none */
	uint32_t raw_bytes;
};

/* Whether a sample of an event with @attr is whole. */
bool spt_perf_fields_parse(const struct perf_event_header *record,
			   const struct perf_event_attr *attr, struct spt_perf_fields *ret);
/* The same for other records of the kernel, which have fewer of them at their end. */
bool spt_perf_fields_parse_end(const struct perf_event_header *record,
			       const struct perf_event_attr *attr, struct spt_perf_fields *ret);
/* Bytes at the end of such a record. */
size_t spt_perf_fields_end_bytes(const struct perf_event_attr *attr);
/*
 * The id of a record's event, at the place where all events of the file have it; false: the record
 * is too short.
 */
bool spt_perf_fields_id(const struct perf_event_header *record, const struct perf_event_attr *attr,
			uint64_t *ret);
/* The time of a sample of an event with @attr, 0 if it has none; false: the record is too short. */
bool spt_perf_fields_time(const struct perf_event_header *record,
			  const struct perf_event_attr *attr, uint64_t *ret);

/*
 * The sample as records.h takes it, valid until the next one in @buffer.  Registers and stack are
 * there if this machine can unwind them.
 */
const struct perf_event_header *spt_perf_fields_sample(const struct perf_event_header *record,
						       const struct perf_event_attr *attr,
						       const struct spt_perf_fields *fields,
						       GByteArray *buffer);
/*
 * The same for another record: its first @own_bytes, and @fields at its end.
 */
const struct perf_event_header *spt_perf_fields_state(const struct perf_event_header *record,
						      size_t own_bytes,
						      const struct spt_perf_fields *fields,
						      GByteArray *buffer);

G_END_DECLS

#endif
