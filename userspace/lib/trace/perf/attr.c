/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The period is fixed, and times are CLOCK_MONOTONIC, as everywhere.  Idle ticks are excluded: not
 * every machine delivers them, so they could not be relied on.
 */
#include "trace/perf/attr.h"

#include <time.h>

void spt_perf_attr_of_event(struct perf_event_attr *ret, const struct spt_perf_event *event,
			    const struct spt_perf_view *view)
{
	bool is_of_thread = event->thread >= 0;
	bool is_wanted = event->part == SPT_PERF_TICKS ||
			 (event->part == SPT_PERF_WHOLE && view->is_wanted);
	bool tells_tasks = event->part != SPT_PERF_TICKS;

	*ret = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*ret),
		.config = is_wanted ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_SW_DUMMY,
		.sample_period = is_wanted ? event->period_ns : 0,
		.sample_type = SPT_PERF_SAMPLE_TYPE |
			       (view->has_raw ? SPT_PERF_RAW_SAMPLE_TYPE : 0),
		.sample_regs_user = view->has_raw ? view->registers : 0,
		.sample_stack_user = event->copy_bytes,
		.disabled = 1,
		.exclude_idle = 1,
		.inherit = is_of_thread,
		.exclude_kernel = view->only_user || event->only_user,
		.exclude_user = view->only_kernel,
		.exclude_callchain_user = view->no_user,
		.mmap = tells_tasks,
		.mmap2 = tells_tasks,
		.comm = tells_tasks,
		.comm_exec = tells_tasks,
		/* Events of a thread; those of a CPU have a ring of their own. */
		.context_switch = is_of_thread && view->tells_switches,
		.task = tells_tasks,
		.ksymbol = tells_tasks && !is_of_thread,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = event->watermark_bytes,
	};
}

void spt_perf_attr_of_switches(struct perf_event_attr *ret, const struct spt_perf_switches *event,
			       uint64_t registers)
{
	uint64_t software = event->is_switches ? PERF_COUNT_SW_DUMMY :
						 PERF_COUNT_SW_CONTEXT_SWITCHES;

	*ret = (struct perf_event_attr){
		.type = event->point ? PERF_TYPE_TRACEPOINT : PERF_TYPE_SOFTWARE,
		.size = sizeof(*ret),
		.config = event->point ? event->point : software,
		.sample_period = event->is_switches ? 0 : 1,
		.sample_type = SPT_PERF_SAMPLE_TYPE | PERF_SAMPLE_RAW |
			       (event->copy_bytes ? SPT_PERF_RAW_SAMPLE_TYPE : 0),
		.sample_regs_user = event->copy_bytes ? registers : 0,
		.sample_stack_user = event->copy_bytes,
		.disabled = 1,
		.inherit = event->thread >= 0,
		.context_switch = event->is_switches,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = event->watermark_bytes,
	};
}
