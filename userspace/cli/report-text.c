/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report as text: a line about the recording, then a table or a tree.  Lines are cut on a terminal
 * only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "profile/categories.h"
#include "profile/groups.h"
#include "report.h"

/* Up to the function's name. */
#define TABLE_HEAD_COLUMNS 31
#define TREE_HEAD_COLUMNS 19
#define OBJECT_MIN_COLUMNS 20

static const char *object_of(const SptFunction *function)
{
	return function->is_process ? "(process)" : function->object;
}

static void print_header(const struct spt_report *report)
{
	const SptSummary *summary = report->summary;
	g_autofree char *samples = spt_format_count(spt_profile_n_samples(report->profile));
	g_autofree char *all = spt_format_count(report->capture->n_samples);
	g_autofree char *lost = spt_format_count(summary->lost);
	g_autofree char *duration = spt_format_ns(summary->end_ns - summary->start_ns);
	g_autofree char *period = spt_format_period(report->capture);

	if (spt_profile_n_samples(report->profile) < report->capture->n_samples)
		printf("%s of ", samples);
	printf("%s samples, %s lost, in %s on %u %s; %s\n", all, lost, duration, summary->n_cpus,
	       summary->n_cpus == 1 ? "CPU" : "CPUs", period);
	if (!report->capture->finished)
		printf("recording was cut off; shown up to its last flush\n");
	if (summary->budget > 0)
		printf("rate was lowered to keep to the budget of CPU time: %.1f %% of the periods were sampled\n",
		       spt_percent(summary->delivered, summary->delivered + summary->budget));
	putchar('\n');
}

/* Pads by columns, which printf would do by bytes. */
static void print_padded(const char *text, unsigned columns)
{
	glong used = g_utf8_strlen(text, -1);

	fputs(text, stdout);
	for (glong i = used; i < (glong)columns; i++)
		putchar(' ');
}

/* "Function  Object"; @width is the terminal's, else 0. */
static void print_names(const SptFunction *function, unsigned width, unsigned name_columns)
{
	unsigned left = width > TABLE_HEAD_COLUMNS ? width - TABLE_HEAD_COLUMNS : 0;
	g_autofree char *name = spt_format_cut(function->name, left ? name_columns : 0);
	g_autofree char *object =
		spt_format_cut(object_of(function), left ? left - name_columns - 2 : 0);

	print_padded(name, name_columns);
	printf("  %s\n", object);
}

/*
 * How wide the names' column is: as the longest of them, on a terminal no more than leaves room for
 * the object.
 */
static unsigned fit_names(const SptFunction *functions, const uint32_t *shown, unsigned n,
			  unsigned width)
{
	unsigned longest = strlen("Function");

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *name = spt_format_cut(functions[shown[i]].name, 0);

		longest = MAX(longest, MIN(g_utf8_strlen(name, -1), 60));
	}
	if (width > TABLE_HEAD_COLUMNS + OBJECT_MIN_COLUMNS + 10)
		longest = MIN(longest, width - TABLE_HEAD_COLUMNS - OBJECT_MIN_COLUMNS);
	return longest;
}

static unsigned usable_width(void)
{
	unsigned width = spt_terminal_width();

	/* Too narrow for columns: let the terminal wrap. */
	return width > TABLE_HEAD_COLUMNS + OBJECT_MIN_COLUMNS + 10 ? width : 0;
}

static void print_functions(const struct spt_report *report)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	g_autofree uint32_t *shown = spt_report_functions(report, &n);
	uint64_t all = spt_profile_total(report->profile);
	unsigned width = usable_width(), names = fit_names(functions, shown, n, width);

	printf("%7s  %7s  %10s  ", "Self %", "Total %", "Periods");
	print_padded("Function", names);
	printf("  Object\n");
	for (uint32_t i = 0; i < n; i++) {
		const SptFunction *function = &functions[shown[i]];

		printf("%7.2f  %7.2f  %10" PRIu64 "  ", spt_percent(function->self, all),
		       spt_percent(function->total, all), function->self);
		print_names(function, width, names);
	}
}

/* "Callers of malloc (libc.so.6)", or of what several functions were asked for by. */
static void print_heading(const struct spt_report *report, uint64_t self, uint64_t total)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	const SptFunction *first = &functions[g_array_index(report->members, uint32_t, 0)];
	uint64_t all = spt_profile_total(report->profile);
	g_autofree char *count = g_strdup_printf("%u functions", report->members->len);
	bool is_one = report->members->len == 1;
	g_autofree char *name = spt_format_cut(is_one ? first->name : report->heading, 0);
	g_autofree char *object = spt_format_cut(is_one ? object_of(first) : count, 0);

	printf("%s of %s (%s), self %.2f %%, total %.2f %%\n\n",
	       report->kind == SPT_REPORT_CALLERS ? "Callers" : "Callees", name, object,
	       spt_percent(self, all), spt_percent(total, all));
}

