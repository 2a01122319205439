/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the kernel's perf records to those of the uapi header.  Knows what the former leave out:
 * which image runs under a pid, which object is mapped, where the periods went.  Given one record
 * after the other, in order of time.
 */
#ifndef SPT_PERF_RECORDS_H
#define SPT_PERF_RECORDS_H

#include <linux/perf_event.h>

#include "trace/kallsyms.h"
#include "trace/perf/clock.h"
#include "trace/perf/objects.h"
#include "trace/perf/tasks.h"

G_BEGIN_DECLS

/* What is in a sample, and behind every other record. */
#define SPT_PERF_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)

typedef struct SptPerfRecords SptPerfRecords;

/* @max_frames: at which the kernel cuts a stack.  @kallsyms must outlive it. */
SptPerfRecords *spt_perf_records_new(unsigned n_cpus, unsigned max_frames, SptKallsyms *kallsyms);
void spt_perf_records_free(SptPerfRecords *records);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfRecords, spt_perf_records_free)

/* Samples have registers and stacks, too. */
void spt_perf_records_expect_raw(SptPerfRecords *records);

/*
 * Whether a record of these @bytes is whole, and its time.  Records of types that are not used have
 * time 0.
 */
bool spt_perf_record_time(const struct perf_event_header *header, uint64_t *ret_time);
/* Of a sample that was found whole: its time, and what a trace point put behind its frames. */
uint64_t spt_perf_sample_time(const void *sample);
const uint8_t *spt_perf_sample_raw(const struct perf_event_header *header, size_t *ret_bytes);
/* A record that was just read, and found whole: what it speaks of may soon be gone. */
void spt_perf_records_look(SptPerfRecords *records, const struct perf_event_header *header);
/* A record that spt_perf_record_time() found whole, from the ring of @cpu. */
void spt_perf_records_take(SptPerfRecords *records, unsigned cpu,
			   const struct perf_event_header *header,
			   const struct spt_perf_sink *sink);

/*
 * The stack of a switch or waking, a sample with a raw part, as one of the device's samples; valid
 * until the next one.
 */
const struct sysprof_sample *spt_perf_records_stack(SptPerfRecords *records,
						    const struct perf_event_header *header,
						    const struct spt_perf_who *who,
						    const struct spt_perf_sink *sink);
unsigned spt_perf_records_n_cpus(const SptPerfRecords *records);
struct spt_perf_clock *spt_perf_records_clock(SptPerfRecords *records, unsigned cpu);
SptPerfTasks *spt_perf_records_tasks(SptPerfRecords *records);
SptPerfObjects *spt_perf_records_objects(SptPerfRecords *records);
/* An executable mapping of @process: MAP, and OBJECT if it is new. */
void spt_perf_records_map(SptPerfRecords *records, struct spt_perf_process *process,
			  const struct spt_perf_who *who, const struct spt_perf_file *file,
			  uint64_t offset, const struct spt_perf_sink *sink);

G_END_DECLS

#endif
