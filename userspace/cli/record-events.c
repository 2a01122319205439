/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record-events.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "record/malloc-arenas.h"
#include "record/probes.h"
#include "trace/points/point.h"

void spt_record_events_add(struct spt_record_events *events, GArray *entries)
{
	const GOptionEntry all[] = {
		{ "event", 'e', 0, G_OPTION_ARG_STRING_ARRAY, &events->events,
		  "Also record these events, with stacks and fields: a list of trace points and of software and hardware events by perf's names, which may have * and ? (may be repeated; \"" SPT_CLI
		  " events\" lists them)",
		  "NAME,..." },
		{ "filter", 0, 0, G_OPTION_ARG_STRING, &events->filter,
		  "Only hits of trace points whose fields meet this, as in 'pid == 12 && comm == \"git\"'",
		  "CONDITION" },
		{ "function", 0, 0, G_OPTION_ARG_STRING_ARRAY, &events->functions,
		  "Also record calls of these functions of the kernel, with stacks and how long each took: a list of names, which may have * and ?, or one's arguments in brackets (may be repeated)",
		  "NAME,..." },
		{ "probe", 0, 0, G_OPTION_ARG_STRING_ARRAY, &events->probes,
		  "Also record calls of a function of a program or library, with stacks and how long each took; or hits of a line (FILE:SOURCE:LINE) or mark (may be repeated)",
		  "FILE:FUNCTION" },
		{ "malloc-arenas", 0, 0, G_OPTION_ARG_STRING, &events->malloc_arenas,
		  "Also record what glibc's allocator does with its arenas, in all processes that use the C library of the command or process, or that FILE: sysprof-cli report --malloc-arenas",
		  SPT_CLI_OPTIONAL("FILE") },
		{ "only-count", 0, 0, G_OPTION_ARG_NONE, &events->are_only_counted,
		  "Of --event, --function and --probe, only how often each came: counters, once a second, at a fraction of the cost of events",
		  NULL },
	};

	g_array_append_vals(entries, all, G_N_ELEMENTS(all));
}

static bool has_probes(const struct spt_record_events *events)
{
	return events->probes || events->malloc_arenas;
}

/* Splits at commas that are in no quotes, slashes or brackets; to be freed. */
static GPtrArray *record_events_split(char **lists)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);

	for (; lists && *lists; lists++) {
		const char *begin = *lists, *at = begin;
		char quote = '\0';
		int depth = 0;

		for (;; at++) {
			if (*at && quote) {
				quote = *at == quote ? '\0' : quote;
			} else if (*at == '"' || *at == '\'' || *at == '/') {
				quote = *at;
			} else if (*at && strchr("({)}", *at)) {
				depth += strchr("({", *at) ? 1 : -1;
			} else if (!*at || (*at == ',' && depth <= 0)) {
				g_ptr_array_add(names, g_strndup(begin, (size_t)(at - begin)));
				begin = at + 1;
			}
			if (!*at)
				break;
		}
	}
	return names;
}

/* A number of perf's generic events, or "r" and one of the hardware. */
static bool record_events_is_number(const char *name, uint32_t *ret_type, uint64_t *ret_config)
{
	bool is_raw = name[0] == 'r';
	char *end;

	*ret_type = is_raw ? 4 : 0;
	*ret_config = g_ascii_strtoull(name + is_raw, &end, is_raw ? 16 : 10);
	return !*end && end != name + is_raw;
}

static bool is_clock(const char *name, const char *clock, SptRecorderOptions *recorder)
{
	g_autoptr(SptPoint) point = NULL;
	bool by_name = clock && (strcmp(clock, "pmu") == 0 || strcmp(clock, "auto") == 0);

	if (record_events_is_number(name, &recorder->event_type, &recorder->event_config))
		return recorder->source != SPT_TRACE_PERF || name[0] != 'r';
	point = by_name ? spt_point_counted(name) : NULL;
	if (!point || point->type != SPT_POINT_HARDWARE || strchr(name, ':'))
		return false;
	recorder->event_type = point->perf_type;
	recorder->event_config = point->config;
	return true;
}

/*
 * Whether the module is there and reports all of them.  That costs less than perf's, and needs no
 * more rights than samples.
 */
static bool find_of_module(GPtrArray *points, const GPtrArray *names)
{
	if (!names->len || !spt_point_has_module())
		return false;
	for (unsigned i = 0; i < names->len; i++) {
		SptPoint *point = spt_point_of_module(g_strstrip(names->pdata[i]));

		if (point && spt_point_add(points, point, NULL))
			continue;
		g_ptr_array_set_size(points, 0);
		return false;
	}
	return true;
}

static bool has_trace_point(const GPtrArray *points)
{
	for (unsigned i = 0; i < points->len; i++)
		if (((const SptPoint *)points->pdata[i])->type == SPT_POINT_TRACE)
			return true;
	return false;
}

static bool find_arenas(const struct spt_record_events *events, const char *command,
			const SptTraceFilter *filter, GError **error)
{
	g_autofree char *file = *events->malloc_arenas ?
					g_strdup(events->malloc_arenas) :
					spt_malloc_arenas_file(command, filter->pids,
							       filter->n_pids, error);

	return file && spt_malloc_arenas_find(events->points, file, error);
}

