/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that works for a while at every multiple of a period of the clock.  A profiler whose
 * ticks keep step with it sees it always or never; its true share is what the scheduler counted
 * over the wall time.
 */
#ifndef PULSES_H
#define PULSES_H

#include "workload.h"

#include <sys/prctl.h>
#include <sys/syscall.h>

static inline int pulses(uint64_t wall_budget, uint64_t period, uint64_t work,
			 void (*function)(uint64_t turns))
{
	uint64_t turns = turns_for_ns(work), begin, begin_cpu, now, n = 0;

	prctl(PR_SET_TIMERSLACK, 1UL);
	begin = wall_ns();
	begin_cpu = schedstat_ns();
	while ((now = wall_ns()) - begin < wall_budget) {
		uint64_t next = now / period * period + period;
		struct timespec until = { .tv_sec = next / NS_PER_S, .tv_nsec = next % NS_PER_S };

		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL))
			;
		function(turns);
		n++;
	}
	truth("begin", begin);
	truth("end", now);
	truth("cpu", schedstat_ns() - begin_cpu);
	truth("pulses", n);
	truth("all_cpu", schedstat_ns());
	truth("tid", syscall(SYS_gettid));
	return 0;
}

#endif
