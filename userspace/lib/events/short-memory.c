/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes of short memory: stalls, and blocks of pages that are broken up. */
#include "base/words.h"
#include "events/event.h"
#include "sysprof-event.h"

#define STALLS_PERIOD_NS 1000000

static const SptEventField fields[] = {
	{ "context", SPT_EVENT_CONTEXT },
	{ 0 },
};

static const SptEventGrouping by_stall = {
	.name = "stall",
	.menu = SPT_WORDS("By Stall _Kind"),
	.root = SPT_WORDS("(stall)"),
};

static const char *const stall_names[] = {
	[SYSPROF_STALL_RECLAIM] = "reclaim",
	[SYSPROF_STALL_GROUP] = "reclaim in a cgroup",
	[SYSPROF_STALL_COMPACTION] = "compaction",
};

static const SptEventSubject stall = {
	.part = SYSPROF_PART_STALL,
	.names = stall_names,
	.n_names = G_N_ELEMENTS(stall_names),
	.grouping = &by_stall,
};

static const SptEventRequest stalls = {
	.has_stacks = true,
	.is_optional = true,
	.period = STALLS_PERIOD_NS,
	.part = "stalls",
};

static const SptEventMetric stalls_metrics[] = {
	{
		.name = "stalls",
		.title = SPT_WORDS("Memory Stalls"),
		.value = "waiting in reclaim and compaction",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU,
	},
	{ 0 },
};

const SptEventKind spt_event_stalls = {
	.name = "stalls",
	.number = SYSPROF_SOURCE_STALL,
	.shape = SPT_EVENT_SPAN,
	.detail = SPT_EVENT_CONTEXT,
	.fields = fields,
	.option = &spt_option_kmem,
	.request = &stalls,
	.metrics = stalls_metrics,
	.subject = &stall,
};

static const SptEventSubject order = {
	.part = SYSPROF_PART_FRAGMENT,
	.prefix = "order ",
};

static const SptEventRequest fragmentation = {
	.has_stacks = true,
	.is_optional = true,
	.part = "fragmentation",
};

static const SptEventMetric fragmentation_metrics[] = {
	{
		.name = "fragmentation",
		.title = SPT_WORDS("Fragmentation"),
		.value = "allocations that broke up pages of another mobility",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_ORDER,
	},
	{ 0 },
};

const SptEventKind spt_event_fragmentation = {
	.name = "fragmentation",
	.number = SYSPROF_SOURCE_FRAGMENT,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.fields = fields,
	.option = &spt_option_kmem,
	.request = &fragmentation,
	.metrics = fragmentation_metrics,
	.subject = &order,
};
