/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --by: the metric by a grouping of the library's table. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/micro.h"
#include "cmd.h"
#include "capture/stream-rows.h"
#include "profile/clients.h"
#include "profile/groups.h"
#include "report-metric.h"
#include "report-threads.h"

/*
 * "process, thread, cpu or object", with "or" as @last: names that fit @metric; NULL: all with
 * notes.
 */
static char *list_groupings(const SptMetric *metric)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const SptGrouping *grouping;

	for (unsigned i = 0; (grouping = spt_grouping(i)); i++)
		if (!metric || spt_grouping_fits(grouping, metric))
			g_ptr_array_add(names, g_strconcat(grouping->name,
							   metric ? NULL : grouping->note, NULL));
	return spt_format_list(names, "or");
}

static char *help(void)
{
	g_autofree char *names = list_groupings(NULL);

	return g_strconcat("Print sums by ", names, NULL);
}

/* The grouping of any metric whose name was probably meant. */
static char *suggest(const char *word)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	const SptGrouping *grouping;

	for (unsigned i = 0; (grouping = spt_grouping(i)); i++)
		g_ptr_array_add(names, (gpointer)grouping->name);
	g_ptr_array_add(names, NULL);
	return spt_cli_suggest(word, (const char *const *)names->pdata);
}

/* A metric with the values of a field has been made for it: spt_filter_options_find_declared(). */
static bool find_grouping(const char *name, const SptMetric *metric, SptGroupKind *ret)
{
	return spt_grouping_find(metric->parts & SPT_METRIC_HAS_FIELD ? "field" : name, ret);
}

static bool check_grouping(const char *name, const SptMetric *metric)
{
	g_autofree char *names = list_groupings(metric);
	g_autofree char *nearest = suggest(name);
	SptGroupKind kind;

	if (!find_grouping(name, metric, &kind))
		spt_cli_complain("--by takes %s, not \"%s\"%s", names, name, nearest);
	else if (!spt_grouping_fits(spt_grouping(kind), metric))
		spt_cli_complain("--by %s does not go with metric \"%s\", which takes %s", name,
				 metric->name, names);
	else
		return true;
	return false;
}

/* A name with a dot may be a field of a kind that the recording declares. */
static bool check(const union spt_report_value *value, const SptMetric *metric)
{
	return !metric || strchr(value->text, '.') || check_grouping(value->text, metric);
}

static bool check_recorded(const struct spt_report *report, SptGroupKind kind)
{
	const SptGrouping *grouping = spt_grouping(kind);
	const char *option = spt_grouping_lacks(grouping, report->capture);

	if (option)
		spt_cli_complain("%s does not have what --by %s needs: \"" SPT_CLI
				 " record %s\" records that",
				 report->capture->path, grouping->name, option);
	return !option;
}

static SptGroupKind kind_of(const struct spt_report *report)
{
	SptGroupKind kind;

	find_grouping(report->value.text, report->metric, &kind);
	return kind;
}

static bool find(struct spt_report *report)
{
	if (!check_grouping(report->value.text, report->metric) ||
	    !check_recorded(report, kind_of(report)))
		return false;

	GArray *groups = spt_groups_new(report->base, report->filter, kind_of(report));

	g_array_set_size(groups, spt_report_n_shown(report, groups, offsetof(SptGroupRow, weight)));
	report->found = groups;
	return true;
}

/* As the row is called, with the unit of times as it is written. */
static char *describe_group(const SptGroupRow *row, SptGroupKind kind)
{
	g_autofree char *text = spt_group_describe(row, kind, false);
	g_autofree char *written = strcmp(spt_grouping(kind)->name, "lifetime") == 0 ?
					   spt_micro_text(text) :
					   g_steal_pointer(&text);

	return spt_format_cut(written, 0);
}

static void print_text(const struct spt_report *report)
{
	const GArray *groups = report->found;
	uint64_t all = spt_profile_total(report->profile);
	const char *unit = report->metric->is_cpu ? "Time" : spt_metric_head(report->metric);
	g_autofree char *head = g_strconcat(unit, " %", NULL);
	int columns = MAX(7, (int)strlen(head));

	if (kind_of(report) == SPT_GROUP_THREAD && spt_report_has_thread_times(report)) {
		spt_report_print_thread_times(report);
		return;
	}
	fputs(spt_color(SPT_COLOR_TITLE), stdout);
	spt_report_print_part_head(report, head, columns);
	printf("%10s  %10s  By %s%s\n", spt_metric_head(report->metric), "Samples",
	       report->value.text, spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < groups->len; i++) {
		const SptGroupRow *row = &g_array_index(groups, SptGroupRow, i);
		g_autofree char *shown = describe_group(row, kind_of(report));
		g_autofree char *weight = spt_metric_text(report->metric, row->weight);

		spt_report_print_part(report, row->weight, all, columns);
		printf("%*s  %10" PRIu64 "  %s\n", spt_format_width(weight, 10), weight,
		       row->samples, shown);
	}
	if (spt_grouping(kind_of(report))->lacks != spt_clients_lack)
		return;
	if (spt_capture_has_stream(report->capture, SPT_ROW_WAIT) &&
	    !spt_clients_have_wakers(report->capture))
		printf("\nWho woke whom was not recorded, so hand-overs are missing: it needs the module, or tracefs mounted for root.\n");
	else if (spt_clients_are_thinned(report->capture))
		printf("\nNot every wait was recorded, so hand-overs are missing: --waits=all records each.\n");
}

/* Members that do not belong to the kind of group are absent. */
static void add_json(const struct spt_report *report, SptJson *json)
{
	unsigned parts = spt_grouping(kind_of(report))->parts;
	const GArray *groups = report->found;

	spt_json_text(json, "by", report->value.text);
	spt_json_array(json, "groups");
	for (unsigned i = 0; i < groups->len; i++) {
		const SptGroupRow *row = &g_array_index(groups, SptGroupRow, i);

		spt_json_object(json, NULL);
		if (parts & SPT_GROUP_HAS_CPU)
			spt_json_count(json, "cpu", row->cpu);
		if (parts & SPT_GROUP_HAS_NAME)
			spt_json_text(json, "name", row->name);
		if (parts & SPT_GROUP_HAS_PID)
			spt_json_count(json, "pid", row->pid);
		if (parts & SPT_GROUP_HAS_TID)
			spt_json_count(json, "tid", row->tid);
		spt_json_count(json, "samples", row->samples);
		spt_report_add_weight(report, json, row->weight);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	if (kind_of(report) == SPT_GROUP_THREAD && spt_report_has_thread_times(report))
		spt_report_add_thread_times(report, json);
}

const struct spt_report_kind spt_report_groups = {
	.option = { "by", 0, 0, G_OPTION_ARG_STRING, NULL, NULL, "KIND" },
	.help = help,
	.of = SPT_REPORT_OF_BASE,
	.check = check,
	.find = find,
	.has_parts = true,
	.text = print_text,
	.json = add_json,
	.clear = (GDestroyNotify)g_array_unref,
};