static void print_edges(const struct spt_report *report)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	g_autoptr(GArray) edges = spt_report_edges(report);
	unsigned width = usable_width(), names;
	g_autofree uint32_t *shown = g_new(uint32_t, MAX(edges->len, 1));
	uint64_t all = spt_profile_total(report->profile), self, total;

	for (unsigned i = 0; i < edges->len; i++)
		shown[i] = g_array_index(edges, SptEdge, i).function;
	names = fit_names(functions, shown, edges->len, width);
	spt_profile_sums_of(report->profile, (const uint32_t *)report->members->data,
			    report->members->len, &self, &total);
	print_heading(report, self, total);
	printf("%7s  %8s  %10s  ", "Of it %", "Of all %", "Periods");
	print_padded("Function", names);
	printf("  Object\n");
	for (unsigned i = 0; i < edges->len; i++) {
		uint64_t weight = g_array_index(edges, SptEdge, i).weight;

		printf("%7.2f  %8.2f  %10" PRIu64 "  ", spt_percent(weight, total),
		       spt_percent(weight, all), weight);
		print_names(&functions[shown[i]], width, names);
	}
}

static void print_categories(const struct spt_report *report)
{
	uint64_t all = spt_profile_total(report->profile);

	printf("%7s  %10s  %s\n", "Self %", "Periods", "Category");
	for (unsigned i = 0; i < report->categories->len; i++) {
		const SptCategoryWeight *category =
			&g_array_index(report->categories, SptCategoryWeight, i);
		g_autofree char *name = spt_format_cut(category->name, 0);

		printf("%7.2f  %10" PRIu64 "  %s\n", spt_percent(category->weight, all),
		       category->weight, name);
	}
}

/* "git (pid 12)", "worker (pid 12, tid 13)", "CPU 3", "libc.so.6" */
static char *describe_group(const struct spt_report *report, const SptGroupRow *row)
{
	if (strcmp(report->by, "process") == 0)
		return g_strdup_printf("%s (pid %" PRIu32 ")", row->name, row->pid);
	if (strcmp(report->by, "thread") == 0)
		return g_strdup_printf("%s (pid %" PRIu32 ", tid %" PRIu32 ")", row->name, row->pid,
				       row->tid);
	return strcmp(report->by, "cpu") == 0 ? g_strdup_printf("CPU %" PRIu32, row->cpu) :
						g_strdup(row->name);
}

static void print_groups(const struct spt_report *report)
{
	uint64_t all = spt_profile_total(report->profile);

	printf("%7s  %10s  %10s  By %s\n", "Time %", "Periods", "Samples", report->by);
	for (unsigned i = 0; i < report->groups->len; i++) {
		const SptGroupRow *row = &g_array_index(report->groups, SptGroupRow, i);
		g_autofree char *text = describe_group(report, row);
		g_autofree char *shown = spt_format_cut(text, 0);

		printf("%7.2f  %10" PRIu64 "  %10" PRIu64 "  %s\n", spt_percent(row->weight, all),
		       row->weight, row->samples, shown);
	}
}

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

static bool is_shown(const struct tree_page *page, uint32_t node)
{
	return page->nodes[node].total > 0 &&
	       spt_percent(page->nodes[node].total, page->nodes[0].total) >=
		       page->report->min_percent;
}

/* Recursion is bounded: folding cuts stacks that are too deep. */
static void print_children(struct tree_page *page, uint32_t parent)
{
	uint32_t first = page->nodes[parent].first_child, n_shown = 0;
	uint64_t all = page->nodes[0].total;

	/* Heaviest first: what is shown comes before what is cut. */
	while (n_shown < page->nodes[parent].n_children && is_shown(page, first + n_shown))
		n_shown++;
	for (uint32_t i = 0; i < n_shown; i++) {
		const SptTreeNode *node = &page->nodes[first + i];
		const SptFunction *function = &page->functions[node->function];
		bool is_last = i + 1 == n_shown;
		gsize indent = page->indent->len;
		const char *branch = parent == 0 ? "" :
				     is_last	 ? page->branches->last :
						   page->branches->middle;
		g_autofree char *line = g_strdup_printf("%s%s%s  %s", page->indent->str, branch,
							function->name, object_of(function));
		g_autofree char *shown = spt_format_cut(line, page->width);

		printf("%7.2f  %7.2f   %s\n", spt_percent(node->total, all),
		       spt_percent(node->self, all), shown);
		if (parent != 0)
			g_string_append(page->indent,
					is_last ? page->branches->none : page->branches->through);
		print_children(page, first + i);
		g_string_truncate(page->indent, indent);
	}
}

static void print_tree(const struct spt_report *report)
{
	g_autoptr(GString) indent = g_string_new(NULL);
	uint32_t n;
	unsigned width = usable_width();
	struct tree_page page = {
		.report = report,
		.functions = spt_profile_functions(report->profile, &n),
		.nodes = spt_profile_tree(report->profile, &n),
		.branches = g_get_charset(NULL) ? &boxes : &ascii,
		.width = width ? width - TREE_HEAD_COLUMNS : 0,
		.indent = indent,
	};

	printf("%7s  %7s   %s\n", "Total %", "Self %", "Function  Object");
	print_children(&page, 0);
}

void spt_report_print_text(const struct spt_report *report)
{
	print_header(report);
	switch (report->kind) {
	case SPT_REPORT_FUNCTIONS:
		print_functions(report);
		break;
	case SPT_REPORT_TREE:
		print_tree(report);
		break;
	case SPT_REPORT_CALLERS:
	case SPT_REPORT_CALLEES:
		print_edges(report);
		break;
	case SPT_REPORT_CATEGORIES:
		print_categories(report);
		break;
	case SPT_REPORT_GROUPS:
		print_groups(report);
		break;
	}
}
