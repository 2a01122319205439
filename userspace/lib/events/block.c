/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests to disks, and pages of files that come into the page cache. */
#include "base/words.h"
#include "events/event.h"
#include "sysprof-event.h"

#define PAGE_CACHE_PERIOD_BYTES 65536

const SptEventOption spt_option_block = {
	.name = "io",
	.flag = "--io",
	.key = "disk",
	.title = SPT_WORDS("Disk"),
	.note = SPT_WORDS("Who submits requests to disks, and for which file"),
	.help = "Also record requests to disks: who submitted them, for which file, and how long they took",
	.bit = 1u << 2,
};

static const SptEventRequest requests = {
	.has_stacks = true,
};

static const SptEventRequest requests_done = { 0 };

const SptEventKind spt_event_block = {
	.name = "requests",
	.number = SYSPROF_SOURCE_BLOCK,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_block,
	.request = &requests,
};

static const SptEventField done_fields[] = {
	{ "context", SPT_EVENT_CONTEXT },
	{ "bytes", SPT_EVENT_VALUE },
	{ "depth", SPT_EVENT_DEPTH },
	{ 0 },
};

static const SptEventMetric done_metrics[] = {
	{
		.name = "io",
		.title = SPT_WORDS("Disk Time"),
		.value = "from issue to completion of block requests, where they were submitted",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_DEVICE | SPT_METRIC_HAS_FILE,
	},
	{
		.name = "io-bytes",
		.title = SPT_WORDS("Disk Bytes"),
		.value = "bytes of block requests, where they were submitted",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_DEVICE | SPT_METRIC_HAS_FILE,
		.weight = SPT_EVENT_VALUE,
	},
	{ 0 },
};

const SptEventKind spt_event_block_done = {
	.name = "requests-done",
	.number = SYSPROF_SOURCE_BLOCK_DONE,
	.shape = SPT_EVENT_SPAN,
	.detail = SPT_EVENT_DEPTH,
	.fields = done_fields,
	.option = &spt_option_block,
	.request = &requests_done,
	.metrics = done_metrics,
};

static const SptEventField page_cache_fields[] = {
	{ "context", SPT_EVENT_CONTEXT },
	{ 0 },
};

static const SptEventRequest page_cache = {
	.has_stacks = true,
	.is_optional = true,
	.period = PAGE_CACHE_PERIOD_BYTES,
	.part = "page cache",
};

static const SptEventMetric page_cache_metrics[] = {
	{
		.name = "page-cache",
		.title = SPT_WORDS("Page Cache"),
		.value = "bytes of files that came into the page cache, where they were needed first",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_DEVICE | SPT_METRIC_HAS_FILE,
	},
	{ 0 },
};

const SptEventKind spt_event_page_cache = {
	.name = "page-cache",
	.number = SYSPROF_SOURCE_PAGE_CACHE,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.fields = page_cache_fields,
	.option = &spt_option_block,
	.request = &page_cache,
	.metrics = page_cache_metrics,
};
