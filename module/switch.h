/* SPDX-License-Identifier: GPL-2.0-only */
/* Switches and wakings: what becomes of threads. */
#ifndef _SYSPROF_SWITCH_H
#define _SYSPROF_SWITCH_H

#include <linux/sched.h>
#include <linux/types.h>

#include "arming.h"

/* These hooks; while they are armed those of hooks.h are. */
extern struct sysprof_arming sysprof_switches;

/* A name of the kernel's trace points that it lacks, or NULL. */
const char *sysprof_switch_lacks(void);

/* Whether sched_switch has to call the following. */
extern bool sysprof_switch_wanted;
/*
 * This CPU goes from @prev, which is current still, to @next.  @left: in what state of the kernel's
 * @prev leaves it, 0: to go on; @now: what the time is, 0: not known.  Interrupts off, RCU read
 * side.
 */
void sysprof_switch(bool preempt, struct task_struct *prev, struct task_struct *next,
		    unsigned int left, u64 now);
/* On this CPU, interrupts off: a wait whose user frames are to come is sent without them. */
void sysprof_switch_flush(void);
/* What the hooks took on @cpu since they are on. */
void sysprof_switch_cost(int cpu, u64 *ns, u64 *calls);

#endif /* _SYSPROF_SWITCH_H */
