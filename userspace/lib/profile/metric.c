/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of metrics. */
#include "profile/metric.h"

#include <string.h>

#include "base/words.h"
#include "profile/allocations.h"
#include "profile/events.h"
#include "profile/latency.h"
#include "profile/waits.h"

/* A name that is reserved for a metric that this version cannot record. */
#define KEPT(name_, unit_, parts_, option_, value_)                                                \
	{                                                                                          \
		.name = (name_), .value = (value_), .option = (option_), .unit = SPT_UNIT_##unit_, \
		.parts = (parts_)                                                                  \
	}

static const SptMetric metrics[] = {
	{
		.name = "cpu",
		.title = SPT_WORDS("CPU Time"),
		.value = "CPU time",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT,
		.is_cpu = true,
		.source = &spt_weights_periods,
	},
	{
		.name = "delay",
		.title = SPT_WORDS("Late Ticks"),
		.value = "how late the clock's ticks came, as where interrupts were off",
		.option = "--source module",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT,
		.source = &spt_weights_delays,
	},
	{
		.name = "latency",
		.title = SPT_WORDS("Latency"),
		.value = "the time that passed, shared by the threads that ran",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_PARALLELISM,
		.source = &spt_weights_latency,
	},
	{
		.name = "wall",
		.title = SPT_WORDS("Wall Time"),
		.value = "running, and off the CPU",
		.option = "--waits",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_STATE,
		.source = &spt_weights_wall,
	},
	{
		.name = "off-cpu",
		.title = SPT_WORDS("Off the CPU"),
		.value = "blocked or runnable",
		.option = "--waits",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_STATE | SPT_METRIC_HAS_WAKER |
			 SPT_METRIC_HAS_FILE,
		.source = &spt_weights_off_cpu,
	},
	{
		.name = "blocked",
		.title = SPT_WORDS("Blocked"),
		.value = "waiting for something to happen",
		.option = "--waits",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_STATE | SPT_METRIC_HAS_WAKER |
			 SPT_METRIC_HAS_FILE,
		.source = &spt_weights_blocked,
	},
	{
		.name = "runnable",
		.title = SPT_WORDS("Runnable"),
		.value = "waiting for a CPU",
		.option = "--waits",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_STATE,
		.source = &spt_weights_runnable,
	},
	{
		.name = "irq",
		.title = SPT_WORDS("Interrupts"),
		.value = "handling interrupts",
		.option = "--interrupts",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT | SPT_METRIC_HAS_VECTOR,
		.source = &spt_weights_irq,
	},
	{
		.name = "softirq",
		.title = SPT_WORDS("Soft Interrupts"),
		.value = "handling soft interrupts",
		.option = "--interrupts",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT | SPT_METRIC_HAS_VECTOR,
		.source = &spt_weights_softirq,
	},
	{
		.name = "irqs-off",
		.title = SPT_WORDS("Interrupts Off"),
		.value = "stretches with interrupts off, where they ended",
		.option = "--interrupts",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT,
		.source = &spt_weights_irqs_off,
	},
	{
		.name = "preempt-off",
		.title = SPT_WORDS("Preemption Off"),
		.value = "stretches with preemption off, where they ended",
		.option = "--interrupts",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_CONTEXT,
		.source = &spt_weights_preempt_off,
	},
	{
		.name = "faults",
		.title = SPT_WORDS("Page Faults"),
		.value = "page faults",
		.option = "--faults",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_FAULT,
		.source = &spt_weights_faults,
	},
	{
		.name = "fault-time",
		.title = SPT_WORDS("Fault Time"),
		.value = "serving page faults, waits included",
		.option = "--faults",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_FAULT,
		.source = &spt_weights_fault_time,
	},
	{
		.name = "kmem",
		.title = SPT_WORDS("Kernel Memory"),
		.value = "memory that the kernel allocated by kmalloc() and from slab caches",
		.option = "--kmem",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE | SPT_METRIC_HAS_CACHE | SPT_METRIC_HAS_NODE,
		.source = &spt_weights_kmem,
	},
	{
		.name = "kmem-live",
		.title = SPT_WORDS("Live Kernel Memory"),
		.value = "of kmem, what was not freed until the end",
		.option = "--kmem",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE | SPT_METRIC_HAS_CACHE | SPT_METRIC_HAS_NODE,
		.source = &spt_weights_kmem_live,
	},
	{
		.name = "pages",
		.title = SPT_WORDS("Kernel Pages"),
		.value = "pages that the kernel's page allocator gave",
		.option = "--kmem",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE | SPT_METRIC_HAS_CACHE | SPT_METRIC_HAS_ORDER |
			 SPT_METRIC_HAS_NODE,
		.source = &spt_weights_pages,
	},
	{
		.name = "pages-live",
		.title = SPT_WORDS("Live Kernel Pages"),
		.value = "of pages, what was not freed until the end",
		.option = "--kmem",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE | SPT_METRIC_HAS_CACHE | SPT_METRIC_HAS_ORDER |
			 SPT_METRIC_HAS_NODE,
		.source = &spt_weights_pages_live,
	},
	{
		.name = "percpu",
		.title = SPT_WORDS("Kernel Memory per CPU"),
		.value = "memory that the kernel allocated for each of its CPUs",
		.option = "--kmem",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_percpu,
	},
	{
		.name = "percpu-live",
		.title = SPT_WORDS("Live Kernel Memory per CPU"),
		.value = "of percpu, what was not freed until the end",
		.option = "--kmem",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_percpu_live,
	},
	{
		.name = "vmalloc",
		.title = SPT_WORDS("Kernel Address Areas"),
		.value = "areas of addresses that vmalloc(), vmap() and ioremap() made",
		.option = "--kmem",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_vmalloc,
	},
	{
		.name = "vmalloc-live",
		.title = SPT_WORDS("Live Kernel Address Areas"),
		.value = "of vmalloc, what was not freed until the end",
		.option = "--kmem",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_vmalloc_live,
	},
	{
		.name = "stalls",
		.title = SPT_WORDS("Memory Stalls"),
		.value = "waiting in reclaim and compaction",
		.option = "--kmem",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_STALL,
		.source = &spt_weights_stalls,
	},
	{
		.name = "fragmentation",
		.title = SPT_WORDS("Fragmentation"),
		.value = "allocations that broke up pages of another mobility",
		.option = "--kmem",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_ORDER,
		.source = &spt_weights_fragmentation,
	},
	{
		.name = "io",
		.title = SPT_WORDS("Disk Time"),
		.value = "from issue to completion of block requests, where they were submitted",
		.option = "--io",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_DEVICE | SPT_METRIC_HAS_FILE,
		.source = &spt_weights_io,
	},
	{
		.name = "io-bytes",
		.title = SPT_WORDS("Disk Bytes"),
		.value = "bytes of block requests, where they were submitted",
		.option = "--io",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_DEVICE | SPT_METRIC_HAS_FILE,
		.source = &spt_weights_io_bytes,
	},
	{
		.name = "page-cache",
		.title = SPT_WORDS("Page Cache"),
		.value = "bytes of files that came into the page cache, where they were needed first",
		.option = "--io",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_DEVICE | SPT_METRIC_HAS_FILE,
		.source = &spt_weights_page_cache,
	},
	{
		.name = "lock",
		.title = SPT_WORDS("Locks"),
		.value = "waiting for locks of the kernel",
		.option = "--locks",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_LOCK,
		.source = &spt_weights_lock,
	},
	{
		.name = "lock-held",
		.title = SPT_WORDS("Locks, by Holder"),
		.value = "others waiting for locks, where their holders were",
		.option = "--locks",
		.unit = SPT_UNIT_NS,
		.parts = SPT_METRIC_HAS_CPU | SPT_METRIC_HAS_LOCK,
		.source = &spt_weights_lock_held,
	},
	{
		.name = "allocated",
		.title = SPT_WORDS("Allocated Memory"),
		.value = "memory that programs allocated",
		.option = "--memory",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_allocated,
	},
	{
		.name = "freed",
		.title = SPT_WORDS("Freed Memory"),
		.value = "memory that programs freed, where it was allocated",
		.option = "--memory",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_freed,
	},
	{
		.name = "freed-here",
		.title = SPT_WORDS("Memory Freed Here"),
		.value = "memory that programs freed, where it was freed",
		.option = "--memory --free-stacks",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_freed_here,
	},
	{
		.name = "live",
		.title = SPT_WORDS("Live Memory"),
		.value = "of what was allocated, what was not freed until the end",
		.option = "--memory",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_live,
	},
	{
		.name = "peak",
		.title = SPT_WORDS("Memory Peak"),
		.value = "memory in use when that was most",
		.option = "--memory",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_peak,
	},
	{
		.name = "temporary",
		.title = SPT_WORDS("Temporary Memory"),
		.value = "memory that was freed before its thread allocated again",
		.option = "--memory=all",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_temporary,
	},
	{
		.name = "allocations",
		.title = SPT_WORDS("Allocations"),
		.value = "calls that allocated memory",
		.option = "--memory",
		.unit = SPT_UNIT_EVENTS,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_allocations,
	},
	{
		.name = "mapped",
		.title = SPT_WORDS("Mapped Memory"),
		.value = "addresses that programs mapped, by mmap() and mremap()",
		.option = "--memory --mappings",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_mapped,
	},
	{
		.name = "mapped-live",
		.title = SPT_WORDS("Live Mappings"),
		.value = "of mapped, what was not unmapped until the end",
		.option = "--memory --mappings",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_mapped_live,
	},
	{
		.name = "mapped-peak",
		.title = SPT_WORDS("Peak of Mappings"),
		.value = "of mapped, what there was when that was most",
		.option = "--memory --mappings",
		.unit = SPT_UNIT_BYTES,
		.parts = SPT_METRIC_HAS_SIZE,
		.source = &spt_weights_mapped_peak,
	},
	KEPT("calls", EVENTS, SPT_METRIC_HAS_CPU, "--function", "calls of what was named"),
	KEPT("duration", NS, SPT_METRIC_HAS_CPU, "--function", "from a call to its return"),
};

