/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --dbus: how often, and how long, calls on D-Bus took. */
#include <stdio.h>

#include "cmd.h"
#include "profile/bus-calls.h"
#include "report.h"

static bool find_bus_calls(struct spt_report *report)
{
	GArray *found;

	if (!spt_bus_calls_are_in(report->capture)) {
		spt_cli_complain("%s has no calls on D-Bus: \"" SPT_CLI
				 " record --dbus\" records them",
				 report->capture->path);
		return false;
	}
	report->found = found = spt_bus_calls(report->capture, report->filter);
	report->n_more = found->len - MIN(found->len, report->limit);
	if (found->len == 0)
		spt_cli_complain("%s has no calls on D-Bus that meet the conditions; remove some of them",
				 report->capture->path);
	return found->len > 0;
}

static void print_bus_row(const SptBusCalls *calls)
{
	g_autofree char *n = spt_format_count(calls->n),
			*errors = spt_format_count(calls->n_errors),
			*sum = spt_format_took(calls->sum_ns),
			*median = spt_format_took(calls->median_ns),
			*p99 = spt_format_took(calls->p99_ns),
			*most = spt_format_took(calls->most_ns),
			*bytes = spt_format_bytes(calls->bytes),
			*name = spt_format_cut(calls->name, 0),
			*server = spt_format_cut(calls->server, 0);

	printf("%10s  %s%8s%s  %9s  %9s  %9s  %9s  %10s  %s  %s%s%s%s%s\n", n,
	       calls->n_errors ? spt_color(SPT_COLOR_HOT) : "", errors,
	       calls->n_errors ? spt_color(SPT_COLOR_OFF) : "", sum, median, p99, most, bytes, name,
	       spt_color(SPT_COLOR_FAINT), server, *calls->bus ? " on " : "", calls->bus,
	       spt_color(SPT_COLOR_OFF));
}

static void print_bus_calls(const struct spt_report *report)
{
	const GArray *found = report->found;

	printf("%s%10s  %8s  %9s  %9s  %9s  %9s  %10s  Call%s\n", spt_color(SPT_COLOR_TITLE),
	       "Count", "Errors", "Total", "Median", "99 %", "Most", "Bytes",
	       spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++)
		print_bus_row(&g_array_index(found, SptBusCalls, i));
}

static void add_bus_calls(const struct spt_report *report, SptJson *json)
{
	const GArray *found = report->found;

	spt_json_text(json, "file", report->capture->path);
	spt_json_array(json, "calls");
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const SptBusCalls *calls = &g_array_index(found, SptBusCalls, i);

		spt_json_object(json, NULL);
		spt_json_text(json, "bus", calls->bus);
		spt_json_text(json, "name", calls->name);
		spt_json_text(json, "server", calls->server);
		spt_json_count(json, "count", calls->n);
		spt_json_count(json, "errors", calls->n_errors);
		spt_json_count(json, "sum_ns", calls->sum_ns);
		spt_json_count(json, "median_ns", calls->median_ns);
		spt_json_count(json, "p99_ns", calls->p99_ns);
		spt_json_count(json, "most_ns", calls->most_ns);
		spt_json_count(json, "bytes", calls->bytes);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_dbus = {
	.option = { "dbus", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "How often, and how long, calls on D-Bus took", NULL },
	.of = SPT_REPORT_OF_SAMPLES,
	.find = find_bus_calls,
	.text = print_bus_calls,
	.json = add_bus_calls,
	.clear = (GDestroyNotify)g_array_unref,
};
