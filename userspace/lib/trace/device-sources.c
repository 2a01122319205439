// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event sources that are requested of the module's device, and reasons why it cannot have them.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/words.h"
#include "sysprof-event.h"
#include "trace/device-sources.h"

#define INTERRUPTS_PERIOD_NS 1000000ULL
#define LOCKS_PERIOD_NS 1000000ULL
#define STALLS_PERIOD_NS 1000000ULL
#define IRQS_OFF_THRESHOLD_NS 100000ULL
#define PAGE_CACHE_PERIOD_BYTES 65536ULL

/* Sources that not every kernel has: without them a recording has the others. */
static unsigned list_more_memory(const SptTraceConfig *config, struct sysprof_source *list,
				 unsigned n)
{
	const struct sysprof_source more[] = {
		{ .kind = SYSPROF_SOURCE_PERCPU, .period = config->kmem_bytes },
		{ .kind = SYSPROF_SOURCE_PERCPU_FREE },
		{ .kind = SYSPROF_SOURCE_VMALLOC, .period = config->kmem_bytes },
		{ .kind = SYSPROF_SOURCE_VMALLOC_FREE },
		{ .kind = SYSPROF_SOURCE_STALL, .period = STALLS_PERIOD_NS },
		{ .kind = SYSPROF_SOURCE_FRAGMENT },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(more); i++) {
		list[n] = more[i];
		list[n].flags = SYSPROF_SOURCE_OPTIONAL;
		if (more[i].kind != SYSPROF_SOURCE_PERCPU_FREE &&
		    more[i].kind != SYSPROF_SOURCE_VMALLOC_FREE)
			list[n].stacks = SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER;
		n++;
	}
	return n;
}

/* Requests to sources: waits with their wakers, and who ran where; handlers. */
static unsigned list_sources(const SptTraceConfig *config, struct sysprof_source *list)
{
	const uint32_t stacks = SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER;
	unsigned n = 0;

	if (config->waits.is_on) {
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_WAIT,
						     .stacks = stacks | SYSPROF_STACKS_WAKER,
						     .period = config->waits.period_ns,
						     .threshold = config->waits.threshold_ns };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_LANE,
						     .flags = SYSPROF_SOURCE_OPTIONAL };
	}
	if (config->kernel & SPT_TRACE_INTERRUPTS) {
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_IRQ,
						     .stacks = stacks,
						     .period = INTERRUPTS_PERIOD_NS };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_SOFTIRQ,
						     .stacks = stacks,
						     .period = INTERRUPTS_PERIOD_NS };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_IRQS_OFF,
						     .flags = SYSPROF_SOURCE_OPTIONAL,
						     .stacks = stacks,
						     .threshold = IRQS_OFF_THRESHOLD_NS };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_PREEMPT_OFF,
						     .flags = SYSPROF_SOURCE_OPTIONAL,
						     .stacks = stacks,
						     .threshold = IRQS_OFF_THRESHOLD_NS };
	}
	if (config->kernel & SPT_TRACE_LOCKS) {
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_LOCK,
						     .stacks = stacks,
						     .period = LOCKS_PERIOD_NS };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_HOLD,
						     .flags = SYSPROF_SOURCE_OPTIONAL,
						     .stacks = stacks,
						     .period = LOCKS_PERIOD_NS };
	}
	if (config->kernel & SPT_TRACE_FAULTS)
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_FAULT,
						     .stacks = stacks };
	if (config->kernel & SPT_TRACE_KMEM) {
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_SLAB,
						     .stacks = stacks,
						     .period = config->kmem_bytes };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_SLAB_FREE };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_PAGE,
						     .stacks = stacks,
						     .period = config->kmem_bytes };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_PAGE_FREE };
		n = list_more_memory(config, list, n);
	}
	if (config->kernel & SPT_TRACE_BLOCK) {
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_BLOCK,
						     .stacks = stacks };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_BLOCK_DONE };
		list[n++] = (struct sysprof_source){ .kind = SYSPROF_SOURCE_PAGE_CACHE,
						     .flags = SYSPROF_SOURCE_OPTIONAL,
						     .stacks = stacks,
						     .period = PAGE_CACHE_PERIOD_BYTES };
	}
	for (unsigned i = 0; i < n && config->kernel_is_optional; i++)
		if (list[i].kind != SYSPROF_SOURCE_WAIT)
			list[i].flags |= SYSPROF_SOURCE_OPTIONAL;
	return n;
}

