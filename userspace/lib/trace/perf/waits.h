/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits by perf events: turns the times at which each thread was switched out and in into the
 * device's EVENT, THREAD and LANE records.
 *
 * The kernel reports each switch, and whether the thread was preempted.  Where the trace points of
 * the scheduler are open (tracefs, root), it also reports the thread's state, and who woke it when.
 * Elsewhere, a thread that was not preempted counts as blocked until it runs again, and its waker
 * is not known.
 */
#ifndef SPT_PERF_WAITS_H
#define SPT_PERF_WAITS_H

#include "trace/perf/records.h"
#include "trace/perf/tracepoints.h"

G_BEGIN_DECLS

typedef struct SptPerfWaits SptPerfWaits;

/* The state in which a thread leaves (enum sysprof_state), by prev_state of sched_switch. */
uint8_t spt_perf_waits_state_of(uint64_t bits);

/* @records makes the stacks and outlives it. */
SptPerfWaits *spt_perf_waits_new(SptPerfRecords *records, const SptTraceConfig *config,
				 const struct spt_perf_tracepoints *points, uint64_t start);
void spt_perf_waits_free(SptPerfWaits *waits);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPerfWaits, spt_perf_waits_free)

/*
 * Finds the existing threads below @directory (/proc): sleeping ones have slept since before the
 * start.  @only: tids of the threads that events report; NULL: all.  With @only, other threads on a
 * CPU are not known, so there are no lanes.
 */
void spt_perf_waits_scan(SptPerfWaits *waits, const char *directory, GHashTable *only);
/* How many threads are known. */
unsigned spt_perf_waits_n_threads(const SptPerfWaits *waits);
/*
 * How many waits have no end, though their threads ran afterwards, and no lost record explains
 * that.  They count as lost in the accounts.
 */
uint64_t spt_perf_waits_n_unended(const SptPerfWaits *waits);
/* A hit of a trace point, or of context-switches. */
struct spt_perf_waits_hit {
	struct spt_perf_who who;
	const uint8_t *raw;		/* its own record, of raw_bytes; NULL: it has none */
	size_t raw_bytes;
	const struct perf_event_header *sample;	/* has its stack; NULL: that has a number */
	/* Of the stack: the one user frame of what is reported of the hit. */
	uint32_t stack;
};

void spt_perf_waits_hit(SptPerfWaits *waits, const struct spt_perf_waits_hit *hit);
/*
 * Takes a record of a ring of switches, or a record about a task from any ring, in order of time.
 */
void spt_perf_waits_take(SptPerfWaits *waits, unsigned cpu, const struct perf_event_header *header,
			 const struct spt_perf_sink *sink);
/* The same of a switch of @who, of which @misc is what its record's header has. */
void spt_perf_waits_switch(SptPerfWaits *waits, const struct spt_perf_who *who, unsigned misc,
			   const struct spt_perf_sink *sink);
/*
 * Reports the switches that lanes hold back, and the sums of threads that have changed.  All
 * records from before @at were taken.
 */
void spt_perf_waits_tell(SptPerfWaits *waits, uint64_t at, const struct spt_perf_sink *sink);
/* The recording ended at @at: waits that have not ended are cut off. */
void spt_perf_waits_finish(SptPerfWaits *waits, uint64_t at, const struct spt_perf_sink *sink);
/* Reports SOURCE_ACCOUNT of the waits that ended on @cpu. */
void spt_perf_waits_put_account(const SptPerfWaits *waits, unsigned cpu, uint64_t at,
				const struct spt_perf_sink *sink);

G_END_DECLS

#endif
