/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_FILTER_H
#define _SYSPROF_FILTER_H

#include <linux/cpumask.h>
#include <linux/types.h>

#include "sysprof.h"

struct sysprof_filter;
struct task_struct;

/*
 * Process context; reads the caller's memory.  create(): whose ticks @config asks for; NULL:
 * everybody's.  -EINVAL; -ESRCH for a process that is not there; -EBADF for what is no directory of
 * cgroup v2.  cpus(): on which CPUs; -EINVAL if there is none of them.
 */
struct sysprof_filter *sysprof_filter_create(const struct sysprof_config *config);
/* Memory that it takes. */
u64 sysprof_filter_bytes(const struct sysprof_filter *filter);
void sysprof_filter_destroy(struct sysprof_filter *filter);
int sysprof_filter_cpus(const struct sysprof_config *config, struct cpumask *ret);

/* Process context, at START: before anything is reported, and once forks are reported. */
void sysprof_filter_reset(struct sysprof_filter *filter);
void sysprof_filter_find_children(struct sysprof_filter *filter);

/*
 * Whether a tick that interrupted current is wanted; @in_user: in user mode.  In the sampling
 * context, interrupts off; bounded.
 */
bool sysprof_filter_passes(const struct sysprof_filter *filter, bool in_user);
/* Whether it would be one of @task, which cannot go away, in whatever mode.  Interrupts off. */
bool sysprof_filter_passes_task(const struct sysprof_filter *filter,
				const struct task_struct *task);

/*
 * From the trace points: a new process, false if it should be followed and there is no room;
 * the last thread of a process exits.  Any context but NMI.
 */
bool sysprof_filter_forked(struct sysprof_filter *filter, const struct task_struct *parent,
			   const struct task_struct *child);
void sysprof_filter_exited(struct sysprof_filter *filter, const struct task_struct *task);

#endif /* _SYSPROF_FILTER_H */
