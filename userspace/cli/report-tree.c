/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --tree: the tree of calls, heaviest first. */
#include <stdio.h>

#include "cmd.h"
#include "report.h"

#define TREE_MIN_PERCENT 0.5
/* Up to the function's name. */
#define TREE_HEAD_COLUMNS 19

struct branches {
	const char *middle, *last, *through, *none;
};

static const struct branches boxes = { "├─ ", "└─ ", "│  ", "   " };
static const struct branches ascii = { "|- ", "`- ", "|  ", "   " };

struct tree_page {
	const struct spt_report *report;
	const SptFunction *functions;
	const SptTreeNode *nodes;
	const struct branches *branches;
	unsigned width;
	GString *indent;
};

static bool has_share(const struct spt_report *report, const SptTreeNode *nodes, uint32_t node)
{
	return nodes[node].total > 0 &&
	       spt_percent(nodes[node].total, nodes[0].total) >= report->min_percent;
}

static bool is_shown(const struct tree_page *page, uint32_t node)
{
	const uint64_t *least = page->report->found;

	return page->nodes[node].total >= *least &&
	       has_share(page->report, page->nodes, node);
}

static int heavier_first(gconstpointer a, gconstpointer b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/*
 * The total that a node needs, so that no more nodes are shown than the limit.  No node is heavier
 * than its parent, so the tree has no holes.
 */
static bool find_least(struct spt_report *report)
{
	uint32_t n;
	const SptTreeNode *nodes = spt_profile_tree(report->profile, &n);
	g_autoptr(GArray) totals = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	uint64_t *least = g_new0(uint64_t, 1);
	unsigned n_shown;

	for (uint32_t i = 1; i < n; i++)
		if (has_share(report, nodes, i))
			g_array_append_val(totals, nodes[i].total);
	g_array_sort(totals, heavier_first);
	n_shown = MIN(totals->len, MAX(report->limit, 1));
	if (n_shown < totals->len) {
		uint64_t next = g_array_index(totals, uint64_t, n_shown);

		/* Nodes of equal weight are either all shown or all hidden. */
		while (n_shown > 1 && g_array_index(totals, uint64_t, n_shown - 1) == next)
			n_shown--;
		*least = g_array_index(totals, uint64_t, n_shown - 1);
		while (n_shown < totals->len && g_array_index(totals, uint64_t, n_shown) == *least)
			n_shown++;
	}
	report->n_more = totals->len - n_shown;
	report->found = least;
	return true;
}

/*
 * A single child is below its parent, without a step: what branches is what counts, and calls are
 * deep.  Only what a process calls is always a step.  Recursion is bounded: folding cuts stacks
 * that are too deep.
 */
static void print_children(struct tree_page *page, uint32_t parent)
{
	uint32_t first = page->nodes[parent].first_child, n_shown = 0;
	uint64_t all = page->nodes[0].total;
	bool has_roots = parent != 0 && page->functions[page->nodes[parent].function].is_process;

	/* Heaviest first, so rows that are shown come before those that are cut. */
	while (n_shown < page->nodes[parent].n_children && is_shown(page, first + n_shown))
		n_shown++;
	for (uint32_t i = 0; i < n_shown; i++) {
		const SptTreeNode *node = &page->nodes[first + i];
		const SptFunction *function = &page->functions[node->function];
		bool is_last = i + 1 == n_shown;
		bool is_step = parent != 0 && (n_shown > 1 || has_roots);
		gsize indent = page->indent->len;
		const char *branch = !is_step ? "" :
				     is_last  ? page->branches->last :
						page->branches->middle;
		g_autofree char *before = g_strconcat(page->indent->str, branch, NULL);
		g_autofree char *after = g_strconcat(function->is_inlined ? " (inlined)  " : "  ",
						     spt_report_object(function), NULL);
		g_autofree char *shown =
			spt_format_name(before, function->name, after, page->width);

		spt_report_print_part(page->report, node->total, all, 7);
		spt_report_print_part(page->report, node->self, all, 7);
		printf(" %s\n", shown);
		if (is_step)
			g_string_append(page->indent,
					is_last ? page->branches->none : page->branches->through);
		print_children(page, first + i);
		g_string_truncate(page->indent, indent);
	}
}

static void print_text(const struct spt_report *report)
{
	g_autoptr(GString) indent = g_string_new(NULL);
	uint32_t n;
	unsigned width = spt_report_width(),
		 head = TREE_HEAD_COLUMNS + 2 * spt_report_part_columns(report);
	struct tree_page page = {
		.report = report,
		.functions = spt_profile_functions(report->profile, &n),
		.nodes = spt_profile_tree(report->profile, &n),
		.branches = g_get_charset(NULL) ? &boxes : &ascii,
		.width = width ? width - MIN(width, head) : 0,
		.indent = indent,
	};

	fputs(spt_color(SPT_COLOR_TITLE), stdout);
	spt_report_print_part_head(report, "Total %", 7);
	spt_report_print_part_head(report, "Self %", 7);
	printf(" Function  Object%s\n", spt_color(SPT_COLOR_OFF));
	print_children(&page, 0);
}

/* Recursion is bounded: folding cuts stacks that are too deep. */
static void add_tree_node(SptJson *json, const char *key, const struct spt_report *report,
			  const SptTreeNode *tree, uint32_t at)
{
	static const SptFunction root = { .name = "[all]", .object = "" };
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	const SptTreeNode *node = &tree[at];
	const SptFunction *function = at == 0 ? &root : &functions[node->function];

	spt_json_object(json, key);
	spt_json_function(json, function->name, function->object);
	spt_report_add(report, json, "self", node->self);
	spt_report_add(report, json, "total", node->total);
	spt_json_array(json, "children");
	for (uint32_t i = 0; i < node->n_children; i++) {
		uint32_t child = node->first_child + i;

		if (tree[child].total > 0 &&
		    spt_percent(tree[child].total, tree[0].total) >= report->min_percent)
			add_tree_node(json, NULL, report, tree, child);
	}
	spt_json_end_array(json);
	spt_json_end_object(json);
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	uint32_t n;

	add_tree_node(json, "tree", report, spt_profile_tree(report->profile, &n), 0);
}

const struct spt_report_kind spt_report_tree = {
	.option = { "tree", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "The tree of calls, from the processes down", NULL },
	.min_percent = TREE_MIN_PERCENT,
	.find = find_least,
	.clear = g_free,
	.has_parts = true,
	.text = print_text,
	.json = add_json,
};
