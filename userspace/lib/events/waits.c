/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads off their CPUs: waits, who ended them, and who ran where. */
#include "base/words.h"
#include "events/event.h"
#include "sysprof-event.h"

const SptEventOption spt_option_waits = {
	.name = "waits",
	.flag = "--waits",
	.key = "waits",
	.title = SPT_WORDS("Waits"),
	.note = SPT_WORDS("Where threads do not run, and who wakes them"),
};

static const SptEventMetric metrics[] = {
	{
		.name = "wall",
		.title = SPT_WORDS("Wall Time"),
		.value = "running, and off the CPU",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_STATE,
		.is_computed = true,
	},
	{
		.name = "off-cpu",
		.title = SPT_WORDS("Off the CPU"),
		.value = "blocked or runnable",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_STATE | SPT_METRIC_HAS_WAKER |
			 SPT_METRIC_HAS_FILE | SPT_METRIC_HAS_LOCK,
		.is_computed = true,
	},
	{
		.name = "blocked",
		.title = SPT_WORDS("Blocked"),
		.value = "waiting for something to happen",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_STATE | SPT_METRIC_HAS_WAKER |
			 SPT_METRIC_HAS_FILE | SPT_METRIC_HAS_LOCK,
		.is_computed = true,
	},
	{
		.name = "runnable",
		.title = SPT_WORDS("Runnable"),
		.value = "waiting for a CPU",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_STATE,
		.is_computed = true,
	},
	{ 0 },
};

static const SptEventRequest waits = {
	.has_stacks = true,
	.has_wakers = true,
	.grid = SPT_GRID_OF_WAITS,
};

const SptEventKind spt_event_waits = {
	.name = "waits",
	.number = SYSPROF_SOURCE_WAIT,
	.shape = SPT_EVENT_SPAN,
	.option = &spt_option_waits,
	.request = &waits,
	.metrics = metrics,
};

/* Comes with the stacks of wakers. */
const SptEventKind spt_event_wakings = {
	.name = "wakings",
	.number = SYSPROF_SOURCE_WAKE,
	.shape = SPT_EVENT_INSTANT,
	.option = &spt_option_waits,
};

static const SptEventRequest lanes = {
	.is_optional = true,
};

const SptEventKind spt_event_lanes = {
	.name = "lanes",
	.number = SYSPROF_SOURCE_LANE,
	.shape = SPT_EVENT_SWITCH,
	.option = &spt_option_waits,
	.request = &lanes,
};
