/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs allocate, by a library that is loaded into them. */
#include "base/words.h"
#include "events/event.h"

const SptEventOption spt_option_memory = {
	.name = "memory",
	.flag = "--memory",
	.key = "memory",
	.title = SPT_WORDS("Memory of the Command"),
	.note = SPT_WORDS("What it allocates and frees, each call with its stack"),
	.of_command = true,
};

static const SptEventMetric metrics[] = {
	{
		.name = "allocated",
		.title = SPT_WORDS("Allocated Memory"),
		.value = "memory that programs allocated",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "freed",
		.title = SPT_WORDS("Freed Memory"),
		.value = "memory that programs freed, where it was allocated",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "freed-here",
		.title = SPT_WORDS("Memory Freed Here"),
		.value = "memory that programs freed, where it was freed",
		.flag = "--memory --free-stacks",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "live",
		.title = SPT_WORDS("Live Memory"),
		.value = "of what was allocated, what was not freed until the end",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "peak",
		.title = SPT_WORDS("Memory Peak"),
		.value = "memory in use when that was most",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "temporary",
		.title = SPT_WORDS("Temporary Memory"),
		.value = "memory that was freed before its thread allocated again",
		.flag = "--memory=all",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "allocations",
		.title = SPT_WORDS("Allocations"),
		.value = "calls that allocated memory",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "mapped",
		.title = SPT_WORDS("Mapped Memory"),
		.value = "addresses that programs mapped, by mmap() and mremap()",
		.flag = "--memory --mappings",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "mapped-live",
		.title = SPT_WORDS("Live Mappings"),
		.value = "of mapped, what was not unmapped until the end",
		.flag = "--memory --mappings",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "mapped-peak",
		.title = SPT_WORDS("Peak of Mappings"),
		.value = "of mapped, what there was when that was most",
		.flag = "--memory --mappings",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{ 0 },
};

const SptEventKind spt_event_memory = {
	.name = "allocations",
	.shape = SPT_EVENT_SPAN,
	.option = &spt_option_memory,
	.metrics = metrics,
};
