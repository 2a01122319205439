/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --tui: the tree of calls, browsed with the arrow keys.  What is shown can be what one
 * function calls, and of that the stacks with a text in a name.  It can be below the groups of any
 * grouping, and of another metric.
 */
#include "report-tui.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate.h"
#include "tui-tree.h"
#include "cmd.h"
#include "profile/command.h"
#include "regroup.h"
#include "report-metric.h"
#include "screen.h"

#define KEYS "z zoom  u back  f filter  a code  b by  m metric"

struct tree_view {
	const struct spt_report *report;
	const SptMetric *metric;
	SptArrangement arrangement;
	SptRegroup regroup;		/* with nothing in it: the report's profile is shown */
	const SptProfile *profile;
	SptBrowser *browser;
	int asked;			/* the key whose question the browser asks */
	const SptFunction *functions;
	uint32_t zoomed_on;		/* UINT32_MAX: on nothing */
	GArray *zoomed;			/* SptTreeNode: what it calls; NULL: all */
	char *text;			/* in a name of each stack, in lower case; NULL: any */
	SptTreeNode *filtered;
	char *heads[3];			/* two lines, and NULL */
};

static const SptTreeNode *tree_view_nodes(const struct tree_view *view, uint32_t *ret_n)
{
	const GArray *nodes = view->zoomed ? view->zoomed : view->regroup.tree;

	if (!nodes)
		return spt_profile_tree(view->profile, ret_n);
	*ret_n = nodes->len;
	return (const SptTreeNode *)nodes->data;
}

static void fill(GString *text, const struct spt_browse_page *page, uint32_t node,
		 G_GNUC_UNUSED unsigned depth)
{
	uint64_t all = page->nodes[0].total;

	g_string_append_printf(text, "%7.2f  %7.2f  ", spt_percent(page->nodes[node].total, all),
			       spt_percent(page->nodes[node].self, all));
}

/* Whether the name of a node has the text; the root has none. */
static bool tree_view_has_text(const struct tree_view *view, const SptTreeNode *node)
{
	g_autofree char *name =
		node->function == UINT32_MAX ?
			g_strdup("") :
			g_ascii_strdown(view->functions[node->function].name, -1);

	return strstr(name, view->text) != NULL;
}

/* Parents come before children: what a node passes on is known when they are looked at. */
static void keep_with_text(struct tree_view *view, const SptTreeNode *nodes, uint32_t n)
{
	g_autofree bool *has = g_new0(bool, n);
	SptTreeNode *kept = g_memdup2(nodes, n * sizeof(*nodes));

	for (uint32_t i = 0; i < n; i++) {
		has[i] = (i > 0 && has[nodes[i].parent]) || tree_view_has_text(view, &nodes[i]);
		kept[i].self = has[i] ? nodes[i].self : 0;
		kept[i].total = kept[i].self;
	}
	for (uint32_t i = n; i-- > 1;)
		kept[kept[i].parent].total += kept[i].total;
	g_free(view->filtered);
	view->filtered = kept;
}

static void make_heads(struct tree_view *view, uint64_t shown)
{
	g_autofree char *samples = spt_format_count(spt_profile_n_samples(view->profile));
	g_autofree char *sum = spt_metric_text(view->metric, spt_profile_total(view->profile));
	/* Whose they are: it may be of one command among much else. */
	g_autofree char *command = view->report->filter->processes ?
					   spt_command_name(view->report->capture) :
					   NULL;
	GString *text = g_string_new(NULL);

	g_clear_pointer(&view->heads[0], g_free);
	g_clear_pointer(&view->heads[1], g_free);
	view->heads[0] = g_strdup_printf("%s %s of %s%s%s%s%s%s%s", samples,
					 view->metric->is_cpu ? "samples" : "events",
					 command ? command : "", command ? " in " : "",
					 view->report->capture->path,
					 view->metric->is_cpu ? "" : ", metric ",
					 view->metric->is_cpu ? "" : view->metric->name,
					 view->metric->is_cpu ? "" : ": ",
					 view->metric->is_cpu ? "" : sum);
	if (view->regroup.tree && view->arrangement.roots != SPT_ROOTS_PROGRAM)
		g_string_append_printf(text, ", by %s", spt_roots_name(view->arrangement.roots));
	if (view->zoomed)
		g_string_append_printf(text, ", below %s", view->functions[view->zoomed_on].name);
	if (view->text)
		g_string_append_printf(text, ", only stacks with \"%s\"", view->text);
	if (text->len)
		view->heads[1] = g_strdup_printf(
			"%s: %.2f %% of all", text->str + 2,
			spt_percent(shown, spt_profile_total(view->profile)));
	g_string_free(text, TRUE);
}

