/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sysprof-cli diff: functions and processes with a larger or smaller percentage in one recording
 * than in another.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "diff-runs.h"
#include "json.h"
#include "profile/culprit.h"
#include "profile/diff.h"
#include "profile/faster.h"
#include "profile/summary.h"
#include "report-filter.h"
#include "report-fields.h"
#include "report-metric.h"

#define TEXT_MIN_POINTS 0.01
#define HEAD_COLUMNS 53			/* up to the function's name */
#define A_SCREEN G_MININT		/* --limit was not given */
/*
 * Lines above and below the rows, and the shell's next line; number of rows where a terminal has
 * hardly any room.
 */
#define ROWS_AROUND 6
#define ROWS_LEAST 5
#define MOST_PARTS 64

struct options {
	gboolean path, total, json, runs;
	int limit, split;
	double min_points, fail_points;
	char *fail_above;
	bool is_one;			/* A: its fast marks, B: the slow ones */
	struct spt_filter_options filter;
};

struct page {
	const struct options *options;
	const SptCapture *captures[SPT_SIDES];
	const SptProfile *profiles[SPT_SIDES];
	bool is_command[SPT_SIDES];
	char *scopes[SPT_SIDES];	/* spt_report_scope() */
	GPtrArray *said;		/* spt_faster_new() */
	GArray *rows;			/* SptDiffRow */
	const uint32_t *shown;		/* of rows: those on the page, in their order */
	uint32_t n_shown;
	uint32_t n_more;		/* rows that the limit removed */
};

static const SptDiffRow *row_at(const struct page *page, uint32_t index)
{
	return &g_array_index(page->rows, SptDiffRow, index);
}

/* In points: percent of the whole. */
static double change_of(const SptDiffRow *row, bool of_total)
{
	const double *shares = of_total ? row->total : row->self;

	return 100 * (shares[SPT_AFTER] - shares[SPT_BEFORE]);
}

/* Number of rows: as requested, or as the screen has room for. */
static uint32_t limit_of(const struct options *options, unsigned n_said)
{
	unsigned around = ROWS_AROUND + n_said;
	unsigned rows = options->json ? 0 : spt_terminal_rows();

	if (options->limit != A_SCREEN)
		return options->limit ? (uint32_t)options->limit : UINT32_MAX;
	return rows ? MAX(rows, ROWS_LEAST + around) - around : UINT32_MAX;
}

/*
 * Selects the rows to show: those that are no processes and have changed enough.  They are at the
 * front of @order.
 */
static void select_rows(struct page *page, GArray *rows, uint32_t *order)
{
	const struct options *options = page->options;
	double least = options->min_points >= 0 ? options->min_points :
		       options->json		? 0 :
						  TEXT_MIN_POINTS;
	uint32_t limit = limit_of(options, page->said->len);

	for (uint32_t i = 0; i < rows->len; i++) {
		const SptDiffRow *row = &g_array_index(rows, SptDiffRow, order[i]);

		/* A filter may have removed all of a function. */
		if (row->is_process || !(row->total[SPT_BEFORE] + row->total[SPT_AFTER] > 0) ||
		    fabs(change_of(row, options->total)) < least)
			continue;
		if (page->n_shown < limit)
			order[page->n_shown++] = order[i];
		else
			page->n_more++;
	}
}

/* A path reversed, so that a line that is cut keeps the important end. */
static char *describe(const struct page *page, uint32_t index, unsigned columns)
{
	const SptDiffRow *row = row_at(page, index);
	g_autoptr(GString) after = g_string_new(NULL);

	if (page->options->path) {
		for (uint32_t up = row->parent; up != UINT32_MAX; up = row_at(page, up)->parent)
			g_string_append_printf(after, " < %s", row_at(page, up)->name);
	} else {
		g_string_append_printf(after, "  %s", row->object);
	}
	return spt_format_name("", row->name, after->str, columns);
}

