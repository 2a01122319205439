/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report-within.h"

#include <stdio.h>
#include <string.h>

#include "base/percent.h"
#include "cmd.h"
#include "profile/groups.h"
#include "profile/mark-times.h"
#include "profile/sentences.h"

/* A wait with less of the marks' time is not worth a word, nor is a group with less of a wait. */
#define LITTLE_PCT  5
#define MOST_GROUPS 3

/* Metrics of waits, and the groupings that say for what they were and who ended them. */
static const struct question {
	const char *metric;
	struct {
		const char *by, *words;
	} parts[2];
} questions[] = {
	{ "blocked", { { "lock", "for" }, { "waker", "woken by" } } },
	{ "lock", { { "lock", "for" }, { "holder", "held by" } } },
};

/* A wait of the marks' threads, as it is said: calls @func for each that is worth it. */
struct answer {
	const struct question *question;
	const SptProfile *base, *waits;	/* of the whole recording, and within the marks */
};

typedef void (*AnswerFunc)(const struct spt_report *report, const struct answer *answer,
			   gpointer data);

static SptMarkTimes within_times(const struct spt_report *report, const char *name)
{
	/* Their own moments are no condition: a mark of no duration is in none. */
	SptFilter filter = *report->filter;
	const SptMarkQuery query = { .name = name, .least_ns = report->least_ns,
				     .filter = &filter };
	SptMarkTimes times;

	filter.moments = NULL;
	spt_mark_times(report->capture, &query, &times);
	return times;
}

static void answer_each(const struct spt_report *report, const SptMarkTimes *times,
			AnswerFunc func, gpointer data)
{
	uint64_t all = spt_mark_step_of_threads(&times->all);

	for (unsigned i = 0; i < G_N_ELEMENTS(questions); i++) {
		const SptMetric *metric = spt_metric_find(questions[i].metric);
		g_autoptr(SptProfile) base = NULL;
		g_autoptr(SptProfile) waits = NULL;

		if (!spt_metric_is_in(metric, report->capture))
			continue;
		base = spt_profile_new_base_for(report->capture, report->symbols, metric,
						report->filter);
		waits = spt_profile_refilter(base, report->filter, NULL);
		if (spt_percent(spt_profile_total(waits), all) >= LITTLE_PCT)
			func(report, &(struct answer){ &questions[i], base, waits }, data);
	}
}

/* The heaviest ones that are worth a word; elements are SptGroupRow. */
static GArray *within_groups(const struct spt_report *report, const struct answer *answer,
			 const char *by, SptGroupKind *ret_kind)
{
	GArray *groups = NULL;
	unsigned n = 0;

	if (!spt_grouping_find(by, ret_kind) ||
	    !spt_grouping_fits(spt_grouping(*ret_kind), spt_profile_metric(answer->base)))
		return NULL;
	groups = spt_groups_new(answer->base, report->filter, *ret_kind);
	while (n < MIN(groups->len, MOST_GROUPS) &&
	       spt_percent(g_array_index(groups, SptGroupRow, n).weight,
			   spt_profile_total(answer->waits)) >= LITTLE_PCT)
		n++;
	g_array_set_size(groups, n);
	return groups;
}

/* @part: of the question; @at: which of its groups it is. */
typedef void (*WithinGroupFunc)(const struct answer *answer, unsigned part, unsigned at,
				const SptGroupRow *row, const char *text, void *data);

static void each_within_group(const struct spt_report *report, const struct answer *answer,
			      WithinGroupFunc func, void *data)
{
	for (unsigned i = 0; i < G_N_ELEMENTS(answer->question->parts); i++) {
		SptGroupKind kind;
		g_autoptr(GArray) groups =
			within_groups(report, answer, answer->question->parts[i].by, &kind);

		for (unsigned j = 0; groups && j < groups->len; j++) {
			const SptGroupRow *row = &g_array_index(groups, SptGroupRow, j);
			g_autofree char *text = spt_group_describe(row, kind, true);

			func(answer, i, j, row, text, data);
		}
	}
}

