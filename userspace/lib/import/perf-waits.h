/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The waits of a perf.data, by the switches in it: the kernel's own records (perf record
 * --switch-events), the trace point sched:sched_switch (perf sched record), or each hit of the
 * event context-switches (-a -c 1).  They go the way of live ones, through trace/perf/waits.h.
 *
 * Context-switches says who left a CPU, and with which stack, but not why: what was preempted
 * counts as blocked.  Beside records of switches it only has the stacks of their waits.
 */
#ifndef SPT_IMPORT_PERF_WAITS_H
#define SPT_IMPORT_PERF_WAITS_H

#include "import/perf-capture.h"
#include "import/perf-data-fields.h"

G_BEGIN_DECLS

typedef struct SptImportPerfWaits SptImportPerfWaits;

/* All outlive it.  @records: those that samples go through. */
SptImportPerfWaits *spt_import_perf_waits_new(SptImportPerfCapture *capture,
					      const SptPerfData *data, SptPerfRecords *records);
void spt_import_perf_waits_free(SptImportPerfWaits *waits);

/* Takes the kernel's record of a switch, a fork or an exit, in the one layout. */
void spt_import_perf_waits_state(SptImportPerfWaits *waits, const struct perf_event_header *made,
				 uint32_t cpu);
/*
 * Takes a hit of a trace point, if it is one of the scheduler's.  Its stack is that of the
 * capture's last sample; so is that of the next function's.
 */
void spt_import_perf_waits_hit(SptImportPerfWaits *waits, const struct spt_perf_data_event *event,
			       const struct spt_perf_fields *fields);
/* Whether @event is context-switches. */
bool spt_import_perf_waits_is_switch(const struct spt_perf_data_event *event);
/* Takes a hit of it; false: others report its switch. */
bool spt_import_perf_waits_switch(SptImportPerfWaits *waits,
				  const struct spt_perf_data_event *event,
				  const struct spt_perf_fields *fields);
/* A thread is about to exit: it was on that CPU. */
void spt_import_perf_waits_ends(SptImportPerfWaits *waits, const struct spt_perf_who *who);
/* Some records are missing here.  @waits NULL: none were read yet. */
void spt_import_perf_waits_gap(SptImportPerfWaits *waits);
/* The file ends at @time.  What waits could not say is added to @note. */
void spt_import_perf_waits_finish(SptImportPerfWaits *waits, uint64_t time, GString *note);
/* Whether there are more threads than a file may have. */
bool spt_import_perf_waits_has_excess(const SptImportPerfWaits *waits);

G_END_DECLS

#endif
