/* SPDX-License-Identifier: GPL-2.0-only */
/* Ticks by a timer on each CPU, on one grid of periods for all sessions. */
#ifndef _SYSPROF_CLOCK_H
#define _SYSPROF_CLOCK_H

#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/types.h>

/* Process context: init() once, exit() when no session is left. */
int sysprof_clock_init(void);
void sysprof_clock_exit(void);

/*
 * Adds a session on @cpus.  Starts the clock with @period_ns if this is the first session, and
 * starts the ticks of each CPU on which it is the first.  Returns the number of the clock's periods
 * that comes nearest to @period_ns, and sets the grid.  stop() removes a session.  The caller holds
 * cpus_read_lock and serializes the calls.
 */
u32 sysprof_clock_start(u64 period_ns, const struct cpumask *cpus, u64 *grid_start,
			u64 *clock_period_ns);
void sysprof_clock_stop(const struct cpumask *cpus);
/*
 * This CPU switches from @prev, which is still current, to @next.  Called from sched_switch,
 * interrupts off.  Returns the time, or 0 if it was not read.
 */
u64 sysprof_clock_switch(struct task_struct *prev, struct task_struct *next);
/*
 * A soft interrupt's handler, by its number, begins or has ended on this CPU.  Called from
 * softirq_entry and softirq_exit.
 */
void sysprof_clock_softirq(unsigned int vector, bool begins);

#endif /* _SYSPROF_CLOCK_H */
