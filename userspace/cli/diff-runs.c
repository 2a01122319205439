/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff --runs: values of a run where each recording is of a command, else percent of the whole; and
 * for each change how large chance makes it.
 */
#include "diff-runs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "json.h"
#include "profile/compare-runs.h"
#include "profile/summary.h"
#include "report-fields.h"
#include "report-metric.h"

#define MOST_RUNS    64
#define TEXT_LEAST   0.0001		/* change, of the whole */
#define HEAD_COLUMNS 49			/* up to the function's name */

struct run {
	/* Of several parts of a recording the first one has them. */
	SptCapture *capture;
	SptSymbols *symbols;
	bool is_borrowed;
	SptProfile *profile;
};

struct side {
	GArray *runs;			/* struct run */
	GPtrArray *profiles;		/* of them */
	GArray *worth;			/* double, of them */
	bool are_commands;
};

struct runs_page {
	const struct spt_diff_runs_options *options;
	struct side sides[SPT_SIDES];
	bool is_share;			/* values are percent */
	SptRuns runs[SPT_SIDES];
	SptRunsEstimate whole;
	GArray *rows;			/* SptRunsRow */
	const uint32_t *order;
	uint32_t n_shown;
};

static void clear_run(struct run *run)
{
	g_clear_pointer(&run->profile, spt_profile_free);
	if (run->is_borrowed)
		return;
	g_clear_pointer(&run->symbols, spt_symbols_free);
	g_clear_pointer(&run->capture, spt_capture_free);
}

SptProfile *spt_diff_side(const SptCapture *capture, SptSymbols *symbols, const SptFilter *filter,
			  const struct spt_filter_options *options)
{
	g_autoptr(SptProfile) profile = spt_profile_new(capture, symbols, options->metric, filter);

	if (!spt_report_filter_check(options, capture, symbols, profile))
		return NULL;
	spt_shape_options_apply(&options->shape, &profile);
	if (spt_profile_total(profile) > 0)
		return g_steal_pointer(&profile);
	spt_cli_complain("%s has no samples to compare", capture->path);
	return NULL;
}

/* Narrows @filter to part @i of @n of the time that it selects. */
static void choose_part(SptFilter *filter, const SptSummary *summary, unsigned i, unsigned n)
{
	uint64_t begin = MAX(filter->begin_ns, summary->start_ns),
		 end = filter->end_ns ? MIN(filter->end_ns, summary->end_ns + 1) :
					summary->end_ns + 1;
	double part = end > begin ? (double)(end - begin) / n : 0;

	filter->begin_ns = begin + (uint64_t)(part * i);
	filter->end_ns = i + 1 == n ? end : begin + (uint64_t)(part * (i + 1));
}

/* Part @i of a recording.  Returns an exit status. */
static int fold_run(struct run *run, const struct spt_diff_runs_options *options, unsigned i,
		    bool *ret_is_command)
{
	struct spt_report_filter filter = { 0 };
	SptSummary summary;
	int status = SPT_EXIT_FAILURE;

	if (!spt_filter_options_check_metric(options->filter, run->capture))
		return SPT_EXIT_FAILURE;
	spt_summary_init(&summary, run->capture);
	if (!spt_report_filter_init(&filter, options->filter, run->capture, summary.start_ns)) {
		status = SPT_EXIT_USAGE;
	} else if (run->symbols ||
		   (run->symbols = spt_filter_options_symbols(options->filter, run->capture))) {
		if (options->n_parts > 1)
			choose_part(&filter.filter, &summary, i, options->n_parts);
		run->profile = spt_diff_side(run->capture, run->symbols, &filter.filter,
					     options->filter);
	}
	spt_summary_clear(&summary);
	*ret_is_command = filter.filter.processes != NULL;
	spt_report_filter_clear(&filter);
	return run->profile ? SPT_EXIT_OK : status;
}

