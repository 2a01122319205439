// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The event sources that are requested of the module's device, and reasons why it cannot have them.
 */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/words.h"
#include "events/event.h"
#include "sysprof-event.h"
#include "sysprof-named.h"
#include "trace/device-sources.h"
#include "trace/sources-module.h"

/* @kind's request, as the recording wants it. */
static struct sysprof_source request_of(const SptTraceConfig *config, const SptEventKind *kind)
{
	const SptEventRequest *request = kind->request;
	const bool is_waits = request->grid == SPT_GRID_OF_WAITS;
	struct sysprof_source source = {
		.kind = kind->number,
		.period = is_waits			   ? config->waits.period_ns :
			  request->grid == SPT_GRID_OF_KMEM ? config->kmem_bytes :
							     request->period,
		.threshold = is_waits ? config->waits.threshold_ns : request->threshold,
	};

	if (request->has_stacks)
		source.stacks = SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER;
	if (request->has_wakers)
		source.stacks |= SYSPROF_STACKS_WAKER;
	if (request->is_optional || (config->kernel_is_optional && !is_waits))
		source.flags = SYSPROF_SOURCE_OPTIONAL;
	return source;
}

static bool is_requested(const SptTraceConfig *config, const SptEventOption *option)
{
	return option->bit ? config->kernel & option->bit :
			     option == &spt_option_waits && config->waits.is_on;
}

/* How many points the module is to report. */
static unsigned n_points(const SptTraceConfig *config)
{
	return config->points && config->point_sources ? config->points->len : 0;
}

static unsigned list_sources(const SptTraceConfig *config, struct sysprof_source *list)
{
	const SptEventOption *option;
	const SptEventKind *kind;
	unsigned n = 0;

	for (unsigned i = 0; (option = spt_event_option(i)); i++) {
		if (!is_requested(config, option))
			continue;
		for (unsigned k = 0; (kind = spt_event_kind(k)); k++)
			if (kind->option == option && kind->request && n < SYSPROF_SOURCES_MAX)
				list[n++] = request_of(config, kind);
	}
	for (unsigned i = 0; i < n_points(config) && n < SYSPROF_SOURCES_MAX; i++)
		/* With the longest period the module counts them, and reports next to none. */
		list[n++] = (struct sysprof_source){
			.kind = config->point_sources[i],
			.stacks = SYSPROF_STACKS_KERNEL | SYSPROF_STACKS_USER,
			.period = config->only_counts_points ? UINT32_MAX : 0,
		};
	return n;
}

/* The place of the point that @kind reports among those of the recording, plus 1; 0: none. */
static unsigned find_point(const SptTraceConfig *config, unsigned kind)
{
	for (unsigned i = 0; i < n_points(config); i++)
		if (config->point_sources[i] == kind)
			return i + 1;
	return 0;
}

/* The option of record that requests sources of @kind. */
static const char *option_of(unsigned kind)
{
	const SptEventKind *known = spt_event_kind_of(kind);

	if (kind >= SYSPROF_SOURCE_MIGRATE)
		return "--event";
	return known && known->option ? known->option->flag : spt_option_waits.flag;
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

/* The first of the sources without which there is to be no recording; NULL: all are optional. */
static const struct sysprof_source *first_needed(const struct sysprof_source *list, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!(list[i].flags & SYSPROF_SOURCE_OPTIONAL))
			return &list[i];
	return NULL;
}

/* The other module cannot be had: false, with @error, or the session goes on without sources. */
static bool do_without(const struct sysprof_source *list, unsigned n, char **ret_left_out,
		       GError **error)
{
	const struct sysprof_source *needed = first_needed(list, n);
	g_autofree char *fix = NULL, *why = spt_sources_module_why(&fix);

	if (!needed) {
		*ret_left_out = g_strdup_printf("the module " SPT_SOURCES_MODULE
						" %s: only CPU time is recorded",
						why);
		return true;
	}
	spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_BAD_CONFIG,
		      "%s needs the module sysprof-sources, which %s; doctor says what helps",
		      option_of(needed->kind), why);
	return false;
}

char *spt_device_lacks_sources(int fd, char **ret_fix)
{
	struct sysprof_source_infos infos = {
		.size = sizeof(infos),
		.info_bytes = sizeof(struct sysprof_source_info),
	};

	*ret_fix = NULL;
	if (!ioctl(fd, SYSPROF_IOC_SOURCE_INFO, &infos) || errno != ENOPKG)
		return NULL;
	return spt_sources_module_why(ret_fix);
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

static void append_missing_part(GString *text, const char *separator, const SptEventKind *kind,
				const char *missing)
{
	g_string_append_printf(text, "%s%s records no %s: this kernel has no trace point %s",
			       text->len ? separator : "", kind->option->flag, kind->request->part,
			       missing);
}

char *spt_device_sees_in_part(int fd)
{
	char missing[sizeof(((struct sysprof_source_info *)NULL)->missing)];
	GString *text = g_string_new(NULL);
	const SptEventKind *kind;

	for (unsigned i = 0; (kind = spt_event_kind(i)); i++) {
		const SptEventRequest *request = kind->request;

		if (!request || !(request->in_part || (request->is_rare && request->part)))
			continue;
		find_missing(fd, kind->number, missing, sizeof(missing));
		if (*missing == '?')
			continue;
		if (request->in_part)
			g_string_append_printf(text,
					       "%s%s %s: this kernel has no trace point %s, with "
					       "which each is seen",
					       text->len ? ".  " : "", kind->option->flag,
					       request->in_part, missing);
		else
			append_missing_part(text, ".  ", kind, missing);
	}
	return g_string_free(text, text->len == 0);
}

static char *describe_left_out(int fd, const struct sysprof_source *list, unsigned n)
{
	char missing[sizeof(((struct sysprof_source_info *)NULL)->missing)];
	GString *text = g_string_new(NULL);
	const char *option, *last = "";

	for (unsigned i = 0; i < n; i++) {
		const SptEventKind *kind = spt_event_kind_of(list[i].kind);

		option = option_of(list[i].kind);
		if (list[i].why != SYSPROF_WHY_NO_TRACEPOINT || !kind || kind->request->is_rare ||
		    strcmp(option, last) == 0)
			continue;
		find_missing(fd, list[i].kind, missing, sizeof(missing));
		if (kind->request->part) {
			append_missing_part(text, "; ", kind, missing);
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
		if (errno == ENOPKG)
			return do_without(list, n, ret_left_out, error);
		set_error(fd, list, n, error);
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		if (!list[i].error)
			events[list[i].id] =
				(SptTraceEvents){ .kind = list[i].kind, .period = list[i].period,
						  .point = find_point(config, list[i].kind) };
	*ret_left_out = describe_left_out(fd, list, n);
	events[n + 1] = (SptTraceEvents){ .kind = SYSPROF_SOURCE_WAKE };
	return true;
}
