/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accounts for perf's cpu-clock event of one CPU, in periods.  It fires once a period while the CPU
 * is busy.  The time between two ticks gives the number of periods without one.  Some of those were
 * lost, as the kernel's records of losses show; the others were idle.
 */
#ifndef SPT_PERF_CLOCK_H
#define SPT_PERF_CLOCK_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "sysprof.h"

G_BEGIN_DECLS

struct spt_perf_clock {
	uint64_t period_ns;
	uint64_t due;			/* periods before this one are accounted for */
	unsigned stride;		/* it fires once in this number of periods; 0: in each */
	/*
	 * The ticks are those of single threads: each has its own phase, and ticks only while it
	 * runs.
	 */
	bool is_of_threads;
	bool has_ticked;
	bool was_throttled;		/* since the last tick */
	uint64_t lost_records;		/* since the last tick, as the kernel reports */
	/* Without grid, pending, and the idle periods since the last tick. */
	struct sysprof_account account;
};

/* Periods before a tick that had none and were not idle. */
struct spt_perf_loss {
	uint64_t periods;
	uint32_t weight;		/* periods that the tick itself represents */
	uint64_t first_time, last_time;
	enum sysprof_lost_reason reason;
};

void spt_perf_clock_start(struct spt_perf_clock *clock, uint64_t period_ns, uint64_t time);
/* The kernel reports that it dropped @records of any kind. */
void spt_perf_clock_lost(struct spt_perf_clock *clock, uint64_t records);
/* The kernel had throttled the event, and now lets it continue. */
void spt_perf_clock_unthrottled(struct spt_perf_clock *clock);
struct spt_perf_loss spt_perf_clock_tick(struct spt_perf_clock *clock, uint64_t time);
/* The account at @time, after all earlier ticks were given. */
void spt_perf_clock_account(const struct spt_perf_clock *clock, uint64_t time,
			    struct sysprof_account *ret);

G_END_DECLS

#endif
