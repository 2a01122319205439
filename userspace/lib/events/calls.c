/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of named functions: each function is a declared kind, and these are metrics of all. */
#include "base/words.h"
#include "events/event.h"

static const SptEventMetric metrics[] = {
	{
		.name = "calls",
		.title = SPT_WORDS("Calls of Functions"),
		.value = "calls of what was named",
		.flag = "--function",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_CPU,
		.is_computed = true,
	},
	{
		.name = "duration",
		.title = SPT_WORDS("Time in Calls"),
		.value = "from a call to its return, without recorded calls within it",
		.flag = "--function",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU,
		.is_computed = true,
	},
	{ 0 },
};

const SptEventKind spt_event_calls = {
	.name = "calls",
	.shape = SPT_EVENT_SPAN,
	.metrics = metrics,
};
