/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Only the ticks show their phase: the earliest so far determines it, so that jitter of later ones
 * never adds up.  That a tick was late, because interrupts were off or a virtual CPU was taken
 * away, cannot be distinguished from idle time.
 */
#include "trace/perf/clock.h"

void spt_perf_clock_start(struct spt_perf_clock *clock, uint64_t period_ns, uint64_t time)
{
	*clock = (struct spt_perf_clock){ .period_ns = period_ns, .due = time };
}

void spt_perf_clock_lost(struct spt_perf_clock *clock, uint64_t records)
{
	clock->lost_records += records;
}

void spt_perf_clock_unthrottled(struct spt_perf_clock *clock)
{
	clock->was_throttled = true;
}

static uint64_t periods_since(const struct spt_perf_clock *clock, uint64_t time)
{
	return time > clock->due ? (time - clock->due) / clock->period_ns : 0;
}

struct spt_perf_loss spt_perf_clock_tick(struct spt_perf_clock *clock, uint64_t time)
{
	uint64_t stride = MAX(clock->stride, 1);
	/* A tick that represents several may come a moment before its time. */
	uint64_t early_ns = stride > 1 ? clock->period_ns / 2 : 0;
	uint64_t periods = MAX(periods_since(clock, time + early_ns), 1);
	uint32_t weight = MIN(periods, stride);
	uint64_t gap = periods - weight;
	struct spt_perf_loss loss = { .weight = weight,
				      .first_time = clock->due + clock->period_ns };

	if (clock->is_of_threads || (clock->has_ticked &&
				      time + early_ns >= clock->due + clock->period_ns))
		clock->due += periods * clock->period_ns;
	else
		clock->due = time;
	clock->has_ticked = true;
	loss.last_time = clock->due - weight * clock->period_ns;
	loss.reason = clock->was_throttled ? SYSPROF_LOST_THROTTLED : SYSPROF_LOST_RING_FULL;
	loss.periods = clock->was_throttled ? gap :
						MIN(gap, clock->lost_records * stride);
	clock->account.lost[loss.reason] += loss.periods;
	clock->account.idle += gap - loss.periods;
	if (clock->lost_records * stride > loss.periods)
		clock->account.state_lost += clock->lost_records - loss.periods / stride;
	clock->account.delivered += weight;
	clock->account.samples++;
	clock->was_throttled = false;
	clock->lost_records = 0;
	return loss;
}

void spt_perf_clock_account(const struct spt_perf_clock *clock, uint64_t time,
			    struct sysprof_account *ret)
{
	uint64_t periods = periods_since(clock, time);

	*ret = clock->account;
	ret->pending = MIN(periods, 1);
	ret->idle += periods - ret->pending;
	ret->grid = ret->delivered + ret->idle + ret->pending;
	for (unsigned i = 0; i < SYSPROF_LOST_REASONS; i++)
		ret->grid += ret->lost[i];
}
