// SPDX-License-Identifier: GPL-2.0-only
/*
 * What makes a tick: a hard, pinned high-resolution timer on each CPU.
 *
 * Time is a grid of periods, the same for all CPUs.  In each period the timer fires once, at an
 * instant drawn at random from the whole of it: whatever is synchronised to a period of its own is
 * still hit in proportion to its share.  Every period is accounted for once: sampled, idle or
 * offline.  Periods that no session samples have no tick; the next tick accounts for them.
 *
 * An idle CPU is woken at most once: the tick that finds it idle does not set the timer again, the
 * switch away from the idle task does.  Soft interrupts that the idle CPU serves are work.  The
 * timer is set for those in which the next tick probably falls, going by the last ones of their
 * kind; a tick that fell into one all the same is taken at its end.
 *
 * A timer's interrupt may come late, by microseconds on hardware and by milliseconds in a virtual
 * machine.  A tick belongs to the task that ran when it was due: if a CPU switches tasks with the
 * tick overdue, it is taken there.  Otherwise a task that runs shortly and then sleeps would be
 * missed, again and again.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kernel_stat.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/irq_regs.h>

#include "budget.h"
#include "clock-grid.h"
#include "clock.h"
#include "contexts.h"
#include "session-samples.h"
#include "session-ticking.h"
#include "source-ops.h"
#include "stack.h"
#include "throttle.h"
#include "times.h"

#define BASE_NS		NSEC_PER_MSEC

/*
 * Ticks that are held back are still this frequent, without a stack.  They check whether a
 * hypervisor had the CPU when they seemed expensive.
 */
#define RETRY_NS	(20 * NSEC_PER_MSEC)
/*
 * While ticks are cheap, one of several is timed and represents the others: reading the clock is a
 * large part of such a tick.  A tick whose last record was begun late is not cheap, and is timed.
 */
#define TIMED_TICKS	8
#define ENTRY_NS	(4 * NSEC_PER_USEC) /* of an interrupt, before and behind what is timed */
#define CHEAP_NS	(10 * NSEC_PER_USEC)

static unsigned int users;
static int hotplug_state;

/*
 * Nothing but the loop of an idle task, the CPU's own or one that a driver makes of a thread to
 * cool the CPU: interrupts that are served on its stack are work.
 */
static bool cpu_is_idle(void)
{
	return sysprof_context_of_tick() == SYSPROF_CONTEXT_IDLE;
}

/* True: a stack was taken. */
static bool take_sample(struct cpu_clock *clock, struct pt_regs *regs, struct sysprof_tick *tick)
{
	bool wanted;

	if (clock->sampling) {
		sysprof_sessions_lost(SYSPROF_LOST_NESTED, tick->from, tick->to);
		return false;
	}
	clock->sampling = true;
	barrier();
	wanted = sysprof_sessions_sample(clock->stack, regs, tick);
	barrier();
	clock->sampling = false;
	return wanted;
}

/* Skips the periods for which no share of the CPU remains. */
static void throttle(struct cpu_clock *clock, u64 now)
{
	u64 until = min(sysprof_throttle_until(SYSPROF_PAID_BY_ALL), now + RETRY_NS),
	    from = clock->next;

	if (until <= now || until <= clock->instant)
		return;
	clock->next = max(from, sysprof_clock_period_at(until));
	if (clock->next == from)
		return;
	sysprof_clock_aim(clock, clock->next);
	sysprof_sessions_lost(SYSPROF_LOST_THROTTLED, from, clock->next);
}

/* The next tick of these sessions accounts for their periods. */
static void throttle_users(struct cpu_clock *clock, u64 now)
{
	u64 until = sysprof_throttle_until(SYSPROF_PAID_BY_USERS);

	if (until <= now)
		return;
	clock->users_from = sysprof_clock_period_at(until) + 1;
	sysprof_clock_aim(clock, clock->next);
}

static void count_ticks(struct cpu_clock *clock, u64 cost, u32 n)
{
	clock->cost_ns += cost * n;
	clock->ticks += n;
	clock->histogram[min_t(u32, ilog2(cost | 1), SYSPROF_COST_BUCKETS - 1)] += n;
}

/*
 * Ends a tick: adds its cost, which decides when the next one may be.  A tick without a stack says
 * nothing about those with one.
 */
