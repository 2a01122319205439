/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for locks of the kernel, and the stacks of who held them. */
#include "base/words.h"
#include "events/event.h"
#include "sysprof-event.h"

#define PERIOD_NS 1000000

const SptEventOption spt_option_locks = {
	.name = "locks",
	.flag = "--locks",
	.key = "locks",
	.title = SPT_WORDS("Locks of the Kernel"),
	.note = SPT_WORDS("Who waits for a lock, and who holds it"),
	.help = "Also record waits for locks of the kernel, and who held them",
	.bit = 1u << 1,
};

static const SptEventField fields[] = {
	{ "context", SPT_EVENT_CONTEXT },
	{ "holder", SPT_EVENT_HOLDER },
	{ "holder's stack", SPT_EVENT_HOLDER_NODE },
	{ 0 },
};

static const SptEventRequest waits = {
	.has_stacks = true,
	.period = PERIOD_NS,
};

static const SptEventMetric metrics[] = {
	{
		.name = "lock",
		.title = SPT_WORDS("Locks"),
		.value = "waiting for locks of the kernel",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_LOCK | SPT_METRIC_HAS_HOLDER,
	},
	{
		.name = "lock-held",
		.title = SPT_WORDS("Locks, by Holder"),
		.value = "others waiting for locks, where their holders were",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_LOCK | SPT_METRIC_HAS_HOLDER,
		.by_holder = true,
	},
	{ 0 },
};

const SptEventKind spt_event_locks = {
	.name = "locks",
	.number = SYSPROF_SOURCE_LOCK,
	.shape = SPT_EVENT_SPAN,
	.detail = SPT_EVENT_HOLDER,
	.fields = fields,
	.option = &spt_option_locks,
	.request = &waits,
	.metrics = metrics,
	.holders = &spt_event_holders,
};

static const SptEventRequest holders = {
	.has_stacks = true,
	.is_optional = true,
	.period = PERIOD_NS,
	.part = "stacks of holders",
};

const SptEventKind spt_event_holders = {
	.name = "holders",
	.number = SYSPROF_SOURCE_HOLD,
	.shape = SPT_EVENT_SPAN,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_locks,
	.request = &holders,
};
