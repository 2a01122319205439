/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts about metrics: their names, and their weights as text and in JSON. */
#include <inttypes.h>

#include "base/suggest.h"
#include "cmd.h"
#include "report-filter.h"
#include "report-metric.h"

/* "cpu, delay": the metrics that this version can show. */
static char *list_metrics(void)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const SptMetric *metric;

	for (unsigned i = 0; (metric = spt_metric(i)); i++)
		if (metric->source)
			g_ptr_array_add(names, (gpointer)metric->name);
	return spt_format_list(names, "or");
}

const char *spt_report_metric_help(void)
{
	g_autofree char *names = list_metrics();
	g_autoptr(GString) text = g_string_new("Show this metric: ");
	const SptMetric *metric;

	if (!spt_cli_is_listing()) {
		g_string_append_printf(text, "%s (sysprof-cli-report(1) explains them)", names);
		return g_intern_string(text->str);
	}
	for (unsigned i = 0; (metric = spt_metric(i)); i++)
		if (metric->source)
			g_string_append_printf(text, "%s%s (%s)", i ? "; " : "", metric->name,
					       i ? metric->value : "the default");
	return g_intern_string(text->str);
}

bool spt_filter_options_find_metric(struct spt_filter_options *options)
{
	const char *name = options->metric_name, *nearest = NULL;
	g_autofree char *known = NULL;
	const SptMetric *metric;
	unsigned least = UINT_MAX;

	options->metric = name ? spt_metric_find(name) : SPT_METRIC_CPU;
	if (options->metric)
		return true;
	known = list_metrics();
	for (unsigned i = 0; (metric = spt_metric(i)); i++)
		if (spt_is_nearer(name, metric->name, &least))
			nearest = metric->name;
	spt_cli_complain("Unknown --metric \"%s\"%s%s%s %s", name,
			 nearest ? "; did you mean \"" : ":", nearest ? nearest : "",
			 nearest ? "\"? Use" : " use", known);
	return false;
}

static bool has_file(const struct spt_filter_options *options, int argc, char **argv)
{
	bool found = g_file_test(options->input ? options->input : SPT_CLI_CAPTURE,
				 G_FILE_TEST_EXISTS);

	for (int i = 1; i < argc && !found; i++)
		found = g_file_test(argv[i], G_FILE_TEST_EXISTS);
	return found;
}

bool spt_filter_options_guess_metric(struct spt_filter_options *options, int argc, char **argv)
{
	if (!options->metric_name || spt_metric_find(options->metric_name) ||
	    !has_file(options, argc, argv))
		return spt_filter_options_find_metric(options);
	options->metric = NULL;
	return true;
}

bool spt_filter_options_check_metric(const struct spt_filter_options *options,
				     const SptCapture *capture)
{
	g_autoptr(GError) error = NULL;

	if (spt_metric_check(options->metric, capture, &error))
		return true;
	spt_cli_complain("%s", error->message);
	return false;
}

const char *spt_metric_head(const SptMetric *metric)
{
	static const char *const heads[] = {
		[SPT_UNIT_NS] = "Time",
		[SPT_UNIT_BYTES] = "Bytes",
		[SPT_UNIT_EVENTS] = "Events",
		[SPT_UNIT_NUMBER] = "Sum",
	};

	return metric->is_cpu ? "Periods" : heads[metric->unit];
}

char *spt_metric_text(const SptMetric *metric, uint64_t weight)
{
	if (!metric->is_cpu && metric->unit == SPT_UNIT_NS)
		return spt_format_ns(weight);
	if (metric->unit == SPT_UNIT_BYTES)
		return spt_format_bytes(weight);
	return g_strdup_printf("%" PRIu64, weight);
}

char *spt_metric_none(const SptMetric *metric)
{
	return metric->is_cpu ? g_strdup("no samples") :
				g_strconcat("nothing of the metric ", metric->name, NULL);
}

void spt_metric_add_sum(SptJson *json, const SptMetric *metric, const SptCapture *capture,
			uint64_t weight)
{
	bool has_unit = spt_metric_worth(metric, capture) > 0;

	spt_json_text(json, "metric", metric->name);
	spt_json_text(json, "unit", has_unit ? spt_unit_name(metric->unit) : "periods");
	spt_metric_add(json, "sum", metric, capture, weight);
	if (!metric->is_cpu)
		return;
	spt_json_count(json, "periods", weight);
	spt_json_count(json, "period_ns", spt_capture_period_ns(capture));
}

void spt_metric_add(SptJson *json, const char *key, const SptMetric *metric,
		    const SptCapture *capture, uint64_t weight)
{
	spt_json_count(json, key, weight * MAX(spt_metric_worth(metric, capture), 1));
}