static int add_runs(struct side *side, const char *path,
		    const struct spt_diff_runs_options *options)
{
	struct run run = { .capture = spt_cli_open(path) };
	bool is_command = false;
	int status = SPT_EXIT_OK;

	if (!run.capture)
		return SPT_EXIT_FAILURE;
	for (unsigned i = 0; status == SPT_EXIT_OK && i < options->n_parts; i++) {
		if (i == 0 && !spt_filter_options_find_declared(options->filter, run.capture))
			status = SPT_EXIT_USAGE;
		else
			status = fold_run(&run, options, i, &is_command);
		g_array_append_val(side->runs, run);
		run.profile = NULL;
		run.is_borrowed = true;
		side->are_commands &= is_command;
	}
	if (status == SPT_EXIT_FAILURE && options->n_parts > 1)
		spt_cli_complain("--split %u makes parts of %s without samples; split it into fewer",
				 options->n_parts, path);
	return status;
}

static int open_side(struct side *side, const char *list,
		     const struct spt_diff_runs_options *options)
{
	g_auto(GStrv) paths = g_strsplit(list, ",", MOST_RUNS + 1);
	int status = SPT_EXIT_OK;

	side->runs = g_array_new(FALSE, TRUE, sizeof(struct run));
	g_array_set_clear_func(side->runs, (GDestroyNotify)clear_run);
	side->profiles = g_ptr_array_new();
	side->worth = g_array_new(FALSE, FALSE, sizeof(double));
	side->are_commands = options->n_parts == 1;
	if (g_strv_length(paths) > MOST_RUNS) {
		spt_cli_complain("--runs compares at most %d recordings with as many", MOST_RUNS);
		return SPT_EXIT_USAGE;
	}
	for (unsigned i = 0; status == SPT_EXIT_OK && paths[i]; i++)
		status = add_runs(side, paths[i], options);
	return status;
}

static void close_side(struct side *side)
{
	g_clear_pointer(&side->runs, g_array_unref);
	g_clear_pointer(&side->profiles, g_ptr_array_unref);
	g_clear_pointer(&side->worth, g_array_unref);
}

/* Of a weight of 1, in the metric's unit or in percent. */
static double worth_of(const struct runs_page *page, const struct run *run)
{
	uint64_t worth = spt_metric_worth(page->options->filter->metric, run->capture);

	return page->is_share ? 100.0 / (double)spt_profile_total(run->profile) :
				(double)MAX(worth, 1);
}

static void weigh_sides(struct runs_page *page)
{
	page->is_share = !page->sides[SPT_BEFORE].are_commands ||
			 !page->sides[SPT_AFTER].are_commands;
	for (unsigned i = 0; i < SPT_SIDES; i++) {
		struct side *side = &page->sides[i];

		for (guint k = 0; k < side->runs->len; k++) {
			const struct run *run = &g_array_index(side->runs, struct run, k);
			double worth = worth_of(page, run);

			g_ptr_array_add(side->profiles, run->profile);
			g_array_append_val(side->worth, worth);
		}
		page->runs[i] = (SptRuns){
			.profiles = (const SptProfile *const *)side->profiles->pdata,
			.worth = (const double *)(void *)side->worth->data,
			.n = side->runs->len,
		};
	}
	page->whole = spt_runs_whole(page->runs);
}

/* "1.23 s", "+1.23 s" with @sign. */
static char *tell_value(const struct runs_page *page, double value, bool has_sign)
{
	const char *sign = !has_sign ? "" : value < 0 ? "-" : "+";
	SptUnit unit = page->options->filter->metric->unit;
	g_autofree char *text = NULL;

	value = has_sign ? fabs(value) : value;
	if (page->is_share)
		text = g_strdup_printf("%.2f", value);
	else if (unit == SPT_UNIT_NS)
		text = spt_format_ns((uint64_t)llround(MAX(value, 0)));
	else if (unit == SPT_UNIT_BYTES)
		text = spt_format_bytes((uint64_t)llround(MAX(value, 0)));
	else
		text = spt_format_count((uint64_t)llround(MAX(value, 0)));
	return g_strconcat(sign, text, NULL);
}

static void print_files(const struct runs_page *page)
{
	for (unsigned i = 0; i < SPT_SIDES; i++) {
		const struct side *side = &page->sides[i];
		const struct run *first = &g_array_index(side->runs, struct run, 0);
		g_autofree char *path = spt_format_cut(first->capture->path, 0), *what = NULL;

		what = side->runs->len == page->options->n_parts ?
			       g_strdup_printf("parts of %s", path) :
			       g_strdup_printf("runs, %s and so on", path);
		if (side->runs->len == 1)
			printf("%c: %s, a single run: its samples alone say how sure a change is\n",
			       'A' + (int)i, path);
		else
			printf("%c: %u %s\n", 'A' + (int)i, side->runs->len, what);
	}
}