/* The option of record that requests sources of @kind. */
static const char *option_of(unsigned kind)
{
	switch (kind) {
	case SYSPROF_SOURCE_IRQ:
	case SYSPROF_SOURCE_SOFTIRQ:
	case SYSPROF_SOURCE_IRQS_OFF:
	case SYSPROF_SOURCE_PREEMPT_OFF:
		return "--interrupts";
	case SYSPROF_SOURCE_SLAB:
	case SYSPROF_SOURCE_SLAB_FREE:
	case SYSPROF_SOURCE_PAGE:
	case SYSPROF_SOURCE_PAGE_FREE:
	case SYSPROF_SOURCE_PERCPU:
	case SYSPROF_SOURCE_PERCPU_FREE:
	case SYSPROF_SOURCE_VMALLOC:
	case SYSPROF_SOURCE_VMALLOC_FREE:
	case SYSPROF_SOURCE_STALL:
	case SYSPROF_SOURCE_FRAGMENT:
		return "--kmem";
	case SYSPROF_SOURCE_FAULT:
		return "--faults";
	case SYSPROF_SOURCE_BLOCK:
	case SYSPROF_SOURCE_BLOCK_DONE:
	case SYSPROF_SOURCE_PAGE_CACHE:
		return "--io";
	case SYSPROF_SOURCE_LOCK:
	case SYSPROF_SOURCE_HOLD:
		return "--locks";
	default:
		return "--waits";
	}
}

/* The kernel's feature that is missing for sources of @kind, by the module's report. */
static void find_missing(int fd, unsigned kind, char *ret, size_t bytes)
{
	struct sysprof_source_info list[SYSPROF_SOURCES_MAX] = { { 0 } };
	struct sysprof_source_infos infos = {
		.size = sizeof(infos),
		.nr = G_N_ELEMENTS(list),
		.info_bytes = sizeof(list[0]),
		.infos = (uintptr_t)list,
	};

	g_strlcpy(ret, "?", bytes);
	if (ioctl(fd, SYSPROF_IOC_SOURCE_INFO, &infos))
		return;
	for (unsigned i = 0; i < MIN(infos.nr, G_N_ELEMENTS(list)); i++)
		if (list[i].kind == kind && *list[i].missing)
			g_strlcpy(ret, list[i].missing, MIN(bytes, sizeof(list[i].missing)));
}

static void set_error(int fd, const struct sysprof_source *list, unsigned n, GError **error)
{
	char missing[sizeof(((struct sysprof_source_info *)NULL)->missing)];
	int number = errno;

	for (unsigned i = 0; i < n; i++) {
		if (!list[i].error || list[i].flags & SYSPROF_SOURCE_OPTIONAL)
			continue;
		if (list[i].why == SYSPROF_WHY_UNKNOWN) {
			spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
				      "The loaded module cannot record %s; load the module of this release",
				      option_of(list[i].kind));
			return;
		} else if (list[i].why == SYSPROF_WHY_NO_TRACEPOINT) {
			find_missing(fd, list[i].kind, missing, sizeof(missing));
			spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
				      "This kernel has no trace point %s, which %s needs; record without it",
				      missing, option_of(list[i].kind));
			return;
		}
	}
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "%s: cannot record events: %s", SYSPROF_DEVICE, g_strerror(number));
}

