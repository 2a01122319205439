/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the kernel's perf records into those of the uapi header.  It adds what perf does not
 * report: which image runs under a pid, which object is mapped, how each period was spent.  Records
 * are given in order of time.
 */
#ifndef SPT_PERF_RECORDS_H
#define SPT_PERF_RECORDS_H

#include <linux/perf_event.h>

#include "trace/kallsyms.h"
#include "trace/perf/attr.h"
#include "trace/perf/clock.h"
#include "trace/perf/objects.h"
#include "trace/perf/tasks.h"

G_BEGIN_DECLS

/*
 * Bit of a map record that has a build-id; since Linux 5.12.  While another session wants
 * build-ids, the kernel sets it in the records of those that do not, too, which have none.
 */
#define SPT_PERF_MAP_HAS_BUILD_ID (1 << 14)

typedef struct SptPerfRecords SptPerfRecords;

/* @max_frames: the number at which the kernel cuts a stack.  @kallsyms must outlive the result. */
SptPerfRecords *spt_perf_records_new(unsigned n_cpus, unsigned max_frames, SptKallsyms *kallsyms);
SptKallsyms *spt_perf_records_kallsyms(const SptPerfRecords *records);
void spt_perf_records_free(SptPerfRecords *records);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfRecords, spt_perf_records_free)

/* Samples have registers and stacks, too. */
void spt_perf_records_expect_raw(SptPerfRecords *records);

/*
 * The records are those of a file: their samples weigh 1 and no losses are computed, no file is
 * opened, and objects have the build-ids of their records.
 */
void spt_perf_records_expect_file(SptPerfRecords *records);

/* Whether a record is whole, and its time.  Records of unused types have time 0. */
bool spt_perf_record_time(const struct perf_event_header *header, uint64_t *ret_time);
/*
 * The same for a sample or loss with PERF_SAMPLE_IDENTIFIER, and the id; records of other types
 * have time 0.
 */
bool spt_perf_record_time_with_id(const struct perf_event_header *header, uint64_t *ret_time);
uint64_t spt_perf_sample_id(const struct perf_event_header *header);
/* Appends such a sample as one without id to @to. */
void spt_perf_sample_without_id(const struct perf_event_header *header, GByteArray *to);
/* How many records were lost there, of a record of a loss. */
uint64_t spt_perf_record_lost(const struct perf_event_header *header);
/* From a sample that is whole: its time, its thread, and a trace point's data behind its frames. */
struct spt_perf_who spt_perf_sample_who(const void *sample, unsigned cpu);
const uint8_t *spt_perf_sample_raw(const struct perf_event_header *header, size_t *ret_bytes);
/*
 * Looks at a record that was just read, and is whole, because the files in it may soon be deleted.
 */
void spt_perf_records_look(SptPerfRecords *records, const struct perf_event_header *header);
/* Takes a record of @cpu's ring; spt_perf_record_time() has found it whole. */
void spt_perf_records_take(SptPerfRecords *records, unsigned cpu,
			   const struct perf_event_header *header,
			   const struct spt_perf_sink *sink);

/*
 * The stack of a switch or waking, from a sample with a raw part, as one of the device's samples;
 * valid until the next one.
 */
const struct sysprof_sample *spt_perf_records_stack(SptPerfRecords *records,
						    const struct perf_event_header *header,
						    const struct spt_perf_who *who,
						    const struct spt_perf_sink *sink);
unsigned spt_perf_records_n_cpus(const SptPerfRecords *records);
struct spt_perf_clock *spt_perf_records_clock(SptPerfRecords *records, unsigned cpu);
SptPerfTasks *spt_perf_records_tasks(SptPerfRecords *records);
SptPerfObjects *spt_perf_records_objects(SptPerfRecords *records);
/* Reports an executable mapping of @process: MAP, and OBJECT if the object is new. */
void spt_perf_records_map(SptPerfRecords *records, struct spt_perf_process *process,
			  const struct spt_perf_who *who, const struct spt_perf_file *file,
			  uint64_t offset, const struct spt_perf_sink *sink);

G_END_DECLS

#endif
