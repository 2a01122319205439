/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of named functions: their metrics' names are reserved, and nothing records them yet. */
#include "events/event.h"

static const SptEventMetric metrics[] = {
	{
		.name = "calls",
		.value = "calls of what was named",
		.flag = "--function",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_CPU,
		.is_computed = true,
	},
	{
		.name = "duration",
		.value = "from a call to its return",
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