/* The part of the option's records; NULL: all of them. */
static const char *part_of(unsigned kind)
{
	switch (kind) {
	case SYSPROF_SOURCE_IRQS_OFF:
		return "stretches with interrupts off";
	case SYSPROF_SOURCE_PREEMPT_OFF:
		return "stretches with preemption off";
	case SYSPROF_SOURCE_PAGE_CACHE:
		return "page cache";
	case SYSPROF_SOURCE_HOLD:
		return "stacks of holders";
	case SYSPROF_SOURCE_PERCPU:
		return "memory per CPU";
	case SYSPROF_SOURCE_VMALLOC:
		return "areas of vmalloc()";
	case SYSPROF_SOURCE_STALL:
		return "stalls";
	case SYSPROF_SOURCE_FRAGMENT:
		return "fragmentation";
	default:
		return NULL;
	}
}

static void append_missing_part(GString *text, const char *separator, unsigned kind,
				const char *missing)
{
	g_string_append_printf(text, "%s%s records no %s: this kernel has no trace point %s",
			       text->len ? separator : "", option_of(kind), part_of(kind), missing);
}

char *spt_device_sees_in_part(int fd)
{
	char missing[sizeof(((struct sysprof_source_info *)NULL)->missing)];
	GString *text = g_string_new(NULL);

	find_missing(fd, SYSPROF_SOURCE_IRQS_OFF, missing, sizeof(missing));
	if (*missing != '?')
		g_string_append_printf(
			text, "--interrupts sees a stretch with interrupts off if a tick is due in "
			      "it: this kernel has no trace point %s, with which each is seen",
			missing);
	find_missing(fd, SYSPROF_SOURCE_PREEMPT_OFF, missing, sizeof(missing));
	if (*missing != '?')
		append_missing_part(text, ".  ", SYSPROF_SOURCE_PREEMPT_OFF, missing);
	return g_string_free(text, text->len == 0);
}

/* Ends are missing where the begins are; what few kernels have is no loss, and doctor names it. */
static bool is_left_out_silently(unsigned kind)
{
	return kind == SYSPROF_SOURCE_PERCPU_FREE || kind == SYSPROF_SOURCE_VMALLOC_FREE ||
	       kind == SYSPROF_SOURCE_PREEMPT_OFF;
}

static char *describe_left_out(int fd, const struct sysprof_source *list, unsigned n)
{
	char missing[sizeof(((struct sysprof_source_info *)NULL)->missing)];
	GString *text = g_string_new(NULL);
	const char *option, *last = "";

	for (unsigned i = 0; i < n; i++) {
		option = option_of(list[i].kind);
		if (list[i].why != SYSPROF_WHY_NO_TRACEPOINT ||
		    is_left_out_silently(list[i].kind) || strcmp(option, last) == 0)
			continue;
		find_missing(fd, list[i].kind, missing, sizeof(missing));
		if (part_of(list[i].kind)) {
			append_missing_part(text, "; ", list[i].kind, missing);
			continue;
		}
		g_string_append_printf(text, "%s%s records nothing: this kernel has no trace point %s",
				       text->len ? "; " : "", option, missing);
		last = option;
	}
	return g_string_free(text, text->len == 0);
}

bool spt_device_set_sources(int fd, const struct sysprof_info *info, const SptTraceConfig *config,
			    SptTraceEvents *events, char **ret_left_out, GError **error)
{
	struct sysprof_source list[SYSPROF_SOURCES_MAX] = { { 0 } };
	unsigned n = list_sources(config, list);
	struct sysprof_sources sources = {
		.size = sizeof(sources),
		.nr = n,
		.source_bytes = sizeof(list[0]),
		.sources = (uintptr_t)list,
	};

	*ret_left_out = NULL;
	if (!(info->features & SYSPROF_FEATURE_SOURCES)) {
		if (!n)
			return true;
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
			      "The loaded module cannot record waits or interrupts (--waits); load "
			      "the module of this release, or use --source perf");
		return false;
	}
	if (ioctl(fd, SYSPROF_IOC_SOURCES, &sources)) {
		set_error(fd, list, n, error);
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		if (!list[i].error)
			events[list[i].id] =
				(SptTraceEvents){ .kind = list[i].kind, .period = list[i].period };
	*ret_left_out = describe_left_out(fd, list, n);
	events[n + 1] = (SptTraceEvents){ .kind = SYSPROF_SOURCE_WAKE };
	return true;
}
