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
 * Call this when a session wants ticks that no other session wanted: the next tick may have to come
 * earlier.  The context is that of catch_up().
 */
void sysprof_clock_retarget(int cpu, u64 now);

/* The period that contains @now. */
u64 sysprof_clock_period_at(u64 now);
/*
 * Accounts for the periods up to @now of a CPU that sleeps or is offline, and returns the first
 * period that is not accounted for.  On @cpu with interrupts off; if @cpu is offline, on any CPU.
 */
u64 sysprof_clock_catch_up(int cpu, u64 now);
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
/* Reads what ticks cost.  Each pointer may be NULL; @histogram has SYSPROF_COST_BUCKETS. */
void sysprof_clock_cost(int cpu, u64 *cost_ns, u64 *ticks, u64 *histogram);

#endif /* _SYSPROF_CLOCK_H */
