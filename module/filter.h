/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes, control groups and CPUs that a session wants. */
#ifndef _SYSPROF_FILTER_H
#define _SYSPROF_FILTER_H

#include <linux/cpumask.h>
#include <linux/types.h>

#include "sysprof.h"

struct sysprof_filter;
struct task_struct;

/*
 * create() returns a filter for the ticks that @config selects; NULL: all ticks.  -EINVAL; -ESRCH
 * if a process does not exist; -EBADF if the descriptor is not a directory of cgroup v2.  cpus()
 * returns the CPUs that @config selects; -EINVAL if there are none.  Process context; both read the
 * caller's memory.
 */
struct sysprof_filter *sysprof_filter_create(const struct sysprof_config *config);
/* Bytes of memory that the filter takes. */
u64 sysprof_filter_bytes(const struct sysprof_filter *filter);
void sysprof_filter_destroy(struct sysprof_filter *filter);
int sysprof_filter_cpus(const struct sysprof_config *config, struct cpumask *ret);

/*
 * Process context, at START.  reset(): before anything is reported.  find_children(): once forks
 * are reported.
 */
void sysprof_filter_reset(struct sysprof_filter *filter);
void sysprof_filter_find_children(struct sysprof_filter *filter);

/*
 * Whether the filter passes a tick that interrupted current; @in_user: in user mode.  In the
 * sampling context, interrupts off; bounded.
 */
bool sysprof_filter_passes(const struct sysprof_filter *filter, bool in_user);
/*
 * Whether the filter passes @task, in either mode.  The caller keeps @task from being freed.
 * Interrupts off.
 */
bool sysprof_filter_passes_task(const struct sysprof_filter *filter,
				const struct task_struct *task);

/*
 * From the trace points, any context but NMI.  forked(): false if the new process should be
 * followed and there is no room.  exited(): the last thread of a process exits.
 */
bool sysprof_filter_forked(struct sysprof_filter *filter, const struct task_struct *parent,
			   const struct task_struct *child);
void sysprof_filter_exited(struct sysprof_filter *filter, const struct task_struct *task);

#endif /* _SYSPROF_FILTER_H */
