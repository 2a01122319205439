/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks that are sent once: the outermost frames of a stack go into a session's ring with a
 * number, and from then on the number alone, as long as they are the same.  What is the same is
 * known from the walk (recall.h).  Each ring has numbers of its own, which say nothing of what
 * other sessions got.
 *
 * On the session's CPU, interrupts off.  In NMI no walk knows of another.
 */
#ifndef _SYSPROF_ONCE_H
#define _SYSPROF_ONCE_H

#include <linux/string.h>

#include "arch.h"
#include "delivery.h"

/* Stacks of which the reader gets less than the session requested, or other frames, have none. */
static __always_inline u64 once_cookie(const struct sysprof_session_cpu *sc,
				       const struct sysprof_walk *walk, u32 n_user, u8 hides)
{
	const struct sysprof_once *once = sc->once + walk->outer.place;
	u64 frames = (u64)walk->outer.n << SYSPROF_STACK_FRAMES_SHIFT;

	if (!walk->outer.n || !sc->session->is_once || n_user < walk->n || unlikely(hides))
		return 0;
	if (likely(once->id == walk->outer.id))
		return once->number | frames | SYSPROF_STACK_REFERS;
	return ((once->number | walk->outer.place) + SYSPROF_STACK_PLACES) | frames;
}

static __always_inline bool once_refers(u64 cookie)
{
	return cookie & SYSPROF_STACK_REFERS;
}

/* A record with @cookie has its room: what it defines can be referred to. */
static __always_inline void once_sent(struct sysprof_session_cpu *sc,
				      const struct sysprof_walk *walk, u64 cookie)
{
	if (!once_refers(cookie) && cookie)
		sc->once[walk->outer.place] = (struct sysprof_once){
			.id = walk->outer.id,
			.number = cookie & SYSPROF_STACK_NUMBER_MASK,
		};
}

/* Copies the first @n frames. */
static __always_inline void once_put(u64 *to, const struct sysprof_walk *walk, u32 n)
{
	u32 inner = min(n, walk->n - walk->outer.n), i;

	for (i = 0; i < inner; i++)
		to[i] = walk->frames[i];
	if (n > inner)
		memcpy(to + inner, walk->outer.frames, (n - inner) * sizeof(*to));
}

#endif /* _SYSPROF_ONCE_H */
