/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two lines about the interval, and below them functions or processes.  On the screen a function
 * opens to its callers, or, sorted by total, to its callees; a process, or another group, opens to
 * its tree of calls.
 */
#include "top-page.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd.h"
#include "profile/sentences.h"
#include "profile/wholeness.h"
#include "report-metric.h"

#define BATCH_ROWS 20			/* number of rows without a screen */
#define HEAD_ROWS 4
#define HEAD_COLUMNS 18

#define SCREEN_HOME "\033[H"
#define LINE_END "\033[K"
#define SCREEN_END "\033[J"

struct spt_top_page {
	const struct spt_top_look *look;
	SptCapture *capture;
	SptSymbols *symbols;
	SptProfile *profile;
	SptRegroup regroup;		/* by groups of these roots */
	SptRoots regroup_roots;
	/* SptTreeNode of the tree that is walked; NULL: that of the groups */
	GArray *nodes;
	char *head, *stacks;		/* lines of the page; @stacks may be NULL */
	const char *lines[3];		/* texts of both, for the browser */
};

/* Number of rows that a page has room for. */
static unsigned page_rows(const struct spt_top_look *look)
{
	struct winsize size = { 0 };

	if (look->limit)
		return (unsigned)look->limit;
	if (look->is_screen && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_row > HEAD_ROWS + 1)
		return size.ws_row - HEAD_ROWS - 1;
	return BATCH_ROWS;
}

/* The profile that is shown, below its groups if that is wanted. */
static const SptProfile *top_page_profile(SptTopPage *page)
{
	const struct spt_top_look *look = page->look;
	const SptArrangement arrangement = { .roots = look->roots };

	if (!look->by_group)
		return page->profile;
	if (!page->regroup.tree || page->regroup_roots != look->roots)
		spt_regroup(&page->regroup, page->capture, page->symbols, look->options->metric,
			    look->filter, &arrangement);
	page->regroup_roots = look->roots;
	return page->regroup.profile;
}

static void print_rows(const struct spt_top_look *look, const SptProfile *profile)
{
	uint32_t n, shown = 0;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autofree uint32_t *order =
		spt_profile_order(profile, !look->by_total && !look->by_group);
	const char *end = look->is_screen ? LINE_END : "";
	uint64_t all = spt_profile_total(profile);
	unsigned rows = page_rows(look), width = spt_terminal_width();

	for (uint32_t i = 0; i < n && shown < rows; i++) {
		const SptFunction *function = &functions[order[i]];
		const char *object = function->object ? function->object : "";
		g_autofree char *after = g_strconcat(*object ? "  " : "", object, NULL);
		g_autofree char *text =
			spt_format_name("", function->name, after,
					width > HEAD_COLUMNS + 10 ? width - HEAD_COLUMNS : 0);

		if (function->is_process != look->by_group || function->total == 0)
			continue;
		if (!function->is_process)
			printf("%7.2f  ", spt_percent(function->self, all));
		printf("%7.2f  %s%s\n", spt_percent(function->total, all), text, end);
		shown++;
	}
}

/* What others do may not be seen, and looks like idleness. */
static const char *tell_scope(const SptCapture *capture)
{
	bool is_own = g_strcmp0(spt_capture_host(capture, "whose"), "own") == 0,
	     is_user = g_strcmp0(spt_capture_host(capture, "sides"), "user") == 0;

	if (is_own)
		return is_user ? " with your own processes in user mode, which are all that is seen" :
				 " with your own processes, which are all that is seen";
	return is_user ? " in user mode, which is all that is seen" : "";
}