static const char *color_of(const struct page *page, const SptDiffRow *row)
{
	const uint64_t n_samples[SPT_SIDES] = {
		spt_profile_n_samples(page->profiles[SPT_BEFORE]),
		spt_profile_n_samples(page->profiles[SPT_AFTER]),
	};

	if (spt_diff_may_be_chance(row, page->options->total, n_samples))
		return spt_color(SPT_COLOR_FAINT);
	return spt_color(change_of(row, page->options->total) > 0 ? SPT_COLOR_HOT : SPT_COLOR_GOOD);
}

/*
 * Whether nothing has grown by more than --fail-above allows; else prints the worst row on stderr.
 */
static bool check_growth(const struct page *page)
{
	const struct options *options = page->options;
	const SptDiffRow *worst = NULL;

	for (uint32_t i = 0; options->fail_above && i < page->rows->len; i++) {
		const SptDiffRow *row = row_at(page, i);

		if (!row->is_process && change_of(row, options->total) > options->fail_points &&
		    (!worst || change_of(row, options->total) > change_of(worst, options->total)))
			worst = row;
	}
	if (!worst)
		return true;
	spt_cli_complain("%s (%s) takes %.2f points more than before; --fail-above %s allows less",
			 worst->name, worst->object, change_of(worst, options->total),
			 options->fail_above);
	return false;
}

static void print_text(const struct page *page)
{
	static const char sides[SPT_SIDES] = { 'A', 'B' };
	unsigned width = spt_terminal_width();
	/* A function with the machinery that it called, but for paths. */
	bool own = spt_culprits_matter(page->profiles[SPT_BEFORE]) && !page->options->path;

	spt_terminal_page();
	for (unsigned side = 0; side < SPT_SIDES; side++) {
		g_autofree char *samples =
			spt_format_count(spt_profile_n_samples(page->profiles[side]));
		g_autofree char *path = spt_format_cut(page->captures[side]->path, 0);

		printf("%c: %s, %s %s%s%s\n", sides[side], path, samples,
		       page->options->filter.metric->is_cpu ? "samples" : "events",
		       page->scopes[side] ? " of " : "",
		       page->scopes[side] ? page->scopes[side] : "");
	}
	for (unsigned i = 0; i < page->said->len; i++)
		spt_format_print_sentence(page->said->pdata[i]);
	printf("\n%s%8s  %8s  %8s  %9s  %9s  %s%s\n", spt_color(SPT_COLOR_TITLE), page->options->total ? "Total +-" : own ? "Own +-" : "Self +-",
	       own ? "Own A %" : "Self A %", own ? "Own B %" : "Self B %", "Total A %", "Total B %",
	       page->options->path ? "Function < callers" : "Function  Object",
	       spt_color(SPT_COLOR_OFF));
	for (uint32_t i = 0; i < page->n_shown; i++) {
		const SptDiffRow *row = row_at(page, page->shown[i]);
		g_autofree char *shown =
			describe(page, page->shown[i],
				 width > HEAD_COLUMNS + 10 ? width - HEAD_COLUMNS : 0);

		printf("%s%+8.2f  %8.2f  %8.2f  %9.2f  %9.2f  %s%s\n", color_of(page, row),
		       change_of(row, page->options->total), 100 * row->self[SPT_BEFORE],
		       100 * row->self[SPT_AFTER], 100 * row->total[SPT_BEFORE],
		       100 * row->total[SPT_AFTER], shown, spt_color(SPT_COLOR_OFF));
	}
	if (page->n_more && page->options->limit == A_SCREEN) {
		g_autofree char *more = spt_format_count(page->n_more);

		printf("%s... %s more: --limit 0%s\n", spt_color(SPT_COLOR_FAINT), more,
		       spt_color(SPT_COLOR_OFF));
	}
	if (page->n_shown == 0)
		printf("No difference of %.2f points or more.\n",
		       page->options->min_points >= 0 ? page->options->min_points :
							TEXT_MIN_POINTS);
}

