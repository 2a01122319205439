/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for locks (record --locks): the stacks of those who waited, with those of the threads that
 * held the lock meanwhile.  The lock is the innermost frame of both.
 */
#ifndef SPT_LOCK_WAITS_H
#define SPT_LOCK_WAITS_H

#include "capture/capture.h"
#include "profile/profile.h"
#include "symbols/symbols.h"

G_BEGIN_DECLS

typedef struct {
	const char *thread;		/* interned; NULL: not known */
	GArray *frames;			/* SptName, innermost first; the lock is the first one */
} SptLockSide;

/* Waits with the same two stacks, by their functions. */
typedef struct {
	uint64_t ns, waits;
	SptLockSide waiter, holder;
} SptLockWait;

/* SptLockWait, those with the most time first; texts are valid as long as @symbols. */
GPtrArray *spt_lock_waits(const SptCapture *capture, SptSymbols *symbols, const SptFilter *filter);
uint64_t spt_lock_waits_sum(const GPtrArray *waits);	/* of their time */
const SptName *spt_lock_wait_lock(const SptLockWait *wait);
/* Lines of the longer side: its thread, then its stack. */
unsigned spt_lock_wait_lines(const SptLockWait *wait);
/*
 * One line of a side: line 0 is its thread, the others its frames with a margin; "" after them.
 * Translated.
 */
char *spt_lock_side_line(const SptLockSide *side, unsigned line, bool is_holder);

G_END_DECLS

#endif