/* "0.52 of 2 CPUs busy", or for a process the part of the time that it ran. */
static char *tell_busy(const struct spt_top_look *look, const SptCapture *capture,
		       const SptRecorderStatus *status)
{
	double busy_ns = (double)capture->weight * (double)status->period_ns;
	SptWall wall;

	if (status->budget && status->delivered)
		busy_ns *= (double)(status->delivered + status->budget) / (double)status->delivered;
	if (look->pid) {
		spt_wall_of(&wall, capture, (uint64_t)busy_ns, status->elapsed_ns);
		return spt_sentences_wall(&wall);
	}
	return g_strdup_printf("%.2f of %u CPUs busy%s",
			       status->elapsed_ns ? busy_ns / (double)status->elapsed_ns : 0,
			       g_get_num_processors(), tell_scope(capture));
}

/*
 * "1,234 samples", or "12 of" them with conditions, and the total of a metric other than CPU time.
 */
static char *tell_samples(const struct spt_top_look *look, const SptCapture *capture,
			  const SptProfile *profile)
{
	const SptMetric *metric = look->options->metric;
	GString *text = g_string_new(NULL);
	g_autofree char *all = spt_format_count(capture->n_samples);
	g_autofree char *some = spt_format_count(spt_profile_n_samples(profile));
	g_autofree char *sum = spt_metric_text(metric, spt_profile_total(profile));

	if (spt_profile_n_samples(profile) < capture->n_samples)
		g_string_append_printf(text, "%s of ", some);
	g_string_append_printf(text, "%s samples", all);
	if (!metric->is_cpu)
		g_string_append_printf(text, ", metric %s: %s", metric->name, sum);
	return g_string_free(text, FALSE);
}

/* Repeated keys that were skipped. */
static char *tell_budget(const SptRecorderStatus *status)
{
	if (!status->budget || !status->delivered)
		return g_strdup("");
	return g_strdup_printf("; %.1f %% of %.0f Hz, to keep to the budget",
			       spt_percent(status->delivered, status->delivered + status->budget),
			       1e9 / (double)status->period_ns);
}

SptTopPage *spt_top_page_new(const struct spt_top_look *look, SptCapture *capture,
			     const SptRecorderStatus *status)
{
	SptTopPage *page = g_new0(SptTopPage, 1);
	g_autofree char *busy = tell_busy(look, capture, status);
	g_autofree char *lost = spt_format_count(status->lost);
	g_autofree char *budget = tell_budget(status);
	g_autofree char *stacks = spt_wholeness_line(capture, NULL);
	g_autofree char *samples = NULL;

	page->look = look;
	page->capture = capture;
	page->symbols = spt_symbols_new(capture, NULL);
	/* Without inlined functions: debug information would be read again for each page. */
	spt_symbols_set_detail(page->symbols, 0);
	page->profile =
		spt_profile_new(capture, page->symbols, look->options->metric, look->filter);
	samples = tell_samples(look, capture, page->profile);
	page->head = g_strdup_printf("%s; %s, %s lost, in %.1f s (source: %s)%s", busy, samples, lost,
				     (double)status->elapsed_ns / 1e9, status->source, budget);
	page->stacks = stacks ? spt_format_cut(stacks, 0) : NULL;
	page->lines[0] = page->head;
	page->lines[1] = page->stacks;
	return page;
}

void spt_top_page_free(SptTopPage *page)
{
	if (!page)
		return;
	g_clear_pointer(&page->nodes, g_array_unref);
	spt_regroup_clear(&page->regroup);
	spt_profile_free(page->profile);
	spt_symbols_free(page->symbols);
	spt_capture_free(page->capture);
	g_free(page->head);
	g_free(page->stacks);
	g_free(page);
}

static const char *top_page_columns_of(const struct spt_top_look *look)
{
	return !look->by_group			    ? " Self %  Total %  Function  Object" :
	       look->roots == SPT_ROOTS_PROGRAM ? " Time %  Process" :
						      " Time %  Group";
}

bool spt_top_page_print(SptTopPage *page)
{
	const struct spt_top_look *look = page->look;
	const char *end = look->is_screen ? LINE_END : "";

	if (look->is_screen)
		printf(SCREEN_HOME);
	printf("%s%s\n%s%s\n%s%s\n", page->head, end, page->stacks ? page->stacks : "", end,
	       top_page_columns_of(look), end);
	print_rows(look, top_page_profile(page));
	if (look->is_screen)
		printf(SCREEN_END);
	else
		putchar('\n');
	return spt_cli_flush();
}