const SptMetric *spt_metric(unsigned i)
{
	return i < G_N_ELEMENTS(metrics) ? &metrics[i] : NULL;
}

const SptMetric *spt_metric_find(const char *name)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(metrics); i++) {
		if (strcmp(metrics[i].name, name) == 0)
			return &metrics[i];
	}
	return NULL;
}

const char *spt_unit_name(SptUnit unit)
{
	static const char *const names[] = {
		[SPT_UNIT_NS] = "ns",
		[SPT_UNIT_BYTES] = "bytes",
		[SPT_UNIT_EVENTS] = "events",
	};

	return names[unit];
}

bool spt_metric_is_in(const SptMetric *metric, const SptCapture *capture)
{
	return metric->source && metric->source->is_in(capture);
}

bool spt_metric_check(const SptMetric *metric, const SptCapture *capture, GError **error)
{
	if (spt_metric_is_in(metric, capture))
		return true;
	if (metric->source && metric->option)
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY,
			      "%s has no metric \"%s\"; record with %s to have it",
			      capture->path, metric->name, metric->option);
	else
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY,
			      "%s has no metric \"%s\", and this version of Sysprof knows none%s%s",
			      capture->path, metric->name,
			      metric->option ? ": it is of record " : "",
			      metric->option ? metric->option : "");
	return false;
}

uint64_t spt_metric_worth(const SptMetric *metric, const SptCapture *capture)
{
	return metric->is_cpu ? spt_capture_period_ns(capture) : 1;
}
