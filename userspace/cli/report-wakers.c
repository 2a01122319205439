/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --wakers: the threads that ended waits, and of which threads. */
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "profile/metric.h"
#include "profile/wakers.h"
#include "report-filter.h"
#include "report.h"

static const SptWaker *wakers_of(const struct spt_report *report)
{
	return (const SptWaker *)((const GArray *)report->found)->data;
}

static bool is_shown(const struct spt_report *report, const SptWaker *node)
{
	return spt_percent(node->ns, wakers_of(report)->ns) >= report->min_percent;
}

static bool find(struct spt_report *report)
{
	g_autoptr(GError) error = NULL;
	GArray *wakers;

	if (!spt_metric_check(spt_metric_find("blocked"), report->capture, &error)) {
		spt_cli_complain("%s", error->message);
		return false;
	}
	report->found = wakers = spt_wakers_new(report->capture, report->symbols, report->filter);
	if (g_array_index(wakers, SptWaker, 0).waits)
		return true;
	if (report->filter->processes) {
		spt_cli_complain("No thread of the command was blocked in what was chosen; --all looks at all threads");
		return false;
	}
	spt_cli_complain(SPT_REPORT_NOTHING_HOLDS, report->capture->path);
	return false;
}

static void print_below(const struct spt_report *report, uint32_t at, unsigned depth)
{
	const SptWaker *nodes = wakers_of(report);

	for (uint32_t i = nodes[at].first_child; i; i = nodes[i].next) {
		const SptWaker *node = &nodes[i];
		g_autofree char *ns = spt_format_ns(node->ns);
		g_autofree char *name = spt_format_cut(node->name, 0);
		g_autofree char *function = spt_format_cut(node->function, 0);

		if (!is_shown(report, node))
			continue;
		printf("%7.2f  %*s  %8" PRIu64 "  %*s%s%s%s%s\n",
		       spt_percent(node->ns, nodes[0].ns), spt_format_width(ns, 10), ns,
		       node->waits, 2 * depth, "", depth ? "by " : "", name,
		       *function ? " in " : "", function);
		print_below(report, i, depth + 1);
	}
}

static void print_text(const struct spt_report *report)
{
	g_autofree char *scope = spt_report_scope(report->capture, report->filter);

	if (scope)
		printf("Of %s; --all shows everything.\n", scope);
	printf("Threads that were blocked; below each who woke it, and who had woken that one before.\n\n"
	       "%7s  %10s  %8s  Thread\n",
	       "Time %", "Blocked", "Waits");
	print_below(report, 0, 0);
}

static void add_below(const struct spt_report *report, SptJson *json, const char *key, uint32_t at)
{
	const SptWaker *nodes = wakers_of(report);

	spt_json_array(json, key);
	for (uint32_t i = nodes[at].first_child; i; i = nodes[i].next) {
		const SptWaker *node = &nodes[i];

		if (!is_shown(report, node))
			continue;
		spt_json_object(json, NULL);
		spt_json_text(json, "thread", node->name);
		spt_json_text(json, "function", *node->function ? node->function : NULL);
		spt_json_count(json, "ns", node->ns);
		spt_json_count(json, "waits", node->waits);
		add_below(report, json, "wakers", i);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	spt_json_text(json, "file", report->capture->path);
	spt_json_text(json, "metric", "blocked");
	spt_json_text(json, "unit", "ns");
	spt_json_count(json, "sum", wakers_of(report)->ns);
	add_below(report, json, "threads", 0);
}

const struct spt_report_kind spt_report_wakers = {
	.option = { "wakers", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "Print the tree of waits and who ended them (needs record --waits)", NULL },
	.of = SPT_REPORT_OF_SAMPLES,
	.min_percent = 0.5,
	.is_of_command = true,
	.find = find,
	.text = print_text,
	.json = add_json,
	.clear = (GDestroyNotify)g_array_unref,
};