static void tree_view_show(struct tree_view *view)
{
	struct spt_browse_page page = {
		.head = (const char *const *)view->heads,
		.columns = "Total %   Self %  Function  Object",
		.fill = fill,
		.functions = view->functions,
	};

	page.nodes = tree_view_nodes(view, &page.n_nodes);
	if (view->text) {
		keep_with_text(view, page.nodes, page.n_nodes);
		page.nodes = view->filtered;
	}
	make_heads(view, page.nodes[0].total);
	spt_browser_set_page(view->browser, &page);
	spt_browser_open_heaviest(view->browser);
}

/* The function that the cursor is on; UINT32_MAX: none. */
static uint32_t chosen_function(const struct tree_view *view)
{
	uint32_t node = spt_browser_chosen(view->browser), n;
	const SptTreeNode *nodes = tree_view_nodes(view, &n);

	return node ? nodes[node].function : UINT32_MAX;
}

/* A function that calls nothing is no tree. */
static void tree_view_zoom(struct tree_view *view)
{
	uint32_t function = chosen_function(view);
	g_autoptr(GArray) below =
		function != UINT32_MAX ?
			spt_profile_descendants(view->profile, function) :
			NULL;

	if (!below || below->len < 2)
		return;
	g_clear_pointer(&view->zoomed, g_array_unref);
	view->zoomed = g_steal_pointer(&below);
	view->zoomed_on = function;
	tree_view_show(view);
}

/* The tree of what was chosen, from its roots. */
static void tree_view_regroup(struct tree_view *view)
{
	const struct spt_report *report = view->report;
	uint32_t n;

	spt_regroup(&view->regroup, report->capture, report->symbols, view->metric, report->filter,
		    &view->arrangement);
	view->profile = view->regroup.profile;
	view->functions = spt_profile_functions(view->profile, &n);
	g_clear_pointer(&view->zoomed, g_array_unref);
	tree_view_show(view);
}

/* Those of the recording; a condition that is of one metric keeps it. */
static char **tree_view_metrics(const struct tree_view *view)
{
	g_autoptr(GStrvBuilder) names = g_strv_builder_new();
	const SptMetric *metric;

	for (unsigned i = 0; (metric = spt_metric(i)); i++)
		if (view->report->filter->least_parallelism || view->report->n_conditions ?
			    metric == view->metric :
			    spt_metric_is_in(metric, view->report->capture))
			g_strv_builder_add(names, metric->name);
	return g_strv_builder_end(names);
}

static void tree_view_choose_metric(struct tree_view *view, const char *name)
{
	char **choices;
	SptRoots roots = view->arrangement.roots;

	view->metric = spt_metric_find(name);
	/* Not each metric has what a grouping needs. */
	choices = spt_regroup_choices(NULL, view->metric);
	if (!g_strv_contains((const char *const *)choices, spt_roots_name(roots)))
		view->arrangement.roots = SPT_ROOTS_PROGRAM;
	g_strfreev(choices);
	tree_view_regroup(view);
}

/* Everything again: without a zoom, or else without a filter. */
static void tree_view_back(struct tree_view *view)
{
	if (view->zoomed)
		g_clear_pointer(&view->zoomed, g_array_unref);
	else
		g_clear_pointer(&view->text, g_free);
	tree_view_show(view);
}

