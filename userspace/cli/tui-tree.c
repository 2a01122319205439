/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A place in the tree is identified by a number made of the names on its path from the root.  So it
 * is found again in another tree.
 */
#include "tui-tree.h"

#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "report.h"
#include "screen.h"

#define COLUMNS_ROWS 1
#define FOOT_ROWS 1
#define SEARCH_MOST 60
/* Rows that have this much of their parent are open at first. */
#define OPENED_PERCENT 50
#define DELETE 127
#define BACKSPACE 8

struct row {
	uint64_t place;
	uint32_t node;
	unsigned depth;
};

struct spt_browser {
	struct spt_browse_page page;
	GHashTable *open;		/* places */
	GArray *rows;			/* struct row: the rows that the tree shows */
	unsigned cursor, first; /* indices of rows: the chosen one, the topmost one on the screen */
	GString *search;
	bool is_typing;			/* the text that is searched for, or an answer */
	const char *question;		/* of the answer; NULL: a text is searched for */
	char **choices;			/* what the answer is one of; NULL: any text */
	GString *answer;
	bool has_answer;
	const char *keys;		/* the caller's text; NULL: none */
};

SptBrowser *spt_browser_new(void)
{
	SptBrowser *browser = g_new0(SptBrowser, 1);

	browser->open = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	browser->rows = g_array_new(FALSE, FALSE, sizeof(struct row));
	browser->search = g_string_new(NULL);
	browser->answer = g_string_new(NULL);
	return browser;
}

void spt_browser_free(SptBrowser *browser)
{
	if (!browser)
		return;
	g_hash_table_unref(browser->open);
	g_array_unref(browser->rows);
	g_string_free(browser->search, TRUE);
	g_string_free(browser->answer, TRUE);
	g_strfreev(browser->choices);
	g_free(browser);
}

/* FNV-1a. */
static uint64_t browse_mix(uint64_t place, const char *text)
{
	for (; *text; text++)
		place = (place ^ (uint8_t)*text) * 0x100000001b3u;
	return (place ^ 0xff) * 0x100000001b3u;
}

/* The place of child @node of the one at @parent. */
static uint64_t place_below(const SptBrowser *browser, uint64_t parent, uint32_t node)
{
	const SptFunction *function = &browser->page.functions[browser->page.nodes[node].function];

	return browse_mix(browse_mix(parent, function->name), function->object);
}

static uint64_t browse_place_of(const SptBrowser *browser, uint32_t node)
{
	uint32_t parent = browser->page.nodes[node].parent;

	return node ? place_below(browser, browse_place_of(browser, parent), node) : 0;
}

static bool is_to_expand(const SptBrowser *browser, uint32_t node)
{
	const SptTreeNode *at = &browser->page.nodes[node];

	return browser->page.expand && node != 0 && at->parent == 0 && at->n_children == 0 &&
	       at->total > at->self;
}

static bool can_open(const SptBrowser *browser, uint32_t node)
{
	return browser->page.nodes[node].n_children > 0 || is_to_expand(browser, node);
}

static bool is_open(const SptBrowser *browser, uint64_t place)
{
	return g_hash_table_contains(browser->open, &place);
}

static void set_open(SptBrowser *browser, uint64_t place, bool open)
{
	if (open)
		g_hash_table_add(browser->open, g_memdup2(&place, sizeof(place)));
	else
		g_hash_table_remove(browser->open, &place);
}

/* Recursion is bounded: folding cuts stacks that are too deep. */
static void browse_add_rows(SptBrowser *browser, uint32_t parent, uint64_t place, unsigned depth)
{
	/* A copy: nodes that are expanded move. */
	SptTreeNode node = browser->page.nodes[parent];

	for (uint32_t i = 0; i < node.n_children; i++) {
		uint32_t child = node.first_child + i;
		struct row row = { place_below(browser, place, child), child, depth };

		if (browser->page.nodes[child].total == 0)
			continue;
		g_array_append_val(browser->rows, row);
		if (!is_open(browser, row.place))
			continue;
		if (is_to_expand(browser, child))
			browser->page.expand(&browser->page, child);
		browse_add_rows(browser, child, row.place, depth + 1);
	}
}

