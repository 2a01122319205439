// SPDX-License-Identifier: GPL-2.0-only
/*
 * The budget of sessions that requested no rate: a part of each CPU's time, by the median cost of a
 * tick.  The mean would not do: a host that takes a virtual CPU away during a tick would make the
 * rate collapse.
 *
 * The rate is the same on all CPUs, so that their percentages can be compared: the CPU whose ticks
 * cost most sets it.  The first ticks after a pause find cold caches and cost many times as much as
 * later ones.  They set no rate.
 */
#include <linux/cpumask.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>

#include "budget.h"

static uint budget_ppm = 10000;
module_param(budget_ppm, uint, 0644);
MODULE_PARM_DESC(
	budget_ppm,
	"share of a CPU that sampling without an explicit rate may take, millionths; 0: any");

#define LOOK_NS		(250 * NSEC_PER_MSEC)
#define STALE_NS	(2 * NSEC_PER_SEC)
#define COLD_TICKS	16U
/* With fewer samples than 100 a second a profile says little. */
#define LONGEST_NS	(10 * NSEC_PER_MSEC)
/* Ticks take one part of this many of a CPU at most, as for sessions with a rate of their own. */
#define COST_SHARE	4

/**
 * struct cost - of the ticks on a CPU; written there, with interrupts off
 * @median_ns: follows the median: each tick that costs more moves it up by a step, each that costs
 *	less down; begins with the cheapest of the cold ticks
 * @time: of the last tick
 * @cold: ticks to come before @median_ns is believed
 */
struct cost {
	u64 median_ns;
	u64 time;
	u32 cold;
};

static DEFINE_PER_CPU(struct cost, costs);
/* What a tick costs, for the rate; changes when the medians are a quarter off */
static u64 agreed_ns;
static atomic64_t look_time = ATOMIC64_INIT(0);

/* One CPU at a time looks at all. */
static noinline void look(u64 now, u64 looked)
{
	u64 most = 0, agreed = READ_ONCE(agreed_ns);
	int cpu;

	if (atomic64_cmpxchg(&look_time, looked, now) != looked)
		return;
	for_each_online_cpu(cpu) {
		const struct cost *cost = per_cpu_ptr(&costs, cpu);

		if (now < READ_ONCE(cost->time) + STALE_NS && !READ_ONCE(cost->cold))
			most = max(most, READ_ONCE(cost->median_ns));
	}
	if (most > agreed + agreed / 4 || most < agreed - agreed / 4)
		WRITE_ONCE(agreed_ns, most);
}

void sysprof_budget_spent(u64 cost_ns, u64 now)
{
	struct cost *cost = this_cpu_ptr(&costs);
	u64 median = cost->median_ns, step = max(median / 32, 16ULL), looked;

	if (!median || now > cost->time + STALE_NS) {
		median = max(cost_ns, 1ULL);
		WRITE_ONCE(cost->cold, COLD_TICKS - 1);
	} else if (cost->cold) {
		median = clamp(cost_ns, 1ULL, median);
		WRITE_ONCE(cost->cold, cost->cold - 1);
	} else {
		median = cost_ns > median ? median + step : median - min(step, median - 1);
	}
	WRITE_ONCE(cost->median_ns, median);
	WRITE_ONCE(cost->time, now);

	looked = atomic64_read(&look_time);
	if (unlikely(now > looked + LOOK_NS))
		look(now, looked);
}

u32 sysprof_budget_stretch(u64 period_ns)
{
	u64 cost_ns = READ_ONCE(agreed_ns), stretch, longest;
	u32 ppm = READ_ONCE(budget_ppm);
	u64 allowed_ns = max(div_u64(period_ns * ppm, 1000000), 1ULL);

	if (!ppm || cost_ns <= allowed_ns)
		return 1;
	stretch = DIV64_U64_ROUND_UP(cost_ns, allowed_ns);
	longest = DIV64_U64_ROUND_UP(max_t(u64, LONGEST_NS, cost_ns * COST_SHARE), period_ns);
	return clamp_t(u64, min(stretch, longest), 1, SYSPROF_MAX_STRETCH);
}
