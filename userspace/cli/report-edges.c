/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --callers, --callees: the callers and callees of a function, or of several taken as one.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "profile/glob.h"
#include "report-filter.h"
#include "report-metric.h"
#include "report.h"

struct edges {
	bool are_callers;
	GArray *members;		/* the functions (uint32_t), taken as one */
	char *names;			/* the name or pattern that was given */
	GArray *edges;			/* SptEdge: the edges that are shown */
	uint64_t self, total;		/* weights of the members together */
};

static void free_edges(gpointer data)
{
	struct edges *edges = data;

	g_array_unref(edges->members);
	g_free(edges->names);
	if (edges->edges)
		g_array_unref(edges->edges);
	g_free(edges);
}

/*
 * Appends the functions called @name, or if there are none and it is a pattern, those that match.
 */
static bool add_members(const struct spt_report *report, const char *name, GArray *members)
{
	uint32_t function = spt_profile_find(report->profile, name);
	g_autofree char *nearest = NULL;

	if (function != UINT32_MAX) {
		g_array_append_val(members, function);
		return true;
	}
	if (spt_glob_is_pattern(name)) {
		g_autoptr(GArray) found = spt_profile_match(report->profile, name);

		g_array_append_vals(members, found->data, found->len);
		if (found->len > 0)
			return true;
	}
	nearest = spt_report_suggest(report->profile, name, false);
	spt_cli_complain("%s has no samples with a function \"%s\"%s%s", report->capture->path,
			 name, report->filter->processes ? " in its command" : "",
			 *nearest		   ? nearest :
			 report->filter->processes ? "; --all looks in the rest, too" :
						     "");
	return false;
}

static bool find(struct spt_report *report, bool are_callers)
{
	struct edges *found = g_new0(struct edges, 1);
	const uint32_t *members;
	unsigned n;

	report->found = found;
	found->are_callers = are_callers;
	found->members = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	found->names = g_strjoinv(", ", report->value.texts);
	for (char **name = report->value.texts; *name; name++) {
		if (!add_members(report, *name, found->members))
			return false;
	}
	members = (const uint32_t *)found->members->data;
	n = found->members->len;
	spt_profile_sums_of(report->profile, members, n, &found->self, &found->total);
	found->edges = are_callers ? spt_profile_callers_of(report->profile, members, n) :
				     spt_profile_callees_of(report->profile, members, n);
	g_array_set_size(found->edges,
			 spt_report_n_shown(report, found->edges, offsetof(SptEdge, weight)));
	return true;
}

static bool find_callers(struct spt_report *report)
{
	return find(report, true);
}

static bool find_callees(struct spt_report *report)
{
	return find(report, false);
}

/* "Callers of malloc (libc.so.6)", or the pattern that selected several functions. */
static void print_heading(const struct spt_report *report, const struct edges *found)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	const SptFunction *first = &functions[g_array_index(found->members, uint32_t, 0)];
	uint64_t all = spt_profile_total(report->profile);
	g_autofree char *count = g_strdup_printf("%u functions", found->members->len);
	bool is_one = found->members->len == 1;
	g_autofree char *name = spt_format_cut(is_one ? first->name : found->names, 0);
	g_autofree char *object = spt_format_cut(is_one ? spt_report_object(first) : count, 0);

	printf("%s of %s (%s), self %.2f %%, total %.2f %%\n\n",
	       found->are_callers ? "Callers" : "Callees", name, object,
	       spt_percent(found->self, all), spt_percent(found->total, all));
}

static void print_text(const struct spt_report *report)
{
	const struct edges *found = report->found;
	const GArray *edges = found->edges;
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	unsigned all_columns = spt_report_width(), ranges = 2 * spt_report_part_columns(report),
		 width = all_columns - MIN(all_columns, ranges), names;
	g_autofree uint32_t *shown = g_new(uint32_t, MAX(edges->len, 1));
	uint64_t all = spt_profile_total(report->profile);

	for (unsigned i = 0; i < edges->len; i++)
		shown[i] = g_array_index(edges, SptEdge, i).function;
	names = spt_report_fit_names(functions, shown, edges->len, width);
	print_heading(report, found);
	fputs(spt_color(SPT_COLOR_TITLE), stdout);
	spt_report_print_part_head(report, "Of it %", 7);
	spt_report_print_part_head(report, "Of all %", 8);
	printf("%10s  ", spt_metric_head(report->metric));
	spt_report_print_names_head(names);
	for (unsigned i = 0; i < edges->len; i++) {
		uint64_t weight = g_array_index(edges, SptEdge, i).weight;
		g_autofree char *text = spt_metric_text(report->metric, weight);

		spt_report_print_part(report, weight, found->total, 7);
		spt_report_print_part(report, weight, all, 8);
		printf("%*s  ", spt_format_width(text, 10), text);
		spt_report_print_names(&functions[shown[i]], width, names);
	}
}

static void add_function(SptJson *json, const SptFunction *function)
{
	spt_json_function(json, function->name, function->object);
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	const struct edges *found = report->found;
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);

	spt_json_text(json, "function", found->names);
	spt_report_add(report, json, "self", found->self);
	spt_report_add(report, json, "total", found->total);
	spt_json_array(json, "members");
	for (unsigned i = 0; i < found->members->len; i++) {
		spt_json_object(json, NULL);
		add_function(json, &functions[g_array_index(found->members, uint32_t, i)]);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	spt_json_array(json, found->are_callers ? "callers" : "callees");
	for (unsigned i = 0; i < found->edges->len; i++) {
		const SptEdge *edge = &g_array_index(found->edges, SptEdge, i);

		spt_json_object(json, NULL);
		add_function(json, &functions[edge->function]);
		spt_report_add_weight(report, json, edge->weight);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_callers = {
	.option = { "callers", 0, 0, G_OPTION_ARG_STRING_ARRAY, NULL,
		    "Print who called function FN; * and ? match any; several count as one",
		    "FN" },
	.find = find_callers,
	.has_parts = true,
	.text = print_text,
	.json = add_json,
	.clear = free_edges,
};

const struct spt_report_kind spt_report_callees = {
	.option = { "callees", 0, 0, G_OPTION_ARG_STRING_ARRAY, NULL,
		    "Print what function FN called, likewise", "FN" },
	.find = find_callees,
	.has_parts = true,
	.text = print_text,
	.json = add_json,
	.clear = free_edges,
};
