/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Time is a grid of periods, the same for all CPUs.  What each CPU knows of it, below sessions,
 * which ask how far it is; clock.c, above them, takes the ticks.
 */
#ifndef _SYSPROF_CLOCK_GRID_H
#define _SYSPROF_CLOCK_GRID_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "session-ticking.h"
#include "sysprof.h"

struct sysprof_stack;

/**
 * struct sysprof_grid - the periods; changed only while no session uses the clock
 * @start: when the first one begins
 * @period_ns: how long each is
 */
struct sysprof_grid {
	u64 start;
	u64 period_ns;
};
extern struct sysprof_grid sysprof_grid;

/**
 * struct cpu_clock - what a CPU's ticks need; touched on that CPU with interrupts off
 * @timer: pinned to the CPU
 * @next: first period not accounted for
 * @target: the period of the next tick: the first that a session wants
 * @users: sessions that want this CPU; changed with cpus_read_lock held
 * @running: between start and stop, and online
 * @parked: idle; the timer is not set
 * @offline: not there, though the clock runs
 * @sampling: a tick is being taken; another one within is counted as nested
 * @random: state of the generator that places ticks
 * @instant: of the tick in period @target; while parked the timer does not know it
 * @stolen: time a hypervisor took from this CPU, as the kernel had it at the last tick, ns
 * @softirq_begin: the idle CPU serves a soft interrupt since then; 0: it does not
 * @softirq_reach: by its number, ns within which a tick may fall into it
 * @users_from: before this period sessions of users without CAP_SYS_RESOURCE have no tick: they
 *	have used up their share of the CPU
 * @stands_for: ticks that the next timed tick accounts for if @untimed is 0: itself and the untimed
 *	ones before it
 * @untimed: how many more may go untimed
 * @cost_ns: time spent in ticks since the clock was started
 * @ticks: taken since then
 * @histogram: of their costs, by powers of two
 * @stack: where a tick puts what it finds, before it is copied; too large for the per-CPU area of
 *	modules
 */
struct cpu_clock {
	struct hrtimer timer;
	u64 next;
	u64 target;
	unsigned int users;
	bool running;
	bool parked;
	bool offline;
	bool sampling;
	u64 random;
	u64 instant;
	u64 stolen;
	u64 softirq_begin;
	u32 softirq_reach[NR_SOFTIRQS];
	u64 users_from;
	u32 stands_for;
	u32 untimed;
	u64 cost_ns;
	u64 ticks;
	u64 histogram[SYSPROF_COST_BUCKETS];
	struct sysprof_stack *stack;
};
DECLARE_PER_CPU(struct cpu_clock, sysprof_cpu_clocks);

/*
 * xorshift64*, after Vigna, "An experimental exploration of Marsaglia's xorshift generators,
 * scrambled" (2016).
 */
static inline u64 sysprof_clock_draw(struct cpu_clock *clock)
{
	u64 x = clock->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	clock->random = x;
	return x * 0x2545F4914F6CDD1DULL;
}

/* The period that contains @now. */
static inline u64 sysprof_clock_period_at(u64 now)
{
	const struct sysprof_grid *grid = &sysprof_grid;

	return now > grid->start ? div64_u64(now - grid->start, grid->period_ns) : 0;
}

/* An instant in @period. */
static inline u64 sysprof_clock_instant_in(struct cpu_clock *clock, u64 period)
{
	const struct sysprof_grid *grid = &sysprof_grid;

	return grid->start + period * grid->period_ns +
	       ((sysprof_clock_draw(clock) >> 32) * grid->period_ns >> 32);
}

/* Chooses the next tick, in @period or later. */
static __always_inline void sysprof_clock_aim(struct cpu_clock *clock, u64 period)
{
	clock->target = sysprof_sessions_next(period, clock->users_from);
	clock->instant = sysprof_clock_instant_in(clock, clock->target);
}

/* On @clock's CPU, interrupts off. */
static inline void sysprof_clock_set_timer(struct cpu_clock *clock)
{
	hrtimer_start(&clock->timer, ns_to_ktime(clock->instant), HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Call this when a session wants ticks that no other session wanted: the next tick may have to come
 * earlier.  The context is that of catch_up().
 */
void sysprof_clock_retarget(int cpu, u64 now);
/*
 * Accounts for the periods up to @now of a CPU that sleeps or is offline, and returns the first
 * period that is not accounted for.  On @cpu with interrupts off; if @cpu is offline, on any CPU.
 */
u64 sysprof_clock_catch_up(int cpu, u64 now);
/* Reads what ticks cost.  Each pointer may be NULL; @histogram has SYSPROF_COST_BUCKETS. */
void sysprof_clock_cost(int cpu, u64 *cost_ns, u64 *ticks, u64 *histogram);

#endif /* _SYSPROF_CLOCK_GRID_H */
