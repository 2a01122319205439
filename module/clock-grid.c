// SPDX-License-Identifier: GPL-2.0-only
/* How far each CPU is in the grid of periods, and when its next tick comes. */
#include <linux/string.h>

#include "clock-grid.h"

DEFINE_PER_CPU(struct cpu_clock, sysprof_cpu_clocks);
struct sysprof_grid sysprof_grid = { .period_ns = NSEC_PER_MSEC };

u64 sysprof_clock_catch_up(int cpu, u64 now)
{
	struct cpu_clock *clock = per_cpu_ptr(&sysprof_cpu_clocks, cpu);
	u64 from = clock->next, period = sysprof_clock_period_at(now);

	if (period > from) {
		if (clock->offline) {
			clock->next = period;
			sysprof_sessions_offline(cpu, from, period);
		} else if (clock->parked) {
			clock->next = period;
			sysprof_clock_aim(clock, period);
			sysprof_sessions_idle(cpu, from, period);
		}
	}
	return clock->next;
}

void sysprof_clock_retarget(int cpu, u64 now)
{
	struct cpu_clock *clock = per_cpu_ptr(&sysprof_cpu_clocks, cpu);
	u64 period = max(clock->next, sysprof_clock_period_at(now) + 1);

	/* A tick that is due stays: it cannot come earlier than now. */
	if (!clock->running || clock->parked || clock->target <= period ||
	    sysprof_sessions_next(period, clock->users_from) >= clock->target)
		return;
	sysprof_clock_aim(clock, period);
	sysprof_clock_set_timer(clock);
}

void sysprof_clock_cost(int cpu, u64 *cost_ns, u64 *ticks, u64 *histogram)
{
	struct cpu_clock *clock = per_cpu_ptr(&sysprof_cpu_clocks, cpu);

	if (cost_ns)
		*cost_ns = READ_ONCE(clock->cost_ns);
	if (ticks)
		*ticks = READ_ONCE(clock->ticks);
	if (histogram)
		memcpy(histogram, clock->histogram, sizeof(clock->histogram));
}