static void add_side(SptJson *json, const struct page *page, unsigned side, const char *key)
{
	spt_json_object(json, key);
	spt_json_text(json, "file", page->captures[side]->path);
	spt_json_text(json, "scope", page->is_command[side] ? "command" : "all");
	spt_json_count(json, "samples", spt_profile_n_samples(page->profiles[side]));
	spt_metric_add_sum(json, page->options->filter.metric, page->captures[side],
			   spt_profile_total(page->profiles[side]));
	spt_json_end_object(json);
}

static void add_path(SptJson *json, const struct page *page, uint32_t index)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();

	for (uint32_t up = index; up != UINT32_MAX; up = row_at(page, up)->parent)
		g_ptr_array_add(names, (gpointer)row_at(page, up)->name);
	spt_json_array(json, "path");
	for (unsigned i = names->len; i > 0; i--)
		spt_json_text(json, NULL, names->pdata[i - 1]);
	spt_json_end_array(json);
}

/* The keys are a contract with scripts (json.md): add some, but never rename one. */
static void print_json(const struct page *page)
{
	SptJson *json = &(SptJson){ 0 };

	spt_json_object(json, NULL);
	add_side(json, page, SPT_BEFORE, "a");
	add_side(json, page, SPT_AFTER, "b");
	spt_json_array(json, "sentences");
	for (unsigned i = 0; i < page->said->len; i++)
		spt_json_text(json, NULL, page->said->pdata[i]);
	spt_json_end_array(json);
	spt_json_array(json, page->options->path ? "paths" : "functions");
	for (uint32_t i = 0; i < page->n_shown; i++) {
		const SptDiffRow *row = row_at(page, page->shown[i]);

		spt_json_object(json, NULL);
		if (page->options->path)
			add_path(json, page, page->shown[i]);
		spt_json_function(json, row->name, row->object);
		spt_json_number(json, "self_a_pct", 100 * row->self[SPT_BEFORE]);
		spt_json_number(json, "self_b_pct", 100 * row->self[SPT_AFTER]);
		spt_json_number(json, "self_change", change_of(row, false));
		spt_json_number(json, "total_a_pct", 100 * row->total[SPT_BEFORE]);
		spt_json_number(json, "total_b_pct", 100 * row->total[SPT_AFTER]);
		spt_json_number(json, "total_change", change_of(row, true));
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	spt_json_end_object(json);
}

/* Some samples of the command are not compared. */
static bool has_conditions(const struct spt_filter_options *filter)
{
	return filter->thread || filter->cpu || filter->time || filter->process ||
	       filter->parallelism || spt_filter_options_about_stacks(filter);
}

/* What is compared, and the answer in absolute numbers. */
static void say(struct page *page, const struct spt_report_filter *filters)
{
	bool is_command = !has_conditions(&page->options->filter);

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		const SptFilter *filter = &filters[side].filter;

		page->is_command[side] = filter->processes != NULL;
		page->scopes[side] = spt_report_scope(page->captures[side], filter);
		is_command &= page->is_command[side];
	}
	page->said = spt_faster_new(&(SptFasterInput){
		.profiles = { page->profiles[SPT_BEFORE], page->profiles[SPT_AFTER] },
		.captures = { page->captures[SPT_BEFORE], page->captures[SPT_AFTER] },
		.is_command = is_command,
	});
}

