/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that the kernel allocates.  Each layer has a kind, and one for its frees. */
#include "base/words.h"
#include "events/event.h"
#include "sysprof-event.h"

const SptEventOption spt_option_kmem = {
	.name = "kmem",
	.flag = "--kmem",
	.key = "kernel-memory",
	.title = SPT_WORDS("Kernel Memory"),
	.note = SPT_WORDS("What the kernel allocates, and what it does not free"),
	.bit = 1u << 4,
};

/* Frees end what an allocation began. */
static const SptEventRequest frees = { 0 };

static const SptEventRequest optional_frees = {
	.is_optional = true,
	.is_rare = true,
};

static const SptEventRequest layers = {
	.has_stacks = true,
	.grid = SPT_GRID_OF_KMEM,
};

static const SptEventMetric slab_metrics[] = {
	{
		.name = "kmem",
		.title = SPT_WORDS("Kernel Memory"),
		.value = "memory that the kernel allocated by kmalloc() and from slab caches",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE | SPT_METRIC_HAS_CACHE | SPT_METRIC_HAS_NODE,
		.is_computed = true,
	},
	{
		.name = "kmem-live",
		.title = SPT_WORDS("Live Kernel Memory"),
		.value = "of kmem, what was not freed until the end",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE | SPT_METRIC_HAS_CACHE | SPT_METRIC_HAS_NODE,
		.is_computed = true,
	},
	{ 0 },
};

const SptEventKind spt_event_slab = {
	.name = "kmem",
	.number = SYSPROF_SOURCE_SLAB,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_kmem,
	.request = &layers,
	.metrics = slab_metrics,
};

const SptEventKind spt_event_slab_free = {
	.name = "kmem-freed",
	.number = SYSPROF_SOURCE_SLAB_FREE,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_kmem,
	.request = &frees,
};

static const SptEventMetric pages_metrics[] = {
	{
		.name = "pages",
		.title = SPT_WORDS("Kernel Pages"),
		.value = "pages that the kernel's page allocator gave",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE | SPT_METRIC_HAS_CACHE | SPT_METRIC_HAS_ORDER |
			 SPT_METRIC_HAS_NODE,
		.is_computed = true,
	},
	{
		.name = "pages-live",
		.title = SPT_WORDS("Live Kernel Pages"),
		.value = "of pages, what was not freed until the end",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE | SPT_METRIC_HAS_CACHE | SPT_METRIC_HAS_ORDER |
			 SPT_METRIC_HAS_NODE,
		.is_computed = true,
	},
	{ 0 },
};

const SptEventKind spt_event_pages = {
	.name = "pages",
	.number = SYSPROF_SOURCE_PAGE,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_kmem,
	.request = &layers,
	.metrics = pages_metrics,
};

const SptEventKind spt_event_pages_free = {
	.name = "pages-freed",
	.number = SYSPROF_SOURCE_PAGE_FREE,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_kmem,
	.request = &frees,
};

static const SptEventRequest percpu = {
	.has_stacks = true,
	.is_optional = true,
	.grid = SPT_GRID_OF_KMEM,
	.part = "memory per CPU",
};

static const SptEventMetric percpu_metrics[] = {
	{
		.name = "percpu",
		.title = SPT_WORDS("Kernel Memory per CPU"),
		.value = "memory that the kernel allocated for each of its CPUs",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "percpu-live",
		.title = SPT_WORDS("Live Kernel Memory per CPU"),
		.value = "of percpu, what was not freed until the end",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{ 0 },
};

const SptEventKind spt_event_percpu = {
	.name = "percpu",
	.number = SYSPROF_SOURCE_PERCPU,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_kmem,
	.request = &percpu,
	.metrics = percpu_metrics,
};

const SptEventKind spt_event_percpu_free = {
	.name = "percpu-freed",
	.number = SYSPROF_SOURCE_PERCPU_FREE,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_kmem,
	.request = &optional_frees,
};

static const SptEventRequest vmalloc = {
	.has_stacks = true,
	.is_optional = true,
	.grid = SPT_GRID_OF_KMEM,
	.part = "areas of vmalloc()",
};

static const SptEventMetric vmalloc_metrics[] = {
	{
		.name = "vmalloc",
		.title = SPT_WORDS("Kernel Address Areas"),
		.value = "areas of addresses that vmalloc(), vmap() and ioremap() made",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{
		.name = "vmalloc-live",
		.title = SPT_WORDS("Live Kernel Address Areas"),
		.value = "of vmalloc, what was not freed until the end",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.is_computed = true,
	},
	{ 0 },
};

const SptEventKind spt_event_vmalloc = {
	.name = "vmalloc",
	.number = SYSPROF_SOURCE_VMALLOC,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_kmem,
	.request = &vmalloc,
	.metrics = vmalloc_metrics,
};

const SptEventKind spt_event_vmalloc_free = {
	.name = "vmalloc-freed",
	.number = SYSPROF_SOURCE_VMALLOC_FREE,
	.shape = SPT_EVENT_INSTANT,
	.detail = SPT_EVENT_CONTEXT,
	.option = &spt_option_kmem,
	.request = &optional_frees,
};
