/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uses the lowest real-time priority.  Nice values count only among the tasks of a session or a
 * control group, and the programs that keep the machine busy are in others.
 */
#include "base/realtime.h"

#include <sched.h>

static __thread unsigned depth;
static __thread bool is_realtime;

void spt_realtime_begin(void)
{
	const struct sched_param least = { .sched_priority = 1 };

	/* A thread with a policy of its own keeps it. */
	if (depth++ || sched_getscheduler(0) != SCHED_OTHER)
		return;
	is_realtime = sched_setscheduler(0, SCHED_RR, &least) == 0;
}

void spt_realtime_end(void)
{
	if (--depth || !is_realtime)
		return;
	sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
	is_realtime = false;
}

bool spt_realtime_is_there(void)
{
	struct sched_param has = { 0 };

	return sched_getscheduler(0) == SCHED_RR && sched_getparam(0, &has) == 0 &&
	       has.sched_priority == 1;
}

void spt_realtime_none(void)
{
	if (spt_realtime_is_there())
		sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });
}