static void print_whole(const struct runs_page *page)
{
	const SptRunsEstimate *whole = &page->whole;
	g_autofree char *before = tell_value(page, whole->mean[SPT_BEFORE], false),
			*after = tell_value(page, whole->mean[SPT_AFTER], false),
			*change = tell_value(page, fabs(whole->change), false),
			*margin = tell_value(page, whole->margin, false);
	const char *title = page->options->filter->metric->title;

	if (page->is_share)
		printf("Values are percent of each %s.\n",
		       page->options->n_parts > 1 ? "part" : "recording");
	else if (spt_runs_is_sure(whole))
		printf("%s of a run: %s before, %s after: %s \302\261 %s %s (%.1f %%).\n", title,
		       before, after, change, margin, whole->change < 0 ? "less" : "more",
		       100 * fabs(whole->change) / MAX(whole->mean[SPT_BEFORE], 1));
	else
		printf("%s of a run: %s before, %s after: no difference; these runs would show one "
		       "of more than %s.\n",
		       title, before, after, margin);
}

static const SptRunsEstimate *estimate_of(const struct runs_page *page, const SptRunsRow *row)
{
	return page->options->by_total ? &row->total : &row->self;
}

static char *describe_row(const struct runs_page *page, const SptRunsRow *row)
{
	GString *text = g_string_new(row->name);

	if (!page->options->are_paths)
		g_string_append_printf(text, "  %s", row->object);
	while (page->options->are_paths && row->parent != UINT32_MAX) {
		row = &g_array_index(page->rows, SptRunsRow, row->parent);
		g_string_append_printf(text, " < %s", row->name);
	}
	return g_string_free(text, FALSE);
}

static void print_row(const struct runs_page *page, const SptRunsRow *row)
{
	const SptRunsEstimate *estimate = estimate_of(page, row);
	unsigned width = spt_terminal_width();
	g_autofree char *change = tell_value(page, estimate->change, true),
			*margin = tell_value(page, estimate->margin, false),
			*before = tell_value(page, estimate->mean[SPT_BEFORE], false),
			*after = tell_value(page, estimate->mean[SPT_AFTER], false),
			*text = describe_row(page, row), *shown = NULL;

	shown = spt_format_cut(text, width > HEAD_COLUMNS + 10 ? width - HEAD_COLUMNS : 0);
	printf("%s%*s  %*s  %*s  %*s  %s%s\n",
	       spt_color(!spt_runs_is_sure(estimate) ? SPT_COLOR_FAINT :
			 estimate->change > 0	     ? SPT_COLOR_HOT :
						       SPT_COLOR_GOOD),
	       spt_format_width(change, 10), change, spt_format_width(margin, 10), margin,
	       spt_format_width(before, 10), before, spt_format_width(after, 10), after, shown,
	       spt_color(SPT_COLOR_OFF));
}

static void print_text(const struct runs_page *page)
{
	unsigned n_sure = 0, n = 0;

	spt_terminal_page();
	print_files(page);
	print_whole(page);
	for (uint32_t i = 0; i < page->rows->len; i++) {
		const SptRunsRow *row = &g_array_index(page->rows, SptRunsRow, i);

		n += !row->is_process;
		n_sure += !row->is_process && spt_runs_is_sure(estimate_of(page, row));
	}
	printf("%u of %u %s changed by more than their margin, as one in 20 does by chance.\n\n",
	       n_sure, n, page->options->are_paths ? "paths" : "functions");
	printf("%s%10s  %10s  %10s  %10s  %s%s\n", spt_color(SPT_COLOR_TITLE),
	       page->options->by_total ? "Total +-" : "Self +-", "Margin +-", "Before", "After",
	       page->options->are_paths ? "Function < callers" : "Function  Object",
	       spt_color(SPT_COLOR_OFF));
	for (uint32_t i = 0; i < page->n_shown; i++)
		print_row(page, &g_array_index(page->rows, SptRunsRow, page->order[i]));
}

