/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysprof-cli report: which functions the time went to. */
#include <math.h>
#include <string.h>

#include "cmd.h"
#include "profile/categories.h"
#include "profile/groups.h"
#include "report-filter.h"
#include "report.h"

#define TREE_MIN_PERCENT 0.5

struct options {
	gboolean functions, tree, json;
	char **callers, **callees, *categories, *by, *metric;
	int limit, latest;
	double min_percent;
	struct spt_filter_options filter;
};

GArray *spt_report_edges(const struct spt_report *report)
{
	const uint32_t *members = (const uint32_t *)report->members->data;
	GArray *edges = report->kind == SPT_REPORT_CALLERS ?
		spt_profile_callers_of(report->profile, members, report->members->len) :
		spt_profile_callees_of(report->profile, members, report->members->len);
	uint64_t all = spt_profile_total(report->profile);
	unsigned n = MIN(edges->len, report->limit);

	/* Heaviest first. */
	while (n > 0 &&
	       spt_percent(g_array_index(edges, SptEdge, n - 1).weight, all) < report->min_percent)
		n--;
	g_array_set_size(edges, n);
	return edges;
}

uint32_t *spt_report_functions(const struct spt_report *report, uint32_t *ret_n)
{
	uint32_t n_all, n = 0;
	const SptFunction *functions = spt_profile_functions(report->profile, &n_all);
	uint32_t *order = spt_profile_order(report->profile, true);
	uint64_t all = spt_profile_total(report->profile);

	for (uint32_t i = 0; i < n_all && n < report->limit; i++) {
		const SptFunction *function = &functions[order[i]];

		if (!function->is_process && function->total > 0 &&
		    spt_percent(function->total, all) >= report->min_percent)
			order[n++] = order[i];
	}
	*ret_n = n;
	return order;
}

static bool check_options(const struct options *options)
{
	SptGroupKind kind;

	if (options->functions + options->tree + (options->callers != NULL) +
		    (options->callees != NULL) + (options->categories != NULL) +
		    (options->by != NULL) + (options->latest != 0) + (options->metric != NULL) >
	    1) {
		spt_cli_complain(
			"--functions, --tree, --callers, --callees, --categories, --by, --latest and --metric exclude each other; "
			"give one of them");
		return false;
	}
	if (options->by && !spt_grouping_find(options->by, &kind)) {
		spt_cli_complain(
			"There are no groups by \"%s\" (--by): process, thread, cpu and object are",
			options->by);
		return false;
	}
	if (options->metric && strcmp(options->metric, "delay") != 0) {
		spt_cli_complain("There is no metric \"%s\"; there is \"delay\"", options->metric);
		return false;
	}
	if (options->metric && spt_filter_options_about_stacks(&options->filter)) {
		spt_cli_complain("--metric delay takes no conditions on stacks");
		return false;
	}
	if (options->latest && spt_filter_options_about_stacks(&options->filter)) {
		spt_cli_complain("--latest takes no conditions on stacks");
		return false;
	}
	if (options->limit < 0 || options->latest < 0 || isnan(options->min_percent)) {
		spt_cli_complain("--limit, --latest and --min take a number that is not negative");
		return false;
	}
	return true;
}

static bool parse_options(int *argc, char ***argv, struct options *options)
{
	const GOptionEntry entries[] = {
		{ "functions", 0, 0, G_OPTION_ARG_NONE, &options->functions,
		  "A table of functions (the default)", NULL },
		{ "tree", 0, 0, G_OPTION_ARG_NONE, &options->tree,
		  "The tree of calls, from the processes down", NULL },
		{ "callers", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->callers,
		  "Who called function FN; * and ? are wild, and several are taken for one", "FN" },
		{ "callees", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->callees,
		  "What function FN called, likewise", "FN" },
		{ "categories", 0, 0, G_OPTION_ARG_FILENAME, &options->categories,
		  "Kinds of work, by the rules in FILE: lines of \"category = function [@ object]\"",
		  "FILE" },
		{ "by", 0, 0, G_OPTION_ARG_STRING, &options->by,
		  "The time by process, thread, cpu or object (of the innermost function)",
		  "KIND" },
		{ "latest", 0, 0, G_OPTION_ARG_INT, &options->latest,
		  "The N ticks that came latest, and what they found", "N" },
		{ "metric", 0, 0, G_OPTION_ARG_STRING, &options->metric,
		  "delay: how late ticks came, by the kernel stack they found (where interrupts were off)",
		  "NAME" },
		{ "min", 0, 0, G_OPTION_ARG_DOUBLE, &options->min_percent,
		  "Leave out what is below this share (0; of the tree 0.5, with --json 0)", "PCT" },
		{ "limit", 0, 0, G_OPTION_ARG_INT, &options->limit,
		  "At most N rows of a table (0: all)", "N" },
		{ "json", 0, 0, G_OPTION_ARG_NONE, &options->json,
		  "JSON, for scripts: sysprof-json(5) describes it", NULL },
	};
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(GOptionEntry));

	g_array_append_vals(all, entries, G_N_ELEMENTS(entries));
	spt_filter_options_add(&options->filter, all);
	return spt_cli_parse(&cmd_report, (const GOptionEntry *)all->data, argc, argv) &&
	       check_options(options);
}

static void clear_options(struct options *options)
{
	g_strfreev(options->callers);
	g_strfreev(options->callees);
	g_free(options->categories);
	g_free(options->by);
	g_free(options->metric);
	spt_filter_options_clear(&options->filter);
}

/*
 * Appends the functions called @name, or if there are none and it is a pattern, those that match.
 */
