/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --logs: the lines that programs and the kernel have written, by time. */
#include <stdio.h>

#include "cmd.h"
#include "profile/log-lines.h"
#include "profile/selection.h"
#include "report-fields.h"
#include "report-log-lines.h"
#include "report.h"

static bool is_wanted(uint64_t severity, const char *text, const void *options)
{
	return spt_log_options_meet(options, severity, text);
}

static bool find_lines(struct spt_report *report)
{
	const SptLogQuery query = {
		.filter = report->filter,
		.conditions = report->conditions,
		.n_conditions = report->n_conditions,
		.is_wanted = is_wanted,
		.data = report->lines,
	};
	uint64_t n_more;
	GArray *found = report->found = spt_log_lines(report->capture, &query, &n_more);

	report->n_more += (unsigned)MIN(n_more, UINT32_MAX / 2) + found->len -
			  MIN(found->len, report->limit);
	if (!spt_log_lines_are_in(report->capture))
		spt_cli_complain("%s has no lines of logs: \"" SPT_CLI
				 " record --logs\" and \"--journal\" record them",
				 report->capture->path);
	else if (found->len == 0 && report->filter->moments &&
		 !spt_moments_are_of_all(report->filter->moments))
		spt_cli_complain("%s has no lines of logs of the threads that made these marks, and lines of standard error are of no thread; --during in place of --mark has all lines",
				 report->capture->path);
	else if (found->len == 0)
		spt_cli_complain("%s has no lines of logs that meet the conditions; remove some of them",
				 report->capture->path);
	return found->len > 0;
}

static void print_lines(const struct spt_report *report)
{
	const GArray *found = report->found;

	printf("%s%11s  %-9s  %-16s  Line%s\n", spt_color(SPT_COLOR_TITLE), "Time", "Severity",
	       "Source", spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const SptLogLine *line = &g_array_index(found, SptLogLine, i);
		g_autofree char *source = spt_format_cut(line->source, 16),
				*text = spt_format_cut(line->text, 0);

		printf("%11.6f  %s%-9s%s  %-16s  %s\n",
		       ((double)line->time - (double)report->summary->start_ns) / 1e9,
		       line->severity <= 3 ? spt_color(SPT_COLOR_HOT) : "",
		       spt_log_severity_name(line->severity),
		       line->severity <= 3 ? spt_color(SPT_COLOR_OFF) : "", source, text);
	}
}

static void add_lines(const struct spt_report *report, SptJson *json)
{
	const GArray *found = report->found;

	spt_json_text(json, "file", report->capture->path);
	spt_json_array(json, "lines");
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const SptLogLine *line = &g_array_index(found, SptLogLine, i);
		const SptProcessRow *process =
			spt_process_of_thread(report->capture, line->thread);

		spt_json_object(json, NULL);
		spt_json_count(json, "time_ns", line->time);
		spt_json_count(json, "severity", line->severity);
		spt_json_text(json, "severity_name", spt_log_severity_name(line->severity));
		spt_json_count(json, "pid", process ? process->pid : 0);
		spt_json_text(json, "process", process ? process->name : "");
		spt_json_text(json, "source", line->source);
		spt_json_text(json, "text", line->text);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_logs = {
	.option = { "logs", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "The lines that programs and the kernel have written, by time", NULL },
	.of = SPT_REPORT_OF_SAMPLES,
	.find = find_lines,
	.text = print_lines,
	.json = add_lines,
	.clear = (GDestroyNotify)g_array_unref,
};