static int print_diff(const SptCapture *before, const SptCapture *after,
		      const struct options *options, const struct spt_report_filter *filters)
{
	g_autoptr(SptSymbols) before_symbols = spt_filter_options_symbols(&options->filter, before);
	g_autoptr(SptSymbols) after_symbols =
		before_symbols ? spt_filter_options_symbols(&options->filter, after) : NULL;
	g_autoptr(SptProfile) before_profile = !after_symbols ? NULL :
		spt_diff_side(before, before_symbols, &filters[SPT_BEFORE].filter,
			      &options->filter);
	g_autoptr(SptProfile) after_profile = before_profile ?
		spt_diff_side(after, after_symbols, &filters[SPT_AFTER].filter,
			      &options->filter) : NULL;
	g_autoptr(GArray) rows = NULL;
	g_autofree uint32_t *order = NULL;
	struct page page = {
		.options = options,
		.captures = { before, after },
		.profiles = { before_profile, after_profile },
	};

	if (!after_profile)
		return SPT_EXIT_FAILURE;
	rows = options->path ? spt_diff_paths(before_profile, after_profile) :
			       spt_diff_functions(before_profile, after_profile);
	order = spt_diff_order(rows, options->total);
	page.rows = rows;
	page.shown = order;
	say(&page, filters);
	select_rows(&page, rows, order);
	if (options->json)
		print_json(&page);
	else
		print_text(&page);
	g_ptr_array_unref(page.said);
	for (unsigned side = 0; side < SPT_SIDES; side++)
		g_free(page.scopes[side]);
	if (!spt_cli_flush())
		return SPT_EXIT_FAILURE;
	return check_growth(&page) ? SPT_EXIT_OK : SPT_EXIT_GREW;
}

/* Times count from the beginning of each recording. */
static int compare(const SptCapture *before, const SptCapture *after, struct options *options)
{
	const SptCapture *const captures[SPT_SIDES] = { before, after };
	struct spt_report_filter filters[SPT_SIDES] = { 0 };
	bool ok = true;
	int status;

	if (!spt_filter_options_find_declared(&options->filter, before))
		return SPT_EXIT_USAGE;
	for (unsigned side = 0; side < SPT_SIDES; side++)
		if (!spt_filter_options_check_metric(&options->filter, captures[side]))
			return SPT_EXIT_FAILURE;
	for (unsigned side = 0; ok && side < SPT_SIDES; side++) {
		struct spt_filter_options conditions = options->filter;
		SptSummary summary;

		conditions.has_fast_marks = options->is_one && side == SPT_BEFORE;
		spt_summary_init(&summary, captures[side]);
		ok = spt_report_filter_init(&filters[side], &conditions, captures[side],
					     summary.start_ns);
		spt_summary_clear(&summary);
	}
	status = ok ? print_diff(before, after, options, filters) : SPT_EXIT_USAGE;
	for (unsigned side = 0; side < SPT_SIDES; side++)
		spt_report_filter_clear(&filters[side]);
	return status;
}

/* "5%" or "5". */
static bool parse_growth(struct options *options)
{
	char *end = NULL;

	if (!options->fail_above)
		return true;
	options->fail_points = g_ascii_strtod(options->fail_above, &end);
	if (end != options->fail_above && (!*end || strcmp(end, "%") == 0) &&
	    isfinite(options->fail_points) && options->fail_points >= 0)
		return true;
	spt_cli_complain("--fail-above takes percentage points such as 5%%, not \"%s\"",
			 options->fail_above);
	return false;
}