static noinline void count_cost(struct cpu_clock *clock, const struct sysprof_tick *tick,
				bool sampled)
{
	u64 now, cost, before, users_cost, end;
	u32 others;

	now = ktime_get_mono_fast_ns();
	cost = now - tick->now;
	others = clock->stands_for - clock->untimed - 1;
	clock->stands_for = cost < CHEAP_NS ? TIMED_TICKS : 1;
	clock->untimed = clock->stands_for - 1;
	before = min_t(u64, cost, CHEAP_NS) * others + ENTRY_NS * (others + 1);
	sysprof_throttle_spend(SYSPROF_PAID_BY_ALL, now, cost + before);
	if (tick->users_begin) {
		users_cost = now - tick->users_begin;
		sysprof_throttle_spend(SYSPROF_PAID_BY_USERS, now, users_cost + before);
		throttle_users(clock, now);
	}
	throttle(clock, now);
	/* Skipping the periods of many sessions takes time, too. */
	if (cost >= CHEAP_NS) {
		end = ktime_get_mono_fast_ns();
		sysprof_throttle_spend(SYSPROF_PAID_BY_ALL, end, end - now);
	}
	if (!sampled)
		return;
	sysprof_budget_spent(cost, now);
	count_ticks(clock, cost, 1);
	/* The untimed ticks were cheap. */
	count_ticks(clock, min_t(u64, cost, CHEAP_NS), others);
}

/*
 * Accounts for the periods up to @now, and chooses the next tick.  A tick that comes after its
 * period has ended represents all that have ended; an instant drawn in the past of the period under
 * way belongs to the same context, too.
 */
static __always_inline u64 advance(struct cpu_clock *clock, u64 now)
{
	u64 from = clock->next;

	clock->next = clock->target + 1;
	/* Most ticks come in their own period: no division is needed. */
	if (unlikely(now >= sysprof_grid.start + clock->next * sysprof_grid.period_ns))
		clock->next = sysprof_clock_period_at(now);
	sysprof_clock_aim(clock, clock->next);
	if (clock->instant <= now) {
		clock->next = clock->target + 1;
		sysprof_clock_aim(clock, clock->next);
	}
	return from;
}

/*
 * How late a tick is that was @due, without what a hypervisor took since the last one, as far as
 * the kernel has counted that: it does so in its own ticks.
 */
static u64 delay_of(struct cpu_clock *clock, u64 now, u64 due)
{
	u64 stolen = kcpustat_this_cpu->cpustat[CPUTIME_STEAL], late = now > due ? now - due : 0;
	u64 taken = stolen - clock->stolen;

	clock->stolen = stolen;
	if (unlikely(taken))
		sysprof_throttle_forgive(taken);
	return late - min(late, taken);
}

/*
 * While the machine stood still, the CPU was not there: what is left for the tick begins at
 * @pause_end.
 */
static u64 leave_out_pause(struct cpu_clock *clock, u64 from, u64 pause_end)
{
	u64 period = min(sysprof_clock_period_at(pause_end), clock->next - 1);

	if (!pause_end || period <= from)
		return from;
	sysprof_sessions_offline(smp_processor_id(), from, period);
	return period;
}

/* A tick that found the CPU at work; the next one is chosen already. */
static __always_inline void take_tick(struct cpu_clock *clock, struct pt_regs *regs, u64 now,
				      u64 from, u64 due)
{
	struct sysprof_tick tick = {
		.now = now,
		.from = from,
		.to = clock->next,
		.users_from = clock->users_from,
		.delay_ns = delay_of(clock, now, due),
		.last = now,
	};
	bool sampled;

	sysprof_source_tick(regs, now, tick.delay_ns);
	if (unlikely(sysprof_throttle_until(SYSPROF_PAID_BY_ALL) > now)) {
		sysprof_sessions_lost(SYSPROF_LOST_THROTTLED, from, clock->next);
		throttle(clock, now);
		return;
	}
	sampled = take_sample(clock, regs, &tick);
	if (clock->untimed && tick.last < now + CHEAP_NS)
		clock->untimed--;
	else
		count_cost(clock, &tick, sampled);
}

static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct cpu_clock *clock = container_of(timer, struct cpu_clock, timer);
	u64 due = ktime_to_ns(hrtimer_get_expires(timer)), now = ktime_get_mono_fast_ns(), from;
	u64 pause_end;

	if (!clock->running)
		return HRTIMER_NORESTART;
	pause_end = sysprof_time_seen(now, due);
	from = leave_out_pause(clock, advance(clock, now), pause_end);
	if (cpu_is_idle()) {
		sysprof_sessions_idle(smp_processor_id(), from, clock->next);
		clock->parked = true;
		return HRTIMER_NORESTART;
	}
	take_tick(clock, get_irq_regs(), now, from, max(due, pause_end));
	hrtimer_set_expires(timer, ns_to_ktime(clock->instant));
	return HRTIMER_RESTART;
}

