/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ticks of the sampling clock, which every recording has. */
#include "base/words.h"
#include "events/event.h"

static const SptEventMetric metrics[] = {
	{
		.name = "cpu",
		.title = SPT_WORDS("CPU Time"),
		.value = "CPU time",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT,
		.is_computed = true,
	},
	{
		.name = "delay",
		.title = SPT_WORDS("Late Ticks"),
		.value = "how late the clock's ticks came, as where interrupts were off",
		.flag = "--source module",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT,
		.is_computed = true,
	},
	{
		.name = "latency",
		.title = SPT_WORDS("Latency"),
		.value = "the time that passed, shared by the threads that ran",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_PARALLELISM,
		.is_computed = true,
	},
	{ 0 },
};

const SptEventKind spt_event_clock = {
	.name = "samples",
	.shape = SPT_EVENT_INSTANT,
	.metrics = metrics,
};
