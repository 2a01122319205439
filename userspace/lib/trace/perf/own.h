/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads a user may watch who may not watch the whole system (kernel.perf_event_paranoid from
 * 1 to 2).  What they start later is watched with them.
 */
#ifndef SPT_PERF_OWN_H
#define SPT_PERF_OWN_H

#include "trace/trace.h"

G_BEGIN_DECLS

typedef enum {
	SPT_PERF_ALL,			/* the whole system */
	SPT_PERF_OWN,			/* his own processes */
	SPT_PERF_OWN_CODE,		/* ... and in user mode only */
} SptPerfReach;

/* What this user may watch; if nothing, -1 and errno. */
int spt_perf_reach(void);
/*
 * Adds the ids (uint32_t) of all threads of the processes in @filter, or of all of this user's, to
 * @threads, but for those that are in @known, to which they are added.  Returns how many.
 */
unsigned spt_perf_own_threads(const SptTraceFilter *filter, GHashTable *known, GArray *threads);

G_END_DECLS

#endif
