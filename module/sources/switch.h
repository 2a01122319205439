/* SPDX-License-Identifier: GPL-2.0-only */
/* The hooks of switches and wakings, which follow the states of threads. */
#ifndef _SYSPROF_SWITCH_H
#define _SYSPROF_SWITCH_H

#include <linux/sched.h>
#include <linux/types.h>

#include "arming.h"

/* These hooks.  While they are armed, those of hooks.h are armed, too. */
extern struct sysprof_arming sysprof_switches;

/* The name of a trace point that this kernel lacks, or NULL. */
const char *sysprof_switch_lacks(void);

/*
 * This CPU switches from @prev, which is still current, to @next.  @left: the kernel's state in
 * which @prev leaves; 0: it could go on.  @now: the time; 0: not known.  Interrupts off, RCU read
 * side.
 */
void sysprof_switch(bool preempt, struct task_struct *prev, struct task_struct *next,
		    unsigned int left, u64 now);
/* The task that this CPU has switched to runs.  Interrupts off: this is a reader of RCU. */
void sysprof_switch_arrived(void);
/* Time and calls of the hooks on @cpu since they were put in place. */
void sysprof_switch_cost(int cpu, u64 *ns, u64 *calls);

#endif /* _SYSPROF_SWITCH_H */