/*
 * The pager needs the screen, and takes over all output of a process: a child prints, with helpers
 * of its own, as those of its parent do not expect it.
 */
static void tree_view_annotate(struct tree_view *view)
{
	const struct spt_report *report = view->report;
	uint32_t function = chosen_function(view);
	pid_t child;
	int key;

	if (function == UINT32_MAX)
		return;
	spt_screen_end();
	/* Debug information of a large program takes seconds. */
	printf("Reading the source and the instructions of %s\n", view->functions[function].name);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		bool ok = spt_annotate_print_function(report->capture, view->metric,
						      report->filter, &view->functions[function]);

		spt_terminal_end();
		_exit(ok ? SPT_EXIT_OK : SPT_EXIT_FAILURE);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	else
		spt_cli_complain("Cannot start a process that annotates; try again");
	printf("\nEnter: back to the tree ");
	fflush(stdout);
	do
		key = getchar();
	while (key != '\n' && key != EOF);
	spt_screen_begin();
}

static void tree_view_take(struct tree_view *view, const char *answer)
{
	if (view->asked == 'b') {
		view->arrangement.roots = spt_regroup_named(answer, view->metric);
		tree_view_regroup(view);
	} else if (view->asked == 'm') {
		tree_view_choose_metric(view, answer);
	} else {
		g_free(view->text);
		view->text = *answer ? g_ascii_strdown(answer, -1) : NULL;
		tree_view_show(view);
	}
}

/* What a key does that the browser does not know. */
static void tree_view_obey(struct tree_view *view, int key)
{
	const char *answer = spt_browser_answer(view->browser);

	if (answer) {
		tree_view_take(view, answer);
		return;
	}
	if (key == 'f' || key == 'b' || key == 'm')
		view->asked = key;
	switch (key) {
	case 'z': tree_view_zoom(view); break;
	case 'u': tree_view_back(view); break;
	case 'f': spt_browser_ask(view->browser, "only stacks with: "); break;
	case 'a': tree_view_annotate(view); break;
	case 'b':
		spt_browser_choose(view->browser, "by: ",
				   spt_regroup_choices(NULL, view->metric));
		break;
	case 'm': spt_browser_choose(view->browser, "metric: ", tree_view_metrics(view)); break;
	}
}

static void tree_view_run(struct tree_view *view)
{
	bool was_typing;
	int key;

	do {
		spt_browser_draw(view->browser);
		key = spt_screen_key(-1);
		was_typing = spt_browser_is_typing(view->browser);
		if (!spt_browser_obey(view->browser, key))
			break;
		tree_view_obey(view, was_typing ? SPT_KEY_NONE : key);
	} while (true);
}

bool spt_report_tui(const struct spt_report *report, const char *by, const SptShape *shape)
{
	g_autoptr(SptBrowser) browser = spt_browser_new();
	struct tree_view view = {
		.report = report,
		.metric = report->metric,
		.profile = report->profile,
		.arrangement = { .shape = *shape },
		.browser = browser,
	};
	bool ok;
	uint32_t n;

	view.functions = spt_profile_functions(report->profile, &n);
	spt_browser_set_keys(browser, KEYS);
	if (by) {
		view.arrangement.roots = spt_regroup_named(by, view.metric);
		tree_view_regroup(&view);
	} else {
		tree_view_show(&view);
	}
	ok = !spt_browser_is_empty(browser) && spt_screen_begin();
	if (!ok)
		spt_cli_complain("--tui needs a terminal; --tree prints the same");
	else
		tree_view_run(&view);
	spt_screen_end();
	g_clear_pointer(&view.zoomed, g_array_unref);
	g_free(view.filtered);
	g_free(view.text);
	g_free(view.heads[0]);
	g_free(view.heads[1]);
	spt_regroup_clear(&view.regroup);
	return ok;
}