static void add_estimate(SptJson *json, const char *key, const SptRunsEstimate *estimate)
{
	spt_json_object(json, key);
	spt_json_number(json, "a", estimate->mean[SPT_BEFORE]);
	spt_json_number(json, "b", estimate->mean[SPT_AFTER]);
	spt_json_number(json, "change", estimate->change);
	spt_json_number(json, "margin", estimate->margin);
	spt_json_flag(json, "is_sure", spt_runs_is_sure(estimate));
	spt_json_end_object(json);
}

static void add_files(SptJson *json, const struct runs_page *page, unsigned side, const char *key)
{
	const GArray *runs = page->sides[side].runs;

	spt_json_array(json, key);
	for (guint i = 0; i < runs->len; i++)
		spt_json_text(json, NULL, g_array_index(runs, struct run, i).capture->path);
	spt_json_end_array(json);
}

static void add_row(SptJson *json, const struct runs_page *page, const SptRunsRow *row)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	spt_json_object(json, NULL);
	spt_json_function(json, row->name, row->object);
	add_estimate(json, "self", &row->self);
	add_estimate(json, "total", &row->total);
	if (page->options->are_paths) {
		for (const SptRunsRow *up = row;;
		     up = &g_array_index(page->rows, SptRunsRow, up->parent)) {
			g_ptr_array_add(names, (gpointer)up->name);
			if (up->parent == UINT32_MAX)
				break;
		}
		spt_json_array(json, "path");
		for (guint i = names->len; i > 0; i--)
			spt_json_text(json, NULL, names->pdata[i - 1]);
		spt_json_end_array(json);
	}
	spt_json_end_object(json);
}

/* The keys are a contract with scripts (json.md): add some, but never rename one. */
static void print_json(const struct runs_page *page)
{
	SptJson *json = &(SptJson){ 0 };
	const SptMetric *metric = page->options->filter->metric;

	spt_json_object(json, NULL);
	add_files(json, page, SPT_BEFORE, "a");
	add_files(json, page, SPT_AFTER, "b");
	spt_json_text(json, "metric", metric->name);
	spt_json_text(json, "unit", page->is_share ? "percent" : spt_unit_name(metric->unit));
	add_estimate(json, "whole", &page->whole);
	spt_json_array(json, page->options->are_paths ? "paths" : "functions");
	for (uint32_t i = 0; i < page->n_shown; i++)
		add_row(json, page, &g_array_index(page->rows, SptRunsRow, page->order[i]));
	spt_json_end_array(json);
	spt_json_end_object(json);
}

/* Processes are no functions, and text has no zeros; the rest is at the front of @order. */
static void select_rows(struct runs_page *page, uint32_t *order)
{
	double least = page->options->is_json ? 0 : page->whole.mean[SPT_BEFORE] * TEXT_LEAST;

	for (uint32_t i = 0; i < page->rows->len && page->n_shown < page->options->limit; i++) {
		const SptRunsRow *row = &g_array_index(page->rows, SptRunsRow, order[i]);

		if (!row->is_process && row->total.mean[0] + row->total.mean[1] > 0 &&
		    fabs(estimate_of(page, row)->change) >= least)
			order[page->n_shown++] = order[i];
	}
	page->order = order;
}

static int print_runs(struct runs_page *page)
{
	g_autofree uint32_t *order = NULL;

	weigh_sides(page);
	page->rows = spt_runs_rows(page->runs, page->options->are_paths);
	order = spt_runs_order(page->rows, page->options->by_total);
	select_rows(page, order);
	if (page->options->is_json)
		print_json(page);
	else
		print_text(page);
	g_array_unref(page->rows);
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

int spt_diff_runs(const char *const *lists, const struct spt_diff_runs_options *options)
{
	struct runs_page page = { .options = options };
	int status = SPT_EXIT_OK;

	for (unsigned i = 0; status == SPT_EXIT_OK && i < SPT_SIDES; i++)
		status = open_side(&page.sides[i], lists[i], options);
	if (status == SPT_EXIT_OK)
		status = print_runs(&page);
	for (unsigned i = 0; i < SPT_SIDES; i++)
		close_side(&page.sides[i]);
	return status;
}
