/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --tui: the tree of calls, to be walked with the arrow keys. */
#include "report-tui.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "screen.h"

#define HEAD_ROWS 2
#define FOOT_ROWS 1
#define SEARCH_MOST 60
/* Opened at first: what has so much of its parent. */
#define OPENED_PERCENT 50
#define DELETE 127
#define BACKSPACE 8

struct row {
	uint32_t node;
	unsigned depth;
};

struct tui {
	const struct spt_report *report;
	const SptFunction *functions;
	const SptTreeNode *nodes;
	uint32_t n_nodes;
	bool *is_open;			/* by node */
	GArray *rows;			/* struct row, what the tree shows */
	unsigned cursor, first;		/* of rows: the chosen one, the topmost on the screen */
	GString *search;
	bool is_typing;			/* what is searched for */
};

/* Recursion is bounded: folding cuts stacks that are too deep. */
static void add_rows(struct tui *tui, uint32_t parent, unsigned depth)
{
	const SptTreeNode *node = &tui->nodes[parent];

	for (uint32_t i = 0; i < node->n_children; i++) {
		struct row row = { node->first_child + i, depth };

		if (tui->nodes[row.node].total == 0)
			continue;
		g_array_append_val(tui->rows, row);
		if (tui->is_open[row.node])
			add_rows(tui, row.node, depth + 1);
	}
}

static uint32_t node_at(const struct tui *tui, unsigned row)
{
	return g_array_index(tui->rows, struct row, row).node;
}

/* Shows the tree as it is open now, with the cursor on @node. */
static void show(struct tui *tui, uint32_t node)
{
	g_array_set_size(tui->rows, 0);
	add_rows(tui, 0, 0);
	for (unsigned i = 0; i < tui->rows->len; i++)
		if (node_at(tui, i) == node)
			tui->cursor = i;
	tui->cursor = MIN(tui->cursor, MAX(tui->rows->len, 1) - 1);
}

static void open_heaviest(struct tui *tui)
{
	uint32_t at = 0;

	while (tui->nodes[at].n_children) {
		uint32_t child = tui->nodes[at].first_child;

		if (spt_percent(tui->nodes[child].total, tui->nodes[at].total) < OPENED_PERCENT)
			break;
		tui->is_open[child] = true;
		at = child;
	}
}

static bool can_open(const struct tui *tui, uint32_t node)
{
	return tui->nodes[node].n_children > 0;
}

static void draw_row(const struct tui *tui, unsigned at, unsigned width)
{
	const struct row *row = &g_array_index(tui->rows, struct row, at);
	const SptTreeNode *node = &tui->nodes[row->node];
	const SptFunction *function = &tui->functions[node->function];
	uint64_t all = tui->nodes[0].total;
	const char *mark = !can_open(tui, row->node) ? "  " :
			   tui->is_open[row->node]   ? "- " :
						       "+ ";
	/* What is deep inside still has its name on the screen. */
	int indent = (int)MIN(row->depth, width / 3);
	g_autofree char *line = g_strdup_printf("%7.2f  %7.2f  %*s%s%s  %s",
						spt_percent(node->total, all),
						spt_percent(node->self, all), indent, "", mark,
						function->name, spt_report_object(function));
	g_autofree char *shown = spt_format_cut(line, width);

	printf("%s%s\033[0m\033[K\r\n",
	       at == tui->cursor	? "\033[7m" :
	       function->is_kernel	? spt_color(SPT_COLOR_KERNEL) :
					  "",
	       shown);
}

static void draw(struct tui *tui)
{
	unsigned width = MAX(spt_terminal_width(), 20), height = spt_terminal_rows();
	unsigned rows = height > HEAD_ROWS + FOOT_ROWS + 1 ? height - HEAD_ROWS - FOOT_ROWS : 1;
	g_autofree char *samples = spt_format_count(spt_profile_n_samples(tui->report->profile));
	g_autofree char *head = g_strdup_printf("%s samples of %s", samples,
						tui->report->capture->path);
	g_autofree char *shown = spt_format_cut(head, width);
	g_autofree char *foot =
		tui->is_typing ? g_strdup_printf("/%s", tui->search->str) :
				 g_strdup("arrows: move   Enter: open or close   /: search   "
					  "n: next   q: quit");
	g_autofree char *shown_foot = spt_format_cut(foot, width - 1);

	tui->first = MIN(tui->first, tui->cursor);
	if (tui->cursor >= tui->first + rows)
		tui->first = tui->cursor - rows + 1;
	printf("\033[H%s\033[K\r\n%s%7s  %7s  %s%s\033[K\r\n", shown, spt_color(SPT_COLOR_TITLE),
	       "Total %", "Self %", "Function  Object", spt_color(SPT_COLOR_OFF));
	for (unsigned i = tui->first; i < tui->rows->len && i < tui->first + rows; i++)
		draw_row(tui, i, width);
	printf("\033[J\033[%u;1H%s\033[K", height, shown_foot);
	fflush(stdout);
}

