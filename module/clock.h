/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_CLOCK_H
#define _SYSPROF_CLOCK_H

#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/types.h>

/* Process context: once, and when no session is left. */
int sysprof_clock_init(void);
void sysprof_clock_exit(void);

/*
 * One more session, on @cpus: starts the clock if it is the first, with @period_ns, and on each CPU
 * of which it is the first.  Returns how many of the clock's periods come nearest to @period_ns,
 * and sets the grid.  stop() is for one session less.  The caller holds cpus_read_lock and keeps
 * two calls from meeting.
 */
u32 sysprof_clock_start(u64 period_ns, const struct cpumask *cpus, u64 *grid_start,
			u64 *clock_period_ns);
void sysprof_clock_stop(const struct cpumask *cpus);
/* A session wants ticks that no other did: the next may have to come earlier.  As catch_up(). */
void sysprof_clock_retarget(int cpu, u64 now);

/* The period that contains @now. */
u64 sysprof_clock_period_at(u64 now);
/*
 * Accounts for the periods of a CPU that sleeps or is offline up to @now, and returns the first
 * that is not accounted for.  On @cpu with interrupts off; on any for one that is offline.
 */
u64 sysprof_clock_catch_up(int cpu, u64 now);
/*
 * This CPU switches away from @prev, which is current still, to @next; from sched_switch,
 * interrupts off.  Returns what the time is, 0 if it has not looked.
 */
u64 sysprof_clock_switch(struct task_struct *prev, struct task_struct *next);
/* What ticks cost; each pointer may be NULL, @histogram has SYSPROF_COST_BUCKETS. */
void sysprof_clock_cost(int cpu, u64 *cost_ns, u64 *ticks, u64 *histogram);

#endif /* _SYSPROF_CLOCK_H */
