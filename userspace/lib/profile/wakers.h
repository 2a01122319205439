/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of wakers.  Below a thread that waited are the threads that woke it, and below these the
 * threads that had woken them before, as far as that was recorded.
 */
#ifndef SPT_PROFILE_WAKERS_H
#define SPT_PROFILE_WAKERS_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	uint32_t parent;		/* index in the array; the root's is 0 */
	uint32_t first_child, next;	/* heaviest first; 0: none */
	const char *name;		/* of the thread, or "[interrupt]", ...; interned */
	/* function in which it woke the thread above; "": not known */
	const char *function;
	uint64_t ns, waits;		/* blocked time and number of waits that it ended */
} SptWaker;

/*
 * The wakers of the waits whose threads and time @filter selects.  Elements are SptWaker, parents
 * before children; element 0 is the root, which is no thread.
 */
GArray *spt_wakers_new(const SptCapture *capture, SptSymbols *symbols, const SptFilter *filter);

G_END_DECLS

#endif