static bool add_members(struct spt_report *report, const char *name)
{
	uint32_t function = spt_profile_find(report->profile, name);
	g_autofree char *near = NULL;

	if (function != UINT32_MAX) {
		g_array_append_val(report->members, function);
		return true;
	}
	if (strpbrk(name, "*?")) {
		g_autoptr(GArray) found = spt_profile_match(report->profile, name);

		g_array_append_vals(report->members, found->data, found->len);
		if (found->len > 0)
			return true;
	}
	near = spt_report_suggest(report->profile, name, false);
	spt_cli_complain("%s has no samples with a function \"%s\"%s", report->capture->path, name,
			 near);
	return false;
}

static int print_page(const struct spt_report *report, bool json)
{
	if (json)
		spt_report_print_json(report);
	else
		spt_report_print_text(report);
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}

static int print_edges(struct spt_report *report, char **names, bool json)
{
	g_autoptr(GArray) members = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	g_autofree char *heading = g_strjoinv(", ", names);

	report->members = members;
	report->heading = heading;
	for (char **name = names; *name; name++) {
		if (!add_members(report, *name))
			return SPT_EXIT_FAILURE;
	}
	return print_page(report, json);
}

static int print_categories(struct spt_report *report, const char *path, bool json)
{
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCategories) categories = NULL;
	g_autoptr(GArray) weights = NULL;

	if (!g_file_get_contents(path, &text, NULL, &error)) {
		spt_cli_complain("Cannot read the rules in %s: %s", path, error->message);
		return SPT_EXIT_FAILURE;
	}
	categories = spt_categories_parse(text, &error);
	if (!categories) {
		spt_cli_complain("Cannot use the rules in %s: %s", path, error->message);
		return SPT_EXIT_FAILURE;
	}
	report->categories = weights = spt_categories_weigh(categories, report->profile);
	return print_page(report, json);
}

static int print_groups(struct spt_report *report, const SptProfile *base, const SptFilter *filter,
			const char *by, bool json)
{
	SptGroupKind kind = SPT_GROUP_PROCESS;
	g_autoptr(GArray) groups = NULL;
	uint64_t all = spt_profile_total(report->profile);
	unsigned n;

	spt_grouping_find(by, &kind);
	groups = spt_groups_new(base, filter, kind);
	n = MIN(groups->len, report->limit);
	/* Heaviest first. */
	while (n > 0 && spt_percent(g_array_index(groups, SptGroupRow, n - 1).weight, all) <
				report->min_percent)
		n--;
	g_array_set_size(groups, n);
	report->groups = groups;
	report->by = by;
	return print_page(report, json);
}

static enum spt_report_kind kind_of(const struct options *options)
{
	return options->tree ? SPT_REPORT_TREE : options->callers ? SPT_REPORT_CALLERS :
	       options->callees ? SPT_REPORT_CALLEES : options->categories ? SPT_REPORT_CATEGORIES :
	       options->by ? SPT_REPORT_GROUPS : SPT_REPORT_FUNCTIONS;
}

static bool tells_delays(const SptCapture *capture)
{
	const char *source = spt_capture_host(capture, "source");

	if (!source || strcmp(source, "perf") != 0)
		return true;
	spt_cli_complain(
		"%s was recorded with perf events, which do not tell how late a tick came; record with the module",
		capture->path);
	return false;
}

static int print_report(const SptCapture *capture, const SptSummary *summary,
			const SptFilter *filter, const void *data)
{
	const struct options *options = data;
	g_autoptr(SptSymbols) symbols = spt_filter_options_symbols(&options->filter, capture);
	g_autoptr(SptProfile) base = NULL;
	g_autoptr(SptProfile) profile = NULL;
	struct spt_report report = {
		.kind = kind_of(options),
		.capture = capture,
		.summary = summary,
		.limit = options->limit ? (unsigned)options->limit : UINT32_MAX,
		.min_percent = options->min_percent >= 0 ? options->min_percent :
			       options->tree && !options->json ? TREE_MIN_PERCENT : 0,
	};

	if (!symbols || ((options->latest || options->metric) && !tells_delays(capture)))
		return SPT_EXIT_FAILURE;
	if (options->latest)
		return spt_report_print_latest(capture, symbols, filter, (unsigned)options->latest,
					       options->json) ?
			       SPT_EXIT_OK :
			       SPT_EXIT_FAILURE;
	if (options->metric)
		return spt_report_print_delay(capture, symbols, filter, report.limit,
					      options->json) ?
			       SPT_EXIT_OK :
			       SPT_EXIT_FAILURE;
	if (options->by)
		base = spt_profile_new_base(capture, symbols);
	report.profile = profile = base ? spt_profile_refilter(base, filter, NULL) :
					  spt_profile_new(capture, symbols, filter);
	if (!spt_report_filter_check(&options->filter, capture, symbols, profile))
		return SPT_EXIT_FAILURE;
	if (options->callers || options->callees)
		return print_edges(&report, options->callers ? options->callers : options->callees,
				   options->json);
	if (options->categories)
		return print_categories(&report, options->categories, options->json);
	if (options->by)
		return print_groups(&report, base, filter, options->by, options->json);
	return print_page(&report, options->json);
}

static int run_report(int argc, char **argv)
{
	struct options options = { .min_percent = -1 };
	const char *path;
	int status = SPT_EXIT_USAGE;

	if (parse_options(&argc, &argv, &options) &&
	    (path = spt_cli_operand(&cmd_report, argc, argv)))
		status = spt_report_filtered(path, &options.filter, print_report, &options);
	clear_options(&options);
	return status;
}

const struct spt_command cmd_report = {
	.name = "report",
	.usage = "FILE",
	.help = "Show which functions the time went to",
	.run = run_report,
};
