/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads that a user may watch who may not watch the whole system (kernel.perf_event_paranoid
 * from 1 to 2).  Threads that these start later are watched with them.
 */
#ifndef SPT_PERF_OWN_H
#define SPT_PERF_OWN_H

#include "trace/trace.h"

G_BEGIN_DECLS

typedef enum {
	SPT_PERF_ALL,			/* the whole system */
	SPT_PERF_OWN,			/* the user's own processes */
	SPT_PERF_OWN_CODE,		/* the same, in user mode only */
} SptPerfReach;

/* What this user may watch; -1 and errno: nothing. */
int spt_perf_reach(void);
/*
 * Adds to @threads the ids (uint32_t) of all threads of the processes in @filter, or of all of this
 * user's.  Threads in @known are skipped, and the others are added there.  Returns how many were
 * added.
 */
unsigned spt_perf_own_threads(const SptTraceFilter *filter, GHashTable *known, GArray *threads);

G_END_DECLS

#endif