/* Fills in events->points.  False: complained. */
static bool find_points(struct spt_record_events *events, const GPtrArray *names,
			const GPtrArray *functions, const char *command,
			const SptRecorderOptions *recorder)
{
	const SptTraceFilter *filter = &recorder->filter;
	g_autoptr(GError) error = NULL;
	bool ok = true;

	if (!events->points && (names->len || functions->len || has_probes(events)))
		events->points = g_ptr_array_new_with_free_func(spt_point_free_it);
	for (unsigned i = 0; ok && i < functions->len; i++)
		ok = spt_point_find_functions(events->points, functions->pdata[i], &error);
	for (char **probe = events->probes; ok && probe && *probe; probe++)
		ok = spt_probes_find(events->points, *probe, &error);
	if (ok && events->malloc_arenas)
		ok = find_arenas(events, command, filter, &error);
	if (ok && !functions->len && !has_probes(events) && !events->filter &&
	    recorder->source != SPT_TRACE_PERF && find_of_module(events->points, names))
		return true;
	for (unsigned i = 0; ok && i < names->len; i++)
		ok = spt_point_find(events->points, names->pdata[i], events->filter, &error);
	if (!ok) {
		spt_cli_complain("%s", error->message);
	} else if (events->filter && !has_trace_point(events->points)) {
		spt_cli_complain("--filter is a condition on the fields of trace points, and --event names none");
		return false;
	}
	return ok;
}

/* perf's events count for all users. */
static bool set_only_counted(const struct spt_record_events *events,
			     SptRecorderOptions *recorder)
{
	recorder->only_counts_points = events->are_only_counted;
	if (!events->are_only_counted)
		return true;
	if (!events->points || !events->points->len) {
		spt_cli_complain("--only-count is for what --event, --function or --probe name: name some");
		return false;
	}
	for (unsigned i = 0; i < events->points->len; i++) {
		const SptPoint *point = events->points->pdata[i];

		if (point->source || !recorder->filter.n_uids)
			continue;
		spt_cli_complain("--only-count counts %s for all users: leave out --uid, or choose by --cgroup",
				 point->name);
		return false;
	}
	return true;
}

bool spt_record_events_are_counted_probes(const struct spt_record_events *events)
{
	return events->are_only_counted && (events->functions || has_probes(events));
}

bool spt_record_events_parse(struct spt_record_events *events, const char *clock,
			     const char *command, SptRecorderOptions *recorder)
{
	g_autoptr(GPtrArray) names = record_events_split(events->events);
	g_autoptr(GPtrArray) functions = record_events_split(events->functions);
	g_autoptr(GError) error = NULL;

	if (events->filter && !names->len) {
		spt_cli_complain("--filter is a condition on the fields of trace points: name them with --event");
		return false;
	}
	if (names->len == 1 && !functions->len && !has_probes(events) &&
	    is_clock(names->pdata[0], clock, recorder)) {
		recorder->clock = SPT_TRACE_PMU;
		return true;
	}
	recorder->event_type = 0;
	recorder->event_config = 0;
	if (!find_points(events, names, functions, command, recorder))
		return false;
	recorder->points = events->points;
	return set_only_counted(events, recorder);
}

void spt_record_events_clear(struct spt_record_events *events)
{
	g_strfreev(events->events);
	g_strfreev(events->functions);
	g_strfreev(events->probes);
	g_free(events->filter);
	g_free(events->malloc_arenas);
	g_clear_pointer(&events->points, g_ptr_array_unref);
	*events = (struct spt_record_events){ 0 };
}

static void tell_counts(const SptRecorderStatus *status)
{
	for (unsigned i = 0; i < status->hit_counts->len; i++) {
		const SptHitCount *count = &g_array_index(status->hit_counts, SptHitCount, i);
		g_autofree char *n = spt_format_count(count->n),
				*name = spt_format_cut(count->name, 0);

		fprintf(stderr, "Counted: %14s  %s (%.1f a second)\n", n, name,
			(double)count->n * 1e9 / (double)MAX(count->ns, 1));
	}
}

/* Only trace points and probes have fields to select by. */
static bool can_select(const GPtrArray *points)
{
	for (unsigned i = 0; i < points->len; i++)
		if (((const SptPoint *)points->pdata[i])->format.n_fields)
			return true;
	return false;
}

static void tell_hits(const SptRecorderStatus *status, const GPtrArray *points)
{
	g_autofree char *hits = spt_format_count(status->hits);
	g_autofree char *lost = spt_format_count(status->hits_lost);

	fprintf(stderr, "Events: %s, %s lost%s\n", hits, lost,
		strcmp(status->source, "module") == 0 ?
			"; by the module, without fields (--source perf has them)" : "");
	if (status->hits_lost)
		fprintf(stderr, "Note: events came faster than they could be recorded; %s--stacks fp makes them smaller, and \"%s info\" says how often each came.\n",
			can_select(points) ? "--filter selects some of them, " : "",
			spt_cli_called());
	if (status->hits_open) {
		g_autofree char *open = spt_format_count(status->hits_open);

		fprintf(stderr, "Note: calls whose return was not seen, which have no row: %s.\n",
			open);
	}
}

void spt_record_events_tell(const SptRecorderStatus *status, const GPtrArray *points)
{
	if (status->hit_counts && status->hit_counts->len)
		tell_counts(status);
	else
		tell_hits(status, points);
	if (status->hits_notice) {
		/* It has names that files say. */
		g_autofree char *notice = spt_format_cut(status->hits_notice, 0);

		fprintf(stderr, "Note: %s.\n", notice);
	}
}
