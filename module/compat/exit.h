/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a thread that exits is the last of its process, for exactly one of them. */
#ifndef _SYSPROF_COMPAT_EXIT_H
#define _SYSPROF_COMPAT_EXIT_H

#include <linux/hash.h>
#include <linux/sched/signal.h>

/* The trace point says so since 6.17. */
#ifdef SYSPROF_EXIT_HAS_GROUP_DEAD
#define SYSPROF_EXIT_PROTO(task) void *data, struct task_struct *task, bool group_dead
#define sysprof_exit_is_last(task) (group_dead)
#else
#define SYSPROF_EXIT_PROTO(task) void *data, struct task_struct *task

#define SYSPROF_EXIT_SLOTS_BITS 10

/*
 * Threads that exit at the same time all see that none is left; the first of them to get here is
 * the last one.  They are on their way at the same moment: a slot need not remember its process for
 * long.
 */
static inline bool sysprof_exit_is_last(const struct task_struct *task)
{
	static u64 exited[1 << SYSPROF_EXIT_SLOTS_BITS];
	u64 process = (u64)task->tgid << 40 ^ task->group_leader->start_time;

	return !atomic_read(&task->signal->live) &&
	       xchg(&exited[hash_32(task->tgid, SYSPROF_EXIT_SLOTS_BITS)], process) != process;
}
#endif

#endif /* _SYSPROF_COMPAT_EXIT_H */