static bool parse_options(int *argc, char ***argv, struct options *options)
{
	const GOptionEntry entries[] = {
		{ "path", 0, 0, G_OPTION_ARG_NONE, &options->path,
		  "Compare call paths instead of functions", NULL },
		{ "total", 0, 0, G_OPTION_ARG_NONE, &options->total,
		  "Sort by the change of total instead of self", NULL },
		{ "runs", 0, 0, G_OPTION_ARG_NONE, &options->runs,
		  "A and B are several recordings each, with commas between them", NULL },
		{ "split", 0, 0, G_OPTION_ARG_INT, &options->split,
		  "Split each recording into N parts of equal time, which count as runs: they show what chance does",
		  "N" },
		{ "min", 0, 0, G_OPTION_ARG_DOUBLE, &options->min_points,
		  "Hide changes of fewer percentage points (0.01; --json: 0)", "POINTS" },
		{ "fail-above", 0, 0, G_OPTION_ARG_STRING, &options->fail_above,
		  "End with status 3 if the percentage of a function has grown by more points than this, as in 5%",
		  "POINTS" },
		{ "limit", 0, 0, G_OPTION_ARG_INT, &options->limit,
		  "At most N rows (0: all; else as many as a terminal has room for)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
		  "JSON, for scripts: sysprof-json(5) describes it", NULL },
	};
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));

	g_array_append_vals(all, entries, G_N_ELEMENTS(entries));
	spt_filter_options_add(&options->filter, all);
	if (!spt_cli_parse(&cmd_diff, (const GOptionEntry *)all->data, argc, argv))
		return false;
	if ((options->limit < 0 && options->limit != A_SCREEN) || isnan(options->min_points)) {
		spt_cli_complain("--limit and --min take a number that is not negative");
		return false;
	}
	if (options->split < 1 || options->split > MOST_PARTS) {
		spt_cli_complain("--split takes a number from 1 to %d", MOST_PARTS);
		return false;
	}
	options->filter.has_lead = true;
	return parse_growth(options) &&
	       spt_filter_options_guess_metric(&options->filter, *argc, *argv) &&
	       spt_shape_options_parse(&options->filter.shape);
}

static int compare_runs(struct options *options, const char *const *lists)
{
	return spt_diff_runs(lists, &(struct spt_diff_runs_options){
					    .filter = &options->filter,
					    .are_paths = options->path,
					    .by_total = options->total,
					    .is_json = options->json,
					    .limit = limit_of(options, 0),
					    .n_parts = (unsigned)options->split,
				    });
}

static int run_diff(int argc, char **argv)
{
	static const char *const last[SPT_SIDES] = { SPT_CLI_CAPTURE ".old", SPT_CLI_CAPTURE };
	const char *one[SPT_SIDES], *const *paths = last;
	struct options options = { .min_points = -1, .limit = A_SCREEN, .split = 1 };
	g_autoptr(SptCapture) before = NULL;
	g_autoptr(SptCapture) after = NULL;
	int first, status = SPT_EXIT_USAGE;

	if (parse_options(&argc, &argv, &options)) {
		first = spt_cli_first_operand(argc, argv);
		if (argc == first + SPT_SIDES)
			paths = (const char *const *)argv + first;
		options.is_one = argc == first + 1 && options.filter.slower &&
				 (options.filter.mark || options.filter.during);
		one[SPT_BEFORE] = one[SPT_AFTER] = options.is_one ? argv[first] : NULL;
		if (options.is_one)
			paths = one;
		if (argc != first && argc != first + SPT_SIDES && !options.is_one) {
			spt_cli_complain("diff takes two recordings, none for " SPT_CLI_CAPTURE
					 " and the one before, or one for its fast marks and its slow ones (--mark NAME --slower-than TIME): %s diff %s",
					 spt_cli_called(), cmd_diff.usage);
		} else if (options.runs && paths == last) {
			spt_cli_complain("--runs takes two lists of recordings: %s diff --runs "
					 "A1,A2,A3 B1,B2,B3",
					 spt_cli_called());
		} else if (options.runs || options.split > 1) {
			status = compare_runs(&options, paths);
		} else {
			before = spt_cli_open(paths[SPT_BEFORE]);
			after = before ? spt_cli_open(paths[SPT_AFTER]) : NULL;
			status = after ? compare(before, after, &options) : SPT_EXIT_FAILURE;
		}
	}
	spt_filter_options_clear(&options.filter);
	g_free(options.fail_above);
	return status;
}

const struct spt_command cmd_diff = {
	.name = "diff",
	.usage = "[A B]",
	.is_read = true,
	.help = "Compare two recordings: is the second faster, and where",
	.run = run_diff,
};
