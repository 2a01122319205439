/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the library may still do after a program has locked itself in.  A filter of system calls
 * kills a program that makes one it does not let through: so each filter is asked before the kernel
 * gets it, and what it does not let through is not done from then on.
 */
#ifndef SPT_PRELOAD_SANDBOX_H
#define SPT_PRELOAD_SANDBOX_H

#include <stdbool.h>
#include <stdint.h>

/* Groups of system calls.  All other calls of the library are made before main(). */
enum spt_may {
	SPT_MAY_BEGIN = 1,		/* a thread begins, or a process after fork() */
	SPT_MAY_WAIT = 2,		/* waiting for room in a ring by futex, not in a loop */
	SPT_MAY_TIME = 4,		/* for how long a thread ran (--waits=calls) */
	SPT_MAY_LOOK = 8,		/* at files and at memory that may not exist */
	SPT_MAY_NAME = 16,		/* by the recorder's numbers, in another PID namespace */
};

extern uint32_t spt_forbidden;
/* The thread must not read the CPU's counter any more, nor those that it starts. */
extern bool spt_counter_is_forbidden;

static inline bool spt_may_call(enum spt_may calls)
{
	return !(__atomic_load_n(&spt_forbidden, __ATOMIC_RELAXED) & calls);
}

/* What was so before a program locked itself in. */
struct spt_lock_in {
	uint32_t forbidden;
	bool counter_is_forbidden;
};
/* Before prctl(@option, @what, @filter). */
struct spt_lock_in spt_lock_in_begin(long option, long what, const void *filter);
/* The call has failed. */
void spt_lock_in_failed(const struct spt_lock_in *before);

#endif
