/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --functions: a table of functions, by what each has for itself. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "report.h"

/* Indices of the functions that are shown, in their order; n of them. */
static uint32_t *shown_functions(const struct spt_report *report, uint32_t *ret_n)
{
	uint32_t n_all, n = 0;
	const SptFunction *functions = spt_profile_functions(report->profile, &n_all);
	uint32_t *order = spt_profile_order(report->profile, true);
	uint64_t all = spt_profile_total(report->profile);

	for (uint32_t i = 0; i < n_all && n < report->limit; i++) {
		const SptFunction *function = &functions[order[i]];

		if (!function->is_process && function->total > 0 &&
		    spt_percent(function->total, all) >= report->min_percent)
			order[n++] = order[i];
	}
	*ret_n = n;
	return order;
}

static void print_text(const struct spt_report *report)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	g_autofree uint32_t *shown = shown_functions(report, &n);
	uint64_t all = spt_profile_total(report->profile);
	unsigned width = spt_report_width(),
		 names = spt_report_fit_names(functions, shown, n, width);

	printf("%7s  %7s  %10s  ", "Self %", "Total %", "Periods");
	spt_report_print_names_head(names);
	for (uint32_t i = 0; i < n; i++) {
		const SptFunction *function = &functions[shown[i]];

		printf("%7.2f  %7.2f  %10" PRIu64 "  ", spt_percent(function->self, all),
		       spt_percent(function->total, all), function->self);
		spt_report_print_names(function, width, names);
	}
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	g_autofree uint32_t *shown = shown_functions(report, &n);
	uint64_t all = spt_profile_total(report->profile);

	spt_json_array(json, "functions");
	for (uint32_t i = 0; i < n; i++) {
		const SptFunction *function = &functions[shown[i]];

		spt_json_object(json, NULL);
		spt_json_function(json, function->name, function->object);
		spt_json_count(json, "self", function->self);
		spt_json_count(json, "total", function->total);
		spt_json_number(json, "self_pct", spt_percent(function->self, all));
		spt_json_number(json, "total_pct", spt_percent(function->total, all));
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_functions = {
	.option = { "functions", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "A table of functions (the default)", NULL },
	.text = print_text,
	.json = add_json,
};