/* Functions side by side below a root, heaviest total first; expand() adds their callees. */
static GArray *list_functions(const SptProfile *profile)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autofree uint32_t *order = spt_profile_order(profile, false);
	SptTreeNode root = { .function = UINT32_MAX, .first_child = 1 };
	GArray *nodes = g_array_new(FALSE, FALSE, sizeof(SptTreeNode));

	root.total = spt_profile_total(profile);
	g_array_append_val(nodes, root);
	for (uint32_t i = 0; i < n; i++) {
		const SptFunction *function = &functions[order[i]];
		SptTreeNode node = { .function = order[i],
				     .self = function->self,
				     .total = function->total };

		if (!function->is_process && function->total > 0)
			g_array_append_val(nodes, node);
	}
	g_array_index(nodes, SptTreeNode, 0).n_children = nodes->len - 1;
	return nodes;
}

/* Children are side by side in the added part, too. */
static void expand(struct spt_browse_page *browsed, uint32_t at)
{
	SptTopPage *page = browsed->data;
	uint32_t base = page->nodes->len - 1;
	g_autoptr(GArray) below = spt_profile_descendants(
		page->profile, g_array_index(page->nodes, SptTreeNode, at).function);
	SptTreeNode *node;

	for (uint32_t i = 1; i < below->len; i++) {
		SptTreeNode child = g_array_index(below, SptTreeNode, i);

		child.parent = child.parent ? base + child.parent : at;
		child.first_child += base;
		g_array_append_val(page->nodes, child);
	}
	node = &g_array_index(page->nodes, SptTreeNode, at);
	node->n_children = g_array_index(below, SptTreeNode, 0).n_children;
	node->first_child = base + 1;
	browsed->nodes = (const SptTreeNode *)page->nodes->data;
	browsed->n_nodes = page->nodes->len;
}

static void top_page_fill(GString *text, const struct spt_browse_page *browsed, uint32_t at,
			  unsigned depth)
{
	const SptTopPage *page = browsed->data;
	const SptTreeNode *node = &browsed->nodes[at];
	const SptFunction *function = &browsed->functions[node->function];
	uint64_t all = spt_profile_total(page->profile);

	if (page->look->by_group)
		g_string_append_printf(text, "%7.2f  ", spt_percent(node->total, all));
	else if (page->look->by_total)
		g_string_append_printf(text, "%7.2f  %7.2f  ", spt_percent(node->self, all),
				       spt_percent(node->total, all));
	else if (depth == 0)
		g_string_append_printf(text, "%7.2f  %7.2f  ", spt_percent(function->self, all),
				       spt_percent(function->total, all));
	else
		/* The part of the self time above that came by this path. */
		g_string_append_printf(text, "%7.2f  %7s  ", spt_percent(node->total, all), "");
}

void spt_top_page_browse(SptTopPage *page, SptBrowser *browser)
{
	const struct spt_top_look *look = page->look;
	struct spt_browse_page browsed = {
		.head = page->lines,
		.columns = top_page_columns_of(look),
		.fill = top_page_fill,
		.data = page,
		.expand = look->by_total && !look->by_group ? expand : NULL,
	};
	/* What the browser has shown of this page. */
	g_autoptr(GArray) before = g_steal_pointer(&page->nodes);
	const SptProfile *profile = top_page_profile(page);
	const GArray *nodes;
	uint32_t n;

	browsed.functions = spt_profile_functions(profile, &n);
	if (!look->by_group)
		page->nodes = look->by_total ? list_functions(profile) :
					       spt_profile_bottom_up(profile, UINT32_MAX);
	nodes = page->nodes ? page->nodes : page->regroup.tree;
	browsed.nodes = (const SptTreeNode *)nodes->data;
	browsed.n_nodes = nodes->len;
	spt_browser_set_page(browser, &browsed);
}