/* For a parked CPU: accounts for the time up to @now, and the next tick comes after that. */
static void account_idle(struct cpu_clock *clock, u64 now)
{
	u64 from;

	sysprof_clock_catch_up(smp_processor_id(), now);
	from = clock->next;
	if (clock->instant <= now) {
		/* The period's tick would have found the CPU idle. */
		clock->next = clock->target + 1;
		sysprof_clock_aim(clock, clock->next);
		sysprof_sessions_idle(smp_processor_id(), from, clock->next);
	}
}

static void leave_idle(struct cpu_clock *clock, u64 now)
{
	account_idle(clock, now);
	clock->parked = false;
	clock->stolen = kcpustat_this_cpu->cpustat[CPUTIME_STEAL];
	sysprof_clock_set_timer(clock);
}

static void take_overdue(struct cpu_clock *clock, struct task_struct *prev, u64 now, u64 due)
{
	u64 pause_end = sysprof_time_seen(now, due);
	u64 from = leave_out_pause(clock, advance(clock, now), pause_end);

	if (is_idle_task(prev))
		sysprof_sessions_idle(smp_processor_id(), from, clock->next);
	else
		take_tick(clock, NULL, now, from, max(due, pause_end));
	sysprof_clock_set_timer(clock);
}

u64 sysprof_clock_switch(struct task_struct *prev, struct task_struct *next)
{
	struct cpu_clock *clock = this_cpu_ptr(&sysprof_cpu_clocks);
	u64 now, due;

	if (!clock->running)
		return 0;
	now = ktime_get_mono_fast_ns();
	due = ktime_to_ns(hrtimer_get_expires(&clock->timer));
	if (!clock->parked) {
		if (likely(now < due))
			return now;
		take_overdue(clock, prev, now, due);
		/* Taking the tick has taken time. */
		return 0;
	}
	/* Where idle time is injected, prev was an idle task until now. */
	if (is_idle_task(prev) || !is_idle_task(next))
		leave_idle(clock, now);
	return now;
}

static void begin_softirq(struct cpu_clock *clock, unsigned int vector)
{
	u64 now = ktime_get_mono_fast_ns();

	clock->softirq_begin = now;
	if (!clock->parked)
		return;
	account_idle(clock, now);
	clock->stolen = kcpustat_this_cpu->cpustat[CPUTIME_STEAL];
	if (clock->instant > now + clock->softirq_reach[vector])
		return;
	clock->parked = false;
	sysprof_clock_set_timer(clock);
}

static void end_softirq(struct cpu_clock *clock, unsigned int vector)
{
	u64 now = ktime_get_mono_fast_ns(), due = clock->instant, took, from;
	u32 *reach = &clock->softirq_reach[vector];

	took = min_t(u64, now - clock->softirq_begin, NSEC_PER_SEC);
	clock->softirq_begin = 0;
	*reach = max_t(u32, took * 2, *reach - *reach / 8);
	if (!clock->parked || due > now)
		return;
	from = leave_out_pause(clock, advance(clock, now), sysprof_time_seen(now, due));
	/* The tick waited for the end on purpose: that is no delay. */
	take_tick(clock, NULL, now, from, now);
}

/*
 * An idle CPU serves soft interrupts where an interrupt ends, and nowhere else: between the two
 * calls there is no switch, and no other soft interrupt.
 */
