/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who ended the waits of whom: a tree of threads.  Below who waited are those who woke it, and
 * below these who had woken them before, as far as that was recorded.
 */
#ifndef SPT_PROFILE_WAKERS_H
#define SPT_PROFILE_WAKERS_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	uint32_t parent;		/* its place in the array; the root's is 0 */
	uint32_t first_child, next;	/* heaviest first; 0: none */
	const char *name;		/* of the thread, or "[interrupt]", ...; interned */
	const char *function;		/* in which it woke the one above; "": not known */
	uint64_t ns, waits;		/* blocked, above all of them */
} SptWaker;

/*
 * Of the waits whose threads and time @filter selects.  Elements are SptWaker, parents before
 * children; element 0 is the root, which is nobody.
 */
GArray *spt_wakers_new(const SptCapture *capture, SptSymbols *symbols, const SptFilter *filter);

G_END_DECLS

#endif
