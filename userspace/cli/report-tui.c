/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --tui: the tree of calls, browsed with the arrow keys.  What is shown can be what one
 * function calls, and of that the stacks with a text in a name.
 */
#include "report-tui.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate.h"
#include "browse.h"
#include "cmd.h"
#include "screen.h"

#define KEYS "z: zoom  u: back  f: filter  a: code"

struct tree_view {
	const struct spt_report *report;
	SptBrowser *browser;
	const SptFunction *functions;
	uint32_t zoomed_on;		/* UINT32_MAX: on nothing */
	GArray *zoomed;			/* SptTreeNode: what it calls; NULL: all */
	char *text;			/* in a name of each stack, in lower case; NULL: any */
	SptTreeNode *filtered;
	char *heads[3];			/* two lines, and NULL */
};

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

static void make_second_head(struct tree_view *view, uint64_t shown)
{
	double pct = spt_percent(shown, spt_profile_total(view->report->profile));

	g_clear_pointer(&view->heads[1], g_free);
	if (view->zoomed || view->text)
		view->heads[1] = g_strdup_printf(
			"%s%s%s%s%s%s: %.2f %% of all", view->zoomed ? "below " : "",
			view->zoomed ? view->functions[view->zoomed_on].name : "",
			view->zoomed && view->text ? ", " : "",
			view->text ? "only stacks with \"" : "", view->text ? view->text : "",
			view->text ? "\"" : "", pct);
}

static void tree_view_show(struct tree_view *view)
{
	struct spt_browse_page page = {
		.head = (const char *const *)view->heads,
		.columns = "Total %   Self %  Function  Object",
		.fill = fill,
		.functions = view->functions,
	};

	page.nodes = spt_profile_tree(view->report->profile, &page.n_nodes);
	if (view->zoomed) {
		page.nodes = (const SptTreeNode *)view->zoomed->data;
		page.n_nodes = view->zoomed->len;
	}
	if (view->text) {
		keep_with_text(view, page.nodes, page.n_nodes);
		page.nodes = view->filtered;
	}
	make_second_head(view, page.nodes[0].total);
	spt_browser_set_page(view->browser, &page);
	spt_browser_open_heaviest(view->browser);
}

/* The function that the cursor is on; UINT32_MAX: none. */
static uint32_t chosen_function(const struct tree_view *view)
{
	uint32_t node = spt_browser_chosen(view->browser), n;
	const SptTreeNode *nodes = view->zoomed ?
					   (const SptTreeNode *)view->zoomed->data :
					   spt_profile_tree(view->report->profile, &n);

	return node ? nodes[node].function : UINT32_MAX;
}

/* A function that calls nothing is no tree. */
static void tree_view_zoom(struct tree_view *view)
{
	uint32_t function = chosen_function(view);
	g_autoptr(GArray) below =
		function != UINT32_MAX ?
			spt_profile_descendants(view->report->profile, function) :
			NULL;

	if (!below || below->len < 2)
		return;
	g_clear_pointer(&view->zoomed, g_array_unref);
	view->zoomed = g_steal_pointer(&below);
	view->zoomed_on = function;
	tree_view_show(view);
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
	child = fork();
	if (child == 0) {
		bool ok = spt_annotate_print_function(report->capture, report->metric,
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

/* What a key does that the browser does not know. */
static void tree_view_obey(struct tree_view *view, int key)
{
	const char *answer = spt_browser_answer(view->browser);

	if (answer) {
		g_free(view->text);
		view->text = *answer ? g_ascii_strdown(answer, -1) : NULL;
		tree_view_show(view);
		return;
	}
	switch (key) {
	case 'z': tree_view_zoom(view); break;
	case 'u': tree_view_back(view); break;
	case 'f': spt_browser_ask(view->browser, "only stacks with: "); break;
	case 'a': tree_view_annotate(view); break;
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

bool spt_report_tui(const struct spt_report *report)
{
	g_autofree char *samples = spt_format_count(spt_profile_n_samples(report->profile));
	g_autofree char *head =
		g_strdup_printf("%s samples of %s", samples, report->capture->path);
	g_autoptr(SptBrowser) browser = spt_browser_new();
	struct tree_view view = {
		.report = report,
		.browser = browser,
		.heads = { head },
	};
	bool ok;
	uint32_t n;

	view.functions = spt_profile_functions(report->profile, &n);
	spt_browser_set_keys(browser, KEYS);
	tree_view_show(&view);
	ok = !spt_browser_is_empty(browser) && spt_screen_begin();
	if (!ok)
		spt_cli_complain("--tui needs a terminal; --tree prints the same");
	else
		tree_view_run(&view);
	spt_screen_end();
	g_clear_pointer(&view.zoomed, g_array_unref);
	g_free(view.filtered);
	g_free(view.text);
	g_free(view.heads[1]);
	return ok;
}