void sysprof_clock_softirq(unsigned int vector, bool begins)
{
	struct cpu_clock *clock;
	unsigned long flags;

	if (likely(!is_idle_task(current)))
		return;
	local_irq_save(flags);
	rcu_read_lock();
	clock = this_cpu_ptr(&sysprof_cpu_clocks);
	if (!clock->running || vector >= NR_SOFTIRQS)
		;
	else if (begins)
		begin_softirq(clock, vector);
	else if (clock->softirq_begin)
		end_softirq(clock, vector);
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* Start and stop on each CPU. */

static void start_here(void *unused)
{
	struct cpu_clock *clock = this_cpu_ptr(&sysprof_cpu_clocks);

	clock->offline = false;
	clock->parked = false;
	clock->softirq_begin = 0;
	clock->running = true;
	clock->stolen = kcpustat_this_cpu->cpustat[CPUTIME_STEAL];
	sysprof_clock_aim(clock, clock->next);
	sysprof_clock_set_timer(clock);
}

static void stop_here(void *unused)
{
	struct cpu_clock *clock = this_cpu_ptr(&sysprof_cpu_clocks);

	clock->running = false;
	/* From now on the switch away from idle does not set the timer. */
	clock->parked = false;
}

/* From here on the CPU is accounted for. */
static void use_cpu(int cpu)
{
	struct cpu_clock *clock = per_cpu_ptr(&sysprof_cpu_clocks, cpu);

	if (clock->users++)
		return;
	clock->next = sysprof_clock_period_at(ktime_get_mono_fast_ns());
	clock->users_from = 0;
	clock->stands_for = 1;
	clock->untimed = 0;
	clock->offline = !cpu_online(cpu);
	if (!clock->offline)
		smp_call_function_single(cpu, start_here, NULL, 1);
}

static void release_cpu(int cpu)
{
	struct cpu_clock *clock = per_cpu_ptr(&sysprof_cpu_clocks, cpu);

	if (--clock->users)
		return;
	if (!clock->offline)
		smp_call_function_single(cpu, stop_here, NULL, 1);
	clock->offline = false;
	hrtimer_cancel(&clock->timer);
}

/*
 * The clock's period for a first session that asks for @period: not more than about BASE_NS, so
 * that a slow session does not delay later ones.  Periods that no session wants have no tick.
 */
static u64 base_period(u64 period)
{
	return div64_u64(period, max_t(u64, 1, div_u64(period + BASE_NS / 2, BASE_NS)));
}

u32 sysprof_clock_start(u64 period, const struct cpumask *cpus, u64 *start, u64 *clock_period_ns)
{
	struct cpu_clock *clock;
	int cpu;

	if (!users++) {
		sysprof_grid.period_ns = base_period(period);
		sysprof_grid.start = ktime_get_mono_fast_ns();
		for_each_possible_cpu(cpu) {
			clock = per_cpu_ptr(&sysprof_cpu_clocks, cpu);
			clock->cost_ns = 0;
			clock->ticks = 0;
			memset(clock->histogram, 0, sizeof(clock->histogram));
		}
	}
	for_each_cpu(cpu, cpus)
		use_cpu(cpu);
	*start = sysprof_grid.start;
	*clock_period_ns = sysprof_grid.period_ns;
	return max_t(u64, 1, div64_u64(period + *clock_period_ns / 2, *clock_period_ns));
}

void sysprof_clock_stop(const struct cpumask *cpus)
{
	int cpu;

	users--;
	for_each_cpu(cpu, cpus)
		release_cpu(cpu);
}

/*
 * Hotplug callbacks run on the CPU, here with interrupts off; start and stop are kept out by
 * cpus_read_lock.
 */
static void catch_up_here(unsigned int cpu)
{
	rcu_read_lock();
	sysprof_clock_catch_up(cpu, ktime_get_mono_fast_ns());
	rcu_read_unlock();
}

static int cpu_online_here(unsigned int cpu)
{
	struct cpu_clock *clock = this_cpu_ptr(&sysprof_cpu_clocks);
	unsigned long flags;

	if (!clock->users)
		return 0;
	local_irq_save(flags);
	catch_up_here(cpu);
	if (!clock->running)
		start_here(NULL);
	local_irq_restore(flags);
	return 0;
}

static int cpu_offline_here(unsigned int cpu)
{
	struct cpu_clock *clock = this_cpu_ptr(&sysprof_cpu_clocks);
	unsigned long flags;

	if (!clock->users)
		return 0;
	local_irq_save(flags);
	/* The CPU was idle up to here, if it was; the rest is offline. */
	catch_up_here(cpu);
	stop_here(NULL);
	clock->offline = true;
	local_irq_restore(flags);
	hrtimer_cancel(&clock->timer);
	return 0;
}

static void clock_free_stacks(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kfree(per_cpu_ptr(&sysprof_cpu_clocks, cpu)->stack);
}

int sysprof_clock_init(void)
{
	struct cpu_clock *clock;
	int cpu;

	for_each_possible_cpu(cpu) {
		clock = per_cpu_ptr(&sysprof_cpu_clocks, cpu);
		clock->stack = kzalloc_node(sizeof(*clock->stack), GFP_KERNEL, cpu_to_node(cpu));
		if (!clock->stack) {
			clock_free_stacks();
			return -ENOMEM;
		}
		sysprof_hrtimer_setup(&clock->timer, tick, CLOCK_MONOTONIC,
				      HRTIMER_MODE_ABS_PINNED_HARD);
		clock->random = get_random_u64() | 1;
	}
	hotplug_state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "sysprof:online", cpu_online_here,
					  cpu_offline_here);
	if (hotplug_state < 0)
		clock_free_stacks();
	return min(hotplug_state, 0);
}

void sysprof_clock_exit(void)
{
	cpuhp_remove_state(hotplug_state);
	clock_free_stacks();
}
