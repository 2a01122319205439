/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --logs: the lines that programs and the kernel have written, by time.  A line is an event
 * of a declared kind that has a field "text" and a field "severity".
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "profile/selection.h"
#include "report-fields.h"
#include "report.h"

/* Lines beyond are only counted. */
#define MOST_LINES 1000000u

struct log_line {
	uint64_t time, severity;
	uint32_t thread;
	char *source, *text;
};

struct log_fields {
	const SptDeclared *kind;
	unsigned text, severity, source;
	bool has_source;
};

static const char *const severities[] = { "emergency", "alert",	 "critical", "error",
					  "warning",   "notice", "info",     "debug" };

static void log_line_clear(void *data)
{
	struct log_line *line = data;

	g_free(line->source);
	g_free(line->text);
}

static bool find_log_fields(const SptDeclared *kind, struct log_fields *ret)
{
	ret->kind = kind;
	ret->has_source = spt_declared_find_field(kind, "source", &ret->source) &&
			  kind->fields[ret->source].type == SPT_VALUE_TEXT;
	return spt_declared_find_field(kind, "text", &ret->text) &&
	       kind->fields[ret->text].type == SPT_VALUE_TEXT &&
	       spt_declared_find_field(kind, "severity", &ret->severity) &&
	       kind->fields[ret->severity].type == SPT_VALUE_ID;
}

static void take_log_line(GArray *found, const struct log_fields *fields,
			  const SptDeclaredRow *row)
{
	struct log_line line = {
		.time = row->time,
		.severity = row->values[fields->severity].number,
		.thread = row->thread,
		.source = g_strdup(fields->has_source ? row->values[fields->source].text : ""),
		.text = g_strdup(row->values[fields->text].text),
	};

	g_array_append_val(found, line);
}

static void read_log(struct spt_report *report, const struct log_fields *fields, GArray *found)
{
	g_autoptr(SptDeclaredReader) reader =
		spt_declared_reader_new(report->capture, fields->kind);
	struct spt_selection selection;
	const SptDeclaredRow *rows;
	uint32_t n;

	spt_selection_init(&selection, report->capture, report->filter);
	while ((rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			if (!spt_selection_has_time(&selection, rows[i].thread, rows[i].time) ||
			    !spt_selection_has_place(&selection, rows[i].thread, rows[i].cpu) ||
			    !spt_declared_meets(fields->kind, &rows[i], report->conditions,
						report->n_conditions))
				continue;
			if (found->len < MOST_LINES)
				take_log_line(found, fields, &rows[i]);
			else
				report->n_more++;
		}
	spt_selection_clear(&selection);
}

static int compare_lines(gconstpointer a, gconstpointer b)
{
	const struct log_line *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static bool find_lines(struct spt_report *report)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(struct log_line));
	struct log_fields fields;
	const SptDeclared *kind;
	bool is_there = false;

	g_array_set_clear_func(found, log_line_clear);
	report->found = found;
	for (unsigned i = 0; (kind = spt_declared(report->capture, i)); i++) {
		if (!find_log_fields(kind, &fields))
			continue;
		is_there = true;
		read_log(report, &fields, found);
	}
	g_array_sort(found, compare_lines);
	report->n_more += found->len - MIN(found->len, report->limit);
	if (!is_there)
		spt_cli_complain("%s has no lines of logs: \"" SPT_CLI
				 " record --logs -- COMMAND\" records them",
				 report->capture->path);
	else if (found->len == 0)
		spt_cli_complain("%s has no lines of logs that meet the conditions; remove some of them",
				 report->capture->path);
	return found->len > 0;
}

static const char *severity_name(uint64_t severity)
{
	return severity < G_N_ELEMENTS(severities) ? severities[severity] : "?";
}

static void print_lines(const struct spt_report *report)
{
	const GArray *found = report->found;

	printf("%s%11s  %-9s  %-16s  Line%s\n", spt_color(SPT_COLOR_TITLE), "Time", "Severity",
	       "Source", spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const struct log_line *line = &g_array_index(found, struct log_line, i);
		g_autofree char *source = spt_format_cut(line->source, 16),
				*text = spt_format_cut(line->text, 0);

		printf("%11.6f  %s%-9s%s  %-16s  %s\n",
		       ((double)line->time - (double)report->summary->start_ns) / 1e9,
		       line->severity <= 3 ? spt_color(SPT_COLOR_HOT) : "",
		       severity_name(line->severity),
		       line->severity <= 3 ? spt_color(SPT_COLOR_OFF) : "", source, text);
	}
}

static void add_lines(const struct spt_report *report, SptJson *json)
{
	const GArray *found = report->found;

	spt_json_text(json, "file", report->capture->path);
	spt_json_array(json, "lines");
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const struct log_line *line = &g_array_index(found, struct log_line, i);
		const SptProcessRow *process =
			spt_process_of_thread(report->capture, line->thread);

		spt_json_object(json, NULL);
		spt_json_count(json, "time_ns", line->time);
		spt_json_count(json, "severity", line->severity);
		spt_json_count(json, "pid", process ? process->pid : 0);
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