static const struct row *browse_row_at(const SptBrowser *browser, unsigned at)
{
	return at < browser->rows->len ? &g_array_index(browser->rows, struct row, at) : NULL;
}

/* Shows the tree with the rows that are open now, with the cursor on @place if that is shown. */
static void browse_show(SptBrowser *browser, uint64_t place)
{
	g_array_set_size(browser->rows, 0);
	browse_add_rows(browser, 0, 0, 0);
	for (unsigned i = 0; i < browser->rows->len; i++)
		if (browse_row_at(browser, i)->place == place)
			browser->cursor = i;
	browser->cursor = MIN(browser->cursor, MAX(browser->rows->len, 1) - 1);
}

void spt_browser_set_page(SptBrowser *browser, const struct spt_browse_page *page)
{
	const struct row *row = browse_row_at(browser, browser->cursor);
	/* The top row stays at the top, even if another comes first now. */
	uint64_t place = row && browser->cursor > 0 ? row->place : 0;

	browser->page = *page;
	browse_show(browser, place);
}

void spt_browser_open_heaviest(SptBrowser *browser)
{
	const SptTreeNode *nodes = browser->page.nodes;
	uint64_t place = 0;
	uint32_t at = 0;

	while (can_open(browser, at)) {
		uint32_t child = nodes[at].first_child;

		if (spt_percent(nodes[child].total, nodes[at].total) < OPENED_PERCENT)
			break;
		place = place_below(browser, place, child);
		set_open(browser, place, true);
		at = child;
	}
	browse_show(browser, 0);
}

void spt_browser_set_keys(SptBrowser *browser, const char *keys)
{
	browser->keys = keys;
}

uint32_t spt_browser_chosen(const SptBrowser *browser)
{
	const struct row *row = browse_row_at(browser, browser->cursor);

	return row ? row->node : 0;
}

void spt_browser_ask(SptBrowser *browser, const char *question)
{
	browser->is_typing = true;
	browser->question = question;
	browser->has_answer = false;
	g_clear_pointer(&browser->choices, g_strfreev);
	g_string_truncate(browser->answer, 0);
}

void spt_browser_choose(SptBrowser *browser, const char *question, char **choices)
{
	spt_browser_ask(browser, question);
	browser->choices = choices;
}

/* The first choice, from @at on, that begins with what was typed; NULL: none. */
static char **browse_next_choice(const SptBrowser *browser, char **at)
{
	while (at && *at && !g_str_has_prefix(*at, browser->answer->str))
		at++;
	return at && *at ? at : NULL;
}

const char *spt_browser_answer(SptBrowser *browser)
{
	bool has_answer = browser->has_answer;

	browser->has_answer = false;
	return has_answer ? browser->answer->str : NULL;
}

bool spt_browser_is_typing(const SptBrowser *browser)
{
	return browser->is_typing;
}

bool spt_browser_is_empty(const SptBrowser *browser)
{
	return browser->rows->len == 0;
}

static void draw_row(const SptBrowser *browser, unsigned at, unsigned width)
{
	const struct spt_browse_page *page = &browser->page;
	const struct row *row = browse_row_at(browser, at);
	const SptFunction *function = &page->functions[page->nodes[row->node].function];
	const char *mark = !can_open(browser, row->node) ? "  " :
			   is_open(browser, row->place)	 ? "- " :
							   "+ ";
	/* Names deep in the tree are still on the screen. */
	int indent = (int)MIN(row->depth, width / 3);
	g_autoptr(GString) line = g_string_new(NULL);
	g_autofree char *shown = NULL, *object = NULL;

	page->fill(line, page, row->node, row->depth);
	g_string_append_printf(line, "%*s%s", indent, "", mark);
	object = g_strconcat(function->is_inlined ? " (inlined)  " : "  ",
			     spt_report_object(function), NULL);
	shown = spt_format_name(line->str, function->name, object, width);
	printf("%s%s\033[0m\033[K\r\n",
	       at == browser->cursor ? "\033[7m" :
	       function->is_kernel   ? spt_color(SPT_COLOR_KERNEL) :
				       "",
	       shown);
}