static bool matches(const struct tui *tui, uint32_t node)
{
	g_autofree char *name = g_ascii_strdown(tui->functions[tui->nodes[node].function].name, -1);
	g_autofree char *wanted = g_ascii_strdown(tui->search->str, -1);

	return strstr(name, wanted) != NULL;
}

/* The next node with the text, in any part of the tree, which is opened down to it. */
static void find_next(struct tui *tui)
{
	uint32_t here = tui->rows->len ? node_at(tui, tui->cursor) : 0;

	for (uint32_t step = 1; tui->search->len && step <= tui->n_nodes; step++) {
		uint32_t node = (here + step) % tui->n_nodes;

		if (node == 0 || tui->nodes[node].total == 0 || !matches(tui, node))
			continue;
		for (uint32_t up = tui->nodes[node].parent; up != 0; up = tui->nodes[up].parent)
			tui->is_open[up] = true;
		show(tui, node);
		return;
	}
}

static void type(struct tui *tui, int key)
{
	if (key == '\n' || key == '\r') {
		tui->is_typing = false;
		find_next(tui);
	} else if (key == 27) {
		tui->is_typing = false;
	} else if ((key == DELETE || key == BACKSPACE) && tui->search->len) {
		g_string_truncate(tui->search, tui->search->len - 1);
	} else if (key >= ' ' && key < DELETE && tui->search->len < SEARCH_MOST) {
		g_string_append_c(tui->search, (char)key);
	}
}

static void move(struct tui *tui, int rows)
{
	int at = (int)tui->cursor + rows;

	tui->cursor = (unsigned)CLAMP(at, 0, (int)tui->rows->len - 1);
}

/* Left: closes what is open, else goes to what it is in. */
static void go_left(struct tui *tui, uint32_t node)
{
	if (tui->is_open[node] && can_open(tui, node))
		tui->is_open[node] = false;
	else if (tui->nodes[node].parent != 0)
		node = tui->nodes[node].parent;
	show(tui, node);
}

static void open_or_close(struct tui *tui, uint32_t node, bool is_open)
{
	tui->is_open[node] = is_open;
	show(tui, node);
}

/* False: it ends. */
static bool obey(struct tui *tui, int key)
{
	uint32_t node = node_at(tui, tui->cursor);
	int page = (int)MAX(spt_terminal_rows(), 6) - HEAD_ROWS - FOOT_ROWS - 1;

	switch (key) {
	case SPT_KEY_UP: case 'k': move(tui, -1); break;
	case SPT_KEY_DOWN: case 'j': move(tui, 1); break;
	case SPT_KEY_PAGE_UP: move(tui, -page); break;
	case SPT_KEY_PAGE_DOWN: case ' ': move(tui, page); break;
	case SPT_KEY_FIRST: case 'g': tui->cursor = 0; break;
	case SPT_KEY_LAST: case 'G': tui->cursor = tui->rows->len - 1; break;
	case SPT_KEY_RIGHT: case 'l': open_or_close(tui, node, true); break;
	case SPT_KEY_LEFT: case 'h': go_left(tui, node); break;
	case '\r': case '\n': open_or_close(tui, node, !tui->is_open[node]); break;
	case '/':
		tui->is_typing = true;
		g_string_truncate(tui->search, 0);
		break;
	case 'n': find_next(tui); break;
	case 'q': case SPT_KEY_END: return false;
	default: break;
	}
	return true;
}

bool spt_report_tui(const struct spt_report *report)
{
	g_autoptr(GString) search = g_string_new(NULL);
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(struct row));
	struct tui tui = { .report = report, .search = search, .rows = rows };
	g_autofree bool *is_open = NULL;
	uint32_t n;

	tui.functions = spt_profile_functions(report->profile, &n);
	tui.nodes = spt_profile_tree(report->profile, &tui.n_nodes);
	tui.is_open = is_open = g_new0(bool, MAX(tui.n_nodes, 1));
	open_heaviest(&tui);
	show(&tui, 0);
	if (rows->len == 0 || !spt_screen_begin()) {
		spt_cli_complain("--tui needs a terminal; --tree prints the same");
		return false;
	}
	do {
		int key;

		draw(&tui);
		key = spt_screen_key(-1);
		if (tui.is_typing && key != SPT_KEY_END)
			type(&tui, key);
		else if (!obey(&tui, key))
			break;
	} while (true);
	spt_screen_end();
	return true;
}
