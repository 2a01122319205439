/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waits of a perf.data, by the switches in it: the kernel's own records (perf record
 * --switch-events), or the trace point sched:sched_switch (perf sched record).  They go the way of
 * live ones, through trace/perf/waits.h.
 */
#ifndef SPT_IMPORT_PERF_WAITS_H
#define SPT_IMPORT_PERF_WAITS_H

#include "import/perf-capture.h"
#include "trace/perf/data-fields.h"

G_BEGIN_DECLS

typedef struct SptImportPerfWaits SptImportPerfWaits;

/* All outlive it.  @records: those that samples go through. */
SptImportPerfWaits *spt_import_perf_waits_new(SptImportPerfCapture *capture,
					      const SptPerfData *data, SptPerfRecords *records);
void spt_import_perf_waits_free(SptImportPerfWaits *waits);

/* Takes the kernel's record of a switch, a fork or an exit, in the one layout. */
void spt_import_perf_waits_state(SptImportPerfWaits *waits, const struct perf_event_header *made,
				 uint32_t cpu);
/* Takes a hit of a trace point, if it is one of the scheduler's. */
void spt_import_perf_waits_hit(SptImportPerfWaits *waits, const struct perf_event_header *record,
			       const struct spt_perf_data_event *event,
			       const struct spt_perf_fields *fields);
/* The file ends at @time; returns how many records were skipped, as they came too late. */
uint64_t spt_import_perf_waits_finish(SptImportPerfWaits *waits, uint64_t time);
/* Whether there are more threads than a file may have. */
bool spt_import_perf_waits_has_excess(const SptImportPerfWaits *waits);

G_END_DECLS

#endif