/* Rows of the tree that the screen has room for. */
static unsigned room(const SptBrowser *browser)
{
	unsigned taken = COLUMNS_ROWS + FOOT_ROWS, height = spt_terminal_rows();

	for (const char *const *line = browser->page.head; *line; line++)
		taken++;
	return height > taken + 1 ? height - taken : 1;
}

/* What is being typed, or searched for. */
static GString *text_of(const SptBrowser *browser)
{
	return browser->question ? browser->answer : browser->search;
}

/* What keys do; where that is too long, the keys alone, so that none of them is out of sight. */
static void browse_append_keys(GString *foot, const SptBrowser *browser, unsigned width)
{
	g_auto(GStrv) keys = g_strsplit(browser->keys ? browser->keys : "", "  ", -1);

	g_string_append_printf(foot, "Enter open  / n find  %s%sq quit",
			       browser->keys ? browser->keys : "", browser->keys ? "  " : "");
	if (foot->len <= width)
		return;
	g_string_assign(foot, "Enter / n");
	for (char **key = keys; *key; key++)
		g_string_append_printf(foot, " %.*s", (int)strcspn(*key, " "), *key);
	g_string_append(foot, "  q quit");
}

/* The last line: keys, or what is being typed, and the choices that it leaves. */
static char *browse_foot(const SptBrowser *browser, unsigned width)
{
	GString *foot = g_string_new(NULL);

	if (!browser->is_typing) {
		browse_append_keys(foot, browser, width);
		return g_string_free(foot, FALSE);
	}
	g_string_append_printf(foot, "%s%s", browser->question ? browser->question : "/",
			       text_of(browser)->str);
	if (!browser->question || !browser->choices)
		return g_string_free(foot, FALSE);
	g_string_append(foot, "   [");
	for (char **at = browser->choices; (at = browse_next_choice(browser, at)); at++)
		g_string_append_printf(foot, "%s%s", foot->str[foot->len - 1] == '[' ? "" : " ",
				       *at);
	g_string_append_c(foot, ']');
	return g_string_free(foot, FALSE);
}

void spt_browser_draw(SptBrowser *browser)
{
	unsigned width = MAX(spt_terminal_width(), 20), rows = room(browser);
	g_autofree char *foot = browse_foot(browser, width - 1);
	g_autofree char *shown_foot = spt_format_cut(foot, width - 1);

	browser->first = MIN(browser->first, browser->cursor);
	if (browser->cursor >= browser->first + rows)
		browser->first = browser->cursor - rows + 1;
	printf("\033[H");
	for (const char *const *line = browser->page.head; *line; line++) {
		g_autofree char *shown = spt_format_cut(*line, width);

		printf("%s\033[K\r\n", shown);
	}
	printf("%s%s%s\033[K\r\n", spt_color(SPT_COLOR_TITLE), browser->page.columns,
	       spt_color(SPT_COLOR_OFF));
	for (unsigned i = browser->first; i < browser->rows->len && i < browser->first + rows; i++)
		draw_row(browser, i, width);
	printf("\033[J\033[%u;1H%s\033[K", spt_terminal_rows(), shown_foot);
	fflush(stdout);
}

static bool matches(const SptBrowser *browser, uint32_t node)
{
	const struct spt_browse_page *page = &browser->page;
	const SptFunction *function = &page->functions[page->nodes[node].function];
	g_autofree char *name = g_ascii_strdown(function->name, -1);
	g_autofree char *wanted = g_ascii_strdown(browser->search->str, -1);

	return strstr(name, wanted) != NULL;
}

