/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --categories: kinds of work, by rules in a file. */
#include <stdio.h>

#include "cmd.h"
#include "profile/categories.h"
#include "report-metric.h"
#include "report.h"

struct found {
	SptCategories *categories;	/* keep the names */
	GArray *weights;		/* SptCategoryWeight */
};

static void free_found(gpointer data)
{
	struct found *found = data;

	spt_categories_free(found->categories);
	g_array_unref(found->weights);
	g_free(found);
}

static bool find(struct spt_report *report)
{
	struct found *found;
	const char *path = report->value.text;
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	SptCategories *categories;

	if (!g_file_get_contents(path, &text, NULL, &error)) {
		spt_cli_complain("Cannot read the rules in %s: %s", path, error->message);
		return false;
	}
	categories = spt_categories_parse(text, &error);
	if (!categories) {
		spt_cli_complain("Cannot use the rules in %s: %s", path, error->message);
		return false;
	}
	report->found = found = g_new(struct found, 1);
	found->categories = categories;
	found->weights = spt_categories_weigh(categories, report->profile);
	return true;
}

static void print_text(const struct spt_report *report)
{
	const GArray *weights = ((const struct found *)report->found)->weights;
	uint64_t all = spt_profile_total(report->profile);

	printf("%7s  %10s  %s\n", "Self %", spt_metric_head(report->metric), "Category");
	for (unsigned i = 0; i < weights->len; i++) {
		const SptCategoryWeight *category = &g_array_index(weights, SptCategoryWeight, i);
		g_autofree char *name = spt_format_cut(category->name, 0);
		g_autofree char *weight = spt_metric_text(report->metric, category->weight);

		printf("%7.2f  %*s  %s\n", spt_percent(category->weight, all),
		       spt_format_width(weight, 10), weight, name);
	}
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	const GArray *weights = ((const struct found *)report->found)->weights;

	spt_json_array(json, "categories");
	for (unsigned i = 0; i < weights->len; i++) {
		const SptCategoryWeight *category = &g_array_index(weights, SptCategoryWeight, i);

		spt_json_object(json, NULL);
		spt_json_text(json, "category", category->name);
		spt_report_add_weight(report, json, category->weight);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_categories = {
	.option = { "categories", 0, 0, G_OPTION_ARG_FILENAME, NULL,
		    "Print categories by the rules in FILE: lines of \"category = function [@ object]\"",
		    "FILE" },
	.find = find,
	.text = print_text,
	.json = add_json,
	.clear = free_found,
};