/* "for accounts_lock 98 %, woken by janitor 97 %" */
static void print_within_group(const struct answer *answer, unsigned part, unsigned at,
			       const SptGroupRow *row, const char *text, void *data)
{
	const char **before = data;
	g_autofree char *shown = spt_format_cut(text, 0);

	printf("%s%s %s %.0f %%", *before, at ? "or" : answer->question->parts[part].words, shown,
	       spt_percent(row->weight, spt_profile_total(answer->waits)));
	*before = ", ";
}

static void print_within_answer(const struct spt_report *report, const struct answer *answer,
			 G_GNUC_UNUSED gpointer data)
{
	g_autofree char *sum = spt_format_ns(spt_profile_total(answer->waits));
	g_autoptr(GArray) said = spt_sentences_new(answer->waits, report->capture, NULL,
						   spt_sentences_find_part(report->filter));
	const SptSentence *places = spt_sentences_find(said, "places");
	g_autofree char *plain = places ? spt_sentence_plain(places->text) : NULL;
	g_autofree char *shown = plain ? spt_format_cut(plain, 0) : NULL;
	const char *before = "";

	/* It goes on behind a colon. */
	if (shown)
		*shown = g_ascii_tolower(*shown);
	printf("%s %s%s%s\n", answer->question->metric, sum, shown ? ": " : "",
	       shown ? shown : "");
	each_within_group(report, answer, print_within_group, &before);
	if (*before)
		putchar('\n');
}

void spt_report_print_within(const struct spt_report *report, const char *name)
{
	const SptMarkTimes times = within_times(report, name);
	uint64_t all = spt_mark_step_of_threads(&times.all);
	g_autofree char *n = spt_format_count(times.all.n),
			*sum = spt_format_ns(times.all.sum_ns);

	printf("within %s %s, %s", n, times.all.n == 1 ? "mark" : "marks", sum);
	if (!times.has_waits)
		printf("; record --waits shows what they waited for\n");
	else
		printf(": ran %.0f %%, was ready to run %.0f %%, blocked %.0f %%, waited for a disk %.0f %%\n",
		       spt_percent(times.all.running_ns, all),
		       spt_percent(times.all.runnable_ns, all),
		       spt_percent(times.all.blocked_ns, all),
		       spt_percent(times.all.disk_ns, all));
	answer_each(report, &times, print_within_answer, NULL);
}

static void add_within_group(const struct answer *answer, unsigned part,
			     G_GNUC_UNUSED unsigned at, const SptGroupRow *row, const char *text,
			     void *data)
{
	SptJson *json = data;

	spt_json_object(json, NULL);
	spt_json_text(json, "by", answer->question->parts[part].by);
	spt_json_text(json, "name", text);
	spt_json_count(json, "weight_ns", row->weight);
	spt_json_number(json, "pct", spt_percent(row->weight, spt_profile_total(answer->waits)));
	spt_json_end_object(json);
}

static void add_within_answer(const struct spt_report *report, const struct answer *answer,
			      gpointer data)
{
	SptJson *json = data;

	spt_json_object(json, NULL);
	spt_json_text(json, "metric", answer->question->metric);
	spt_json_count(json, "sum_ns", spt_profile_total(answer->waits));
	spt_json_array(json, "groups");
	each_within_group(report, answer, add_within_group, json);
	spt_json_end_array(json);
	spt_json_end_object(json);
}

void spt_report_add_within(const struct spt_report *report, const char *name, SptJson *json)
{
	const SptMarkTimes times = within_times(report, name);

	spt_json_object(json, "within");
	spt_json_count(json, "count", times.all.n);
	spt_json_count(json, "sum_ns", times.all.sum_ns);
	if (times.has_waits) {
		spt_json_count(json, "running_ns", times.all.running_ns);
		spt_json_count(json, "runnable_ns", times.all.runnable_ns);
		spt_json_count(json, "blocked_ns", times.all.blocked_ns);
		spt_json_count(json, "disk_ns", times.all.disk_ns);
	}
	spt_json_array(json, "waits");
	answer_each(report, &times, add_within_answer, json);
	spt_json_end_array(json);
	spt_json_end_object(json);
}