/* The next node with the text, in any part of the tree; opens the rows down to it. */
static void browse_find_next(SptBrowser *browser)
{
	const SptTreeNode *nodes = browser->page.nodes;
	const struct row *row = browse_row_at(browser, browser->cursor);
	uint32_t n = browser->page.n_nodes, here = row ? row->node : 0;

	for (uint32_t step = 1; browser->search->len && step <= n; step++) {
		uint32_t node = (here + step) % n;

		if (node == 0 || nodes[node].total == 0 || !matches(browser, node))
			continue;
		for (uint32_t up = nodes[node].parent; up != 0; up = nodes[up].parent)
			set_open(browser, browse_place_of(browser, up), true);
		browse_show(browser, browse_place_of(browser, node));
		return;
	}
}

/* An answer that is none of the choices is none. */
static void browse_finish_answer(SptBrowser *browser)
{
	char **choice = browse_next_choice(browser, browser->choices);

	browser->has_answer = !browser->choices || choice;
	if (choice)
		g_string_assign(browser->answer, *choice);
}

static void type(SptBrowser *browser, int key)
{
	GString *text = text_of(browser);

	if (key == '\n' || key == '\r') {
		browser->is_typing = false;
		if (browser->question)
			browse_finish_answer(browser);
		else
			browse_find_next(browser);
	} else if (key == 27) {
		browser->is_typing = false;
	} else if ((key == DELETE || key == BACKSPACE) && text->len) {
		g_string_truncate(text, text->len - 1);
	} else if (key >= ' ' && key < DELETE && text->len < SEARCH_MOST) {
		g_string_append_c(text, (char)key);
	}
}

static void browse_move(SptBrowser *browser, int rows)
{
	int at = (int)browser->cursor + rows;

	browser->cursor = (unsigned)CLAMP(at, 0, (int)MAX(browser->rows->len, 1) - 1);
}

/* Left: closes an open row, else goes to its parent. */
static void go_left(SptBrowser *browser, const struct row *row)
{
	uint32_t parent = browser->page.nodes[row->node].parent;
	uint64_t place = row->place;

	if (is_open(browser, place) && can_open(browser, row->node))
		set_open(browser, place, false);
	else if (parent != 0)
		place = browse_place_of(browser, parent);
	browse_show(browser, place);
}

static void open_or_close(SptBrowser *browser, const struct row *row, bool open)
{
	uint64_t place = row->place;

	if (!can_open(browser, row->node))
		return;
	set_open(browser, place, open);
	browse_show(browser, place);
}

bool spt_browser_obey(SptBrowser *browser, int key)
{
	const struct row *row = browse_row_at(browser, browser->cursor);
	int page = (int)MAX(room(browser), 2) - 1;

	if (key == SPT_KEY_END)
		return false;
	if (browser->is_typing) {
		type(browser, key);
		return true;
	}
	switch (key) {
	case SPT_KEY_UP: case 'k': browse_move(browser, -1); break;
	case SPT_KEY_DOWN: case 'j': browse_move(browser, 1); break;
	case SPT_KEY_PAGE_UP: browse_move(browser, -page); break;
	case SPT_KEY_PAGE_DOWN: case ' ': browse_move(browser, page); break;
	case SPT_KEY_FIRST: case 'g': browse_move(browser, -(int)browser->rows->len); break;
	case SPT_KEY_LAST: case 'G': browse_move(browser, (int)browser->rows->len); break;
	case '/':
		browser->is_typing = true;
		browser->question = NULL;
		g_string_truncate(browser->search, 0);
		break;
	case 'n': browse_find_next(browser); break;
	case 'q': return false;
	default:
		if (!row)
			break;
		if (key == SPT_KEY_RIGHT || key == 'l')
			open_or_close(browser, row, true);
		else if (key == SPT_KEY_LEFT || key == 'h')
			go_left(browser, row);
		else if (key == '\r' || key == '\n')
			open_or_close(browser, row, !is_open(browser, row->place));
	}
	return true;
}
