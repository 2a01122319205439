/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --per METRIC: of each function, what it has of the report's metric for each unit that it
 * has of another one, as misses for each instruction.  Both are of the same conditions.
 */
#include <math.h>
#include <stdio.h>

#include "cmd.h"
#include "report-metric.h"
#include "report.h"

struct ratios {
	const SptMetric *metric;	/* divides */
	SptProfile *profile;		/* of that; functions have the same numbers */
	double worth;			/* of a unit of the report's metric, in units of that */
	GArray *shown;			/* indices (uint32_t), in their order */
};

static const SptMetric *ratios_find_metric(const struct spt_report *report)
{
	const char *name = report->value.text;
	const SptMetric *metric = spt_metric_find(name);
	g_autoptr(GError) error = NULL;

	if (!metric)
		metric = spt_declared_metric(report->capture, name, NULL);
	if (!metric)
		spt_cli_complain("%s has no metric \"%s\" that --per could divide by; info names the events it has",
				 report->capture->path, name);
	else if (!spt_metric_check(metric, report->capture, &error))
		spt_cli_complain("%s", error->message);
	return error ? NULL : metric;
}

/* Periods are time, if their length is known. */
static double worth_of(const struct spt_report *report, const SptMetric *metric)
{
	double worth = spt_metric_worth(metric, report->capture);

	return worth > 0 ? worth : 1;
}

static uint64_t ratios_of(const struct ratios *ratios, uint32_t function, bool is_total)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(ratios->profile, &n);

	if (function >= n)
		return 0;
	return is_total ? functions[function].total : functions[function].self;
}

static bool find(struct spt_report *report)
{
	const SptMetric *metric = ratios_find_metric(report);
	g_autofree uint32_t *order = NULL;
	struct ratios *ratios;

	if (!metric)
		return false;
	report->found = ratios = g_new0(struct ratios, 1);
	ratios->metric = metric;
	ratios->profile =
		spt_profile_new(report->capture, report->symbols, metric, report->filter);
	ratios->worth = worth_of(report, report->metric) / worth_of(report, metric);
	order = spt_profile_order(report->profile, true);
	ratios->shown = spt_report_list_functions(report, order, ratios->profile);
	return true;
}

static void clear(gpointer data)
{
	struct ratios *ratios = data;

	spt_profile_free(ratios->profile);
	g_array_unref(ratios->shown);
	g_free(ratios);
}

/* NAN: there is nothing to divide by. */
static double ratio(const struct ratios *ratios, uint64_t weight, uint64_t per)
{
	return per ? ratios->worth * (double)weight / (double)per : NAN;
}

static char *ratio_text(double value)
{
	return isnan(value) ? g_strdup("-") : g_strdup_printf("%.4g", value);
}

static void print_text(const struct spt_report *report)
{
	const struct ratios *ratios = report->found;
	const uint32_t *shown = (const uint32_t *)ratios->shown->data;
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	unsigned width = spt_report_width(),
		 names = spt_report_fit_names(functions, shown, ratios->shown->len, width);
	g_autofree char *all = ratio_text(ratio(ratios, spt_profile_total(report->profile),
						spt_profile_total(ratios->profile)));

	printf("%s for each %s: %s in all\n\n%s%10s  %11s  %10s  %10s  ", report->metric->name,
	       ratios->metric->name, all, spt_color(SPT_COLOR_TITLE), "Self ratio",
	       "Total ratio", spt_metric_head(report->metric),
	       spt_metric_head(ratios->metric));
	spt_report_print_names_head(names);
	for (uint32_t i = 0; i < ratios->shown->len; i++) {
		const SptFunction *function = &functions[shown[i]];
		uint64_t per = ratios_of(ratios, shown[i], false);
		g_autofree char *self = ratio_text(ratio(ratios, function->self, per));
		g_autofree char *total = ratio_text(
			ratio(ratios, function->total, ratios_of(ratios, shown[i], true)));
		g_autofree char *weight = spt_metric_text(report->metric, function->self);
		g_autofree char *divisor = spt_metric_text(ratios->metric, per);

		printf("%10s  %11s  %*s  %*s  ", self, total, spt_format_width(weight, 10), weight,
		       spt_format_width(divisor, 10), divisor);
		spt_report_print_names(function, width, names);
	}
}

static void add_ratio(SptJson *json, const char *key, double value)
{
	if (!isnan(value))
		spt_json_number(json, key, value);
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	const struct ratios *ratios = report->found;
	const uint32_t *shown = (const uint32_t *)ratios->shown->data;
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	uint64_t per_all = spt_profile_total(ratios->profile);

	spt_json_text(json, "per", ratios->metric->name);
	spt_metric_add(json, "per_sum", ratios->metric, report->capture, per_all);
	add_ratio(json, "ratio", ratio(ratios, spt_profile_total(report->profile), per_all));
	spt_json_array(json, "functions");
	for (uint32_t i = 0; i < ratios->shown->len; i++) {
		const SptFunction *function = &functions[shown[i]];
		uint64_t self = ratios_of(ratios, shown[i], false),
			 total = ratios_of(ratios, shown[i], true);

		spt_json_object(json, NULL);
		spt_json_function(json, function->name, function->object);
		spt_report_add(report, json, "self", function->self);
		spt_report_add(report, json, "total", function->total);
		spt_metric_add(json, "per_self", ratios->metric, report->capture, self);
		spt_metric_add(json, "per_total", ratios->metric, report->capture, total);
		add_ratio(json, "self_ratio", ratio(ratios, function->self, self));
		add_ratio(json, "total_ratio", ratio(ratios, function->total, total));
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_per = {
	.option = { "per", 0, 0, G_OPTION_ARG_STRING, NULL,
		    "Divide the metric by another one, function by function, as misses by instructions",
		    "METRIC" },
	.find = find,
	.text = print_text,
	.json = add_json,
	.clear = clear,
};
