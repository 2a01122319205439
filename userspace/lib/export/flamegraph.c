/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flame graph as one SVG file.  The root is on top: a page opens at its top, and the widest boxes
 * should be there.
 */
#include <inttypes.h>

#include "base/words.h"
#include "export/amounts.h"
#include "export/export.h"
#include "picture/flame-layout.h"
#include "export/flame-page.h"
#include "export/svg.h"

/* Width without a script that fits it to the window. */
#define WIDTH 1200
#define ROW_HEIGHT 18
#define HEAD_HEIGHT 54
#define SHADES 3
/*
 * Text is hidden in boxes narrower than this part of the width: no more than three letters would
 * fit.
 */
#define TEXT_MIN_SHARE 0.022

struct svg_page {
	const SptFunction *functions;
	const SptTreeNode *nodes;
	const SptProfile *profile;
	SptAmounts amounts;
	SptOut *out;
	GString *text;			/* of the present box */
};

/* A percentage of the whole, independent of the locale. */
static void append_percent(GString *out, uint64_t part, uint64_t whole, unsigned digits)
{
	char format[8], number[G_ASCII_DTOSTR_BUF_SIZE];

	g_snprintf(format, sizeof(format), "%%.%uf", digits);
	g_string_append(out, g_ascii_formatd(number, sizeof(number), format,
					     whole ? 100.0 * part / whole : 0));
}

static void append_weight(struct svg_page *page, const char *what, uint64_t weight, uint64_t amount)
{
	g_string_append_printf(page->text, "\n%s ", what);
	append_percent(page->text, weight, page->nodes[0].total, 2);
	g_string_append_printf(page->text, " %%, %" PRIu64 " %s", amount,
			       spt_amounts_unit(page->profile, amount));
}

static char flamegraph_kind_of(const SptFunction *function)
{
	if (!function || function->is_process)
		return 'p';
	if (!function->has_symbol)
		return 'x';
	return function->is_kernel ? 'k' : 'u';
}

static void append_box(struct svg_page *page, const SptFlameBox *box)
{
	const SptTreeNode *node = &page->nodes[box->node];
	const SptFunction *function = box->node == 0 ? NULL : &page->functions[node->function];
	const char *name = function ? function->name : "all";
	uint64_t all = page->nodes[0].total;

	page->text = spt_out_text(page->out);
	g_string_append_printf(page->text, "<svg class=\"b %c%u%s\" x=\"",
			       flamegraph_kind_of(function), g_str_hash(name) % SHADES,
			       box->weight < all * TEXT_MIN_SHARE ? " n" : "");
	append_percent(page->text, box->begin, all, 5);
	g_string_append_printf(page->text, "%%\" y=\"%u\" width=\"",
			       HEAD_HEIGHT + box->depth * ROW_HEIGHT);
	append_percent(page->text, box->weight, all, 5);
	g_string_append_printf(page->text, "%%\" height=\"%u\"><title>", ROW_HEIGHT);
	spt_svg_append_text(page->text, name);
	if (function) {
		g_string_append(page->text, " (");
		spt_svg_append_text(page->text, function->is_process ? "process" : function->object);
		g_string_append_c(page->text, ')');
	}
	append_weight(page, "total", node->total, page->amounts.total[box->node]);
	append_weight(page, "self", node->self, page->amounts.self[box->node]);
	g_string_append(page->text,
			"</title><rect width=\"100%\" height=\"100%\"/><text x=\"4\" y=\"13\">");
	spt_svg_append_text(page->text, name);
	g_string_append(page->text, "</text></svg>\n");
}

static bool write_svg(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	const SptProfile *profile = input->profile;
	uint32_t n, n_functions;
	struct svg_page page = {
		.functions = spt_profile_functions(profile, &n_functions),
		.nodes = spt_profile_tree(profile, &n),
		.profile = profile,
		.out = out,
	};
	g_autoptr(GArray) boxes = spt_flame_layout(page.nodes, SPT_FLAME_MIN_SHARE);
	uint32_t rows =
		boxes->len ? g_array_index(boxes, SptFlameBox, boxes->len - 1).depth + 1 : 0;

	spt_amounts_init(&page.amounts, profile);
	g_string_append_printf(
		spt_out_text(out),
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" font-size=\"12\">\n"
		"<style>\n%s</style>\n"
		"<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n"
		"<text class=\"head\" x=\"4\" y=\"20\">%" PRIu64 " %s, %" PRIu64
		" %s</text>\n"
		"<text class=\"status\" id=\"status\" x=\"4\" y=\"43\">Orange: user code; blue: the kernel; pale: no name; "
		"grey: processes.  Width: percentage of %s.</text>\n",
		WIDTH, HEAD_HEIGHT + rows * ROW_HEIGHT + 4, flame_style,
		spt_profile_n_samples(profile),
		spt_profile_metric(profile)->is_cpu ? "samples" : "events", page.amounts.total[0],
		spt_amounts_unit(profile, page.amounts.total[0]),
		spt_profile_metric(profile)->unit == SPT_UNIT_NS ? "the time" : "all");
	for (unsigned i = 0; i < boxes->len; i++)
		append_box(&page, &g_array_index(boxes, SptFlameBox, i));
	g_string_append_printf(spt_out_text(out), "<script><![CDATA[\n%s]]></script>\n</svg>\n",
			       flame_script);
	spt_amounts_clear(&page.amounts);
	return true;
}

const SptExport spt_export_svg = {
	.name = "svg",
	.ending = ".svg",
	.help = "a flame graph to look at",
	.menu = SPT_WORDS("Export _Flame Graph (SVG)…"),
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS,
	.write = write_svg,
};
