/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that hardly ran: a pool without work, a main thread that joins the others.  Their waits
 * are long, and no cause of anything.
 */
#ifndef SPT_IDLE_H
#define SPT_IDLE_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	unsigned waiters, idlers;	/* threads that have some of the metric; of those */
	uint64_t weight, idle;		/* what they have of it */
	/* Of the others, the largest part of a thread's time that it ran. */
	double busiest;
} SptIdle;

/*
 * Of a profile of waits, in the @processes (by id; NULL: all).  A thread hardly ran if its CPU time
 * is less than a hundredth of what it waited, as far as samples can show that.
 */
void spt_idle_find(SptIdle *idle, const SptProfile *profile, const SptCapture *capture,
		   const bool *processes);
/*
 * A profile without the threads that hardly ran, where they have a good part and another thread
 * is busy: what that waited for is what people look for.  NULL: there is no such difference.
 * Where no thread is busy, what all of them waited for is.
 */
SptProfile *spt_idle_rest(const SptProfile *profile, const SptCapture *capture,
			  const bool *processes);

G_END_DECLS

#endif
