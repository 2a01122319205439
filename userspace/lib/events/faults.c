/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page faults: flags are SPT_FAULT_*, and the value is their time. */
#include "base/words.h"
#include "events/event.h"
#include "sysprof-event.h"

const SptEventOption spt_option_faults = {
	.name = "faults",
	.flag = "--faults",
	.key = "faults",
	.title = SPT_WORDS("Page Faults"),
	.note = SPT_WORDS("Which code causes them, and how long they take"),
	.help = "Also record page faults: major, minor and copy on write, and how long they took",
	.bit = 1u << 3,
};

static const SptEventField fields[] = {
	{ "context", SPT_EVENT_CONTEXT },
	{ "serving", SPT_EVENT_VALUE },
	{ "flags", SPT_EVENT_FLAGS },
	{ 0 },
};

static const SptEventRequest request = {
	.has_stacks = true,
};

static const SptEventMetric metrics[] = {
	{
		.name = "faults",
		.title = SPT_WORDS("Page Faults"),
		.value = "page faults",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_FAULT,
	},
	{
		.name = "fault-time",
		.title = SPT_WORDS("Fault Time"),
		.value = "serving page faults, waits included",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_FAULT,
		.weight = SPT_EVENT_VALUE,
		.without = SPT_WORDS("how long a page fault took needs trace points, which could not "
				     "be read; doctor says how; --metric faults counts them"),
	},
	{ 0 },
};

const SptEventKind spt_event_faults = {
	.name = "faults",
	.number = SYSPROF_SOURCE_FAULT,
	.shape = SPT_EVENT_SPAN,
	.detail = SPT_EVENT_FLAGS,
	.fields = fields,
	.option = &spt_option_faults,
	.request = &request,
	.metrics = metrics,
};
