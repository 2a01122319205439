/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --functions: a table of functions, by self.  That of a wait is the scheduler, and that of
 * an allocation the allocator, so there it is by what functions have with the machinery below them.
 */
#include <stdio.h>

#include "cmd.h"
#include "profile/culprit.h"
#include "profile/sentences.h"
#include "report-metric.h"
#include "report.h"

struct functions {
	GArray *shown;			/* indices (uint32_t), in their order */
	uint64_t *own;			/* by function; NULL: self is what counts */
	bool has_lead;			/* what only idle threads waited for is last */
};

static bool find(struct spt_report *report)
{
	g_autoptr(SptCulprits) culprits = spt_culprits_know(report->profile);
	struct functions *found = g_new0(struct functions, 1);
	g_autofree uint64_t *lead = spt_sentences_lead(report->profile, report->capture,
						       spt_sentences_find_part(report->filter));
	g_autofree uint32_t *order = NULL;

	report->found = found;
	found->has_lead = lead;
	if (culprits)
		found->own = spt_culprits_own(culprits, report->profile);
	order = spt_culprits_order(report->profile, found->own, lead);
	found->shown = spt_report_list_functions(report, order, NULL);
	return true;
}

static void clear(gpointer data)
{
	struct functions *found = data;

	g_array_unref(found->shown);
	g_free(found->own);
	g_free(found);
}

static void print_text(const struct spt_report *report)
{
	const struct functions *found = report->found;
	const uint32_t *shown = (const uint32_t *)found->shown->data;
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	uint64_t all = spt_profile_total(report->profile);
	unsigned all_columns = spt_report_width(), ranges = 2 * spt_report_part_columns(report),
		 width = all_columns - MIN(all_columns, ranges),
		 names = spt_report_fit_names(functions, shown, found->shown->len, width);

	if (found->own)
		printf("Own: a function itself, with the kernel and runtime libraries below it.%s\n\n",
		       found->has_lead ? "  Last is what only\nthreads that hardly ran waited for." : "");
	fputs(spt_color(SPT_COLOR_TITLE), stdout);
	spt_report_print_part_head(report, found->own ? "Own %" : "Self %", 7);
	spt_report_print_part_head(report, "Total %", 7);
	printf("%10s  ", spt_metric_head(report->metric));
	spt_report_print_names_head(names);
	for (uint32_t i = 0; i < found->shown->len; i++) {
		const SptFunction *function = &functions[shown[i]];
		uint64_t weight = found->own ? found->own[shown[i]] : function->self;
		g_autofree char *text = spt_metric_text(report->metric, weight);

		spt_report_print_part(report, weight, all, 7);
		spt_report_print_part(report, function->total, all, 7);
		printf("%*s  ", spt_format_width(text, 10), text);
		spt_report_print_names(function, width, names);
	}
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	const struct functions *found = report->found;
	const uint32_t *shown = (const uint32_t *)found->shown->data;
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	uint64_t all = spt_profile_total(report->profile);

	spt_json_array(json, "functions");
	for (uint32_t i = 0; i < found->shown->len; i++) {
		const SptFunction *function = &functions[shown[i]];

		spt_json_object(json, NULL);
		spt_json_function(json, function->name, function->object);
		if (found->own) {
			spt_report_add(report, json, "own", found->own[shown[i]]);
			spt_json_number(json, "own_pct", spt_percent(found->own[shown[i]], all));
		}
		spt_report_add(report, json, "self", function->self);
		spt_report_add(report, json, "total", function->total);
		spt_json_number(json, "self_pct", spt_percent(function->self, all));
		spt_json_number(json, "total_pct", spt_percent(function->total, all));
		spt_report_add_range(report, json, "self_pct_range", function->self);
		spt_report_add_range(report, json, "total_pct_range", function->total);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_functions = {
	.option = { "functions", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "Print a table of functions (the default)", NULL },
	.find = find,
	.has_parts = true,
	.text = print_text,
	.json = add_json,
	.clear = clear,
};
