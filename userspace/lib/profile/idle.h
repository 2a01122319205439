/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that hardly ran, and waited for work: a pool without any, a main thread that joins the
 * others.  Their waits are long, and no cause of anything.
 */
#ifndef SPT_IDLE_H
#define SPT_IDLE_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* The fact of a recording that names the process which made it. */
#define SPT_RECORDER_PID "recorder_pid"

typedef struct {
	unsigned waiters, idlers;	/* threads that have some of the metric; of those */
	uint64_t weight, idle;		/* what they have of it */
	uint64_t recorder;		/* what the recorder's own threads have beside them */
	bool has_work;			/* one of the others */
} SptIdle;

/*
 * Of a profile of waits, in the @processes (by id; NULL: all).  A thread hardly ran if its CPU time
 * is less than a hundredth of what it waited, as far as samples can show that; and who mostly waits
 * for a lock or the disk has work.
 */
void spt_idle_find(SptIdle *idle, const SptProfile *profile, const SptCapture *capture,
		   const bool *processes);
/* Whether what the others waited for is what people look for: one of them did some work. */
bool spt_idle_is_beside(const SptIdle *idle);
/*
 * A profile without the threads that hardly ran, if others did some work, and without the
 * recorder's.  NULL: neither has a good part.  Where all threads hardly ran, what all of them
 * waited for is what people look for.
 */
SptProfile *spt_idle_rest(const SptProfile *profile, const SptCapture *capture,
			  const bool *processes);

G_END_DECLS

#endif
