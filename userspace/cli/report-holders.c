/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --holders: the stacks of those who waited for a lock, beside those of the threads that
 * held it meanwhile.  The lock is the innermost frame of both.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "profile/lock-waits.h"
#include "report-filter.h"
#include "report-metric.h"
#include "report.h"

#define DEFAULT_LIMIT 10
#define TEXT_FRAMES   12
#define TEXT_WIDTH    100

static bool find(struct spt_report *report)
{
	GPtrArray *found = spt_lock_waits(report->capture, report->symbols, report->filter);

	report->found = found;
	if (found->len == 0)
		spt_cli_complain(SPT_REPORT_NOTHING_HOLDS, report->capture->path);
	return found->len > 0;
}

/* The last line that is printed says how many are not. */
static char *line_of(const SptLockSide *side, unsigned line, bool is_holder)
{
	if (line == TEXT_FRAMES && side->frames->len > TEXT_FRAMES + 1)
		return g_strdup_printf("  ... %u more", side->frames->len - TEXT_FRAMES);
	return spt_lock_side_line(side, line, is_holder);
}

static void print_group(const SptLockWait *wait, uint64_t sum)
{
	g_autofree char *ns = spt_format_ns(wait->ns);
	unsigned width = spt_terminal_width(), half;
	unsigned lines = MIN(spt_lock_wait_lines(wait), TEXT_FRAMES + 1);

	half = MAX(width ? width : TEXT_WIDTH, 60) / 2 - 2;
	printf("\n%6.2f %%  %*s  %8" PRIu64 " waits for %s\n", spt_percent(wait->ns, sum),
	       spt_format_width(ns, 10), ns, wait->waits, spt_lock_wait_lock(wait)->function);
	for (unsigned i = 0; i < lines; i++) {
		g_autofree char *left = line_of(&wait->waiter, i, false);
		g_autofree char *right = line_of(&wait->holder, i, true);
		g_autofree char *left_cut = spt_format_cut(left, half);
		g_autofree char *right_cut = spt_format_cut(right, half);
		int gap = (int)half - (int)g_utf8_strlen(left_cut, -1);

		printf("  %s%*s%s\n", left_cut, *right_cut ? MAX(gap, 0) + 2 : 0, "", right_cut);
	}
}

static void print_text(const struct spt_report *report)
{
	const GPtrArray *found = report->found;
	unsigned n = MIN(found->len, report->limit == UINT32_MAX ? DEFAULT_LIMIT : report->limit);
	uint64_t sum = spt_lock_waits_sum(found);

	printf("Who waited for which lock, and where the holder was meanwhile.  Innermost first.\n");
	for (unsigned i = 0; i < n; i++)
		print_group(found->pdata[i], sum);
}

static void add_side(SptJson *json, const char *name, const SptLockSide *side)
{
	spt_json_object(json, name);
	spt_json_text(json, "thread", side->thread);
	spt_json_frames(json, side->frames, 1);
	spt_json_end_object(json);
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	const GPtrArray *found = report->found;
	uint64_t sum = spt_lock_waits_sum(found);

	spt_json_text(json, "file", report->capture->path);
	spt_metric_add_sum(json, report->metric, report->capture, sum);
	spt_json_array(json, "waits");
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const SptLockWait *wait = found->pdata[i];

		spt_json_object(json, NULL);
		spt_json_count(json, "weight", wait->ns);
		spt_json_number(json, "pct", spt_percent(wait->ns, sum));
		spt_json_count(json, "events", wait->waits);
		spt_json_text(json, "lock", spt_lock_wait_lock(wait)->function);
		add_side(json, "waiter", &wait->waiter);
		add_side(json, "holder", &wait->holder);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_holders = {
	.option = { "holders", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "Print the stacks of those who waited for locks beside the holders' (needs record --locks)",
		    NULL },
	.of = SPT_REPORT_OF_SAMPLES,
	.metric = "lock",
	.find = find,
	.text = print_text,
	.json = add_json,
	.clear = (GDestroyNotify)g_ptr_array_unref,
};
