/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folded stacks, line by line; flame graphs, as boxes and as a file. */
#include "exported.h"
#include "picture/flame-layout.h"

#include <inttypes.h>
#include <string.h>

#include "captures.h"

static char *export_folded(struct fake *fake)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(fake), NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(&fake->capture, symbols, NULL, NULL);
	GString *text = g_string_new(NULL);

	append_export(&spt_export_folded, profile, text);
	return g_string_free(text, FALSE);
}

static void test_lines(void)
{
	struct fake fake;

	fake_init(&fake);
	fake_sample(&fake, 2, (const unsigned[]){ 2, 0 }, 2, 1, 5);
	fake_sample(&fake, 1, (const unsigned[]){ 0, 1, 1 }, 3, 1, 10);
	fake_sample(&fake, 3, (const unsigned[]){ 0, 1, 1 }, 3, 1, 4);
	fake_sample(&fake, 1, (const unsigned[]){ 0 }, 1, 1, 1);
	fake_sample(&fake, 2, NULL, 0, 1, 7);

	g_autofree char *text = export_folded(&fake);

	g_assert_cmpstr(text, ==, "even;f0 1\neven;f0;f1;f1 14\nodd;[no stack] 7\nodd;f2;f0 5\n");
	fake_clear(&fake);
}

static void test_names_that_would_break_lines(void)
{
	struct fake fake;

	fake_init(&fake);
	fake.names[0].symbol = "a;b\nc\033\xc2\x9b";
	fake.processes[2].name = "two\r\nlines";
	fake_sample(&fake, 2, (const unsigned[]){ 0 }, 1, 1, 5);

	g_autofree char *text = export_folded(&fake);

	g_assert_cmpstr(text, ==, "two  lines;a:b c?? 5\n");
	fake_clear(&fake);
}

/* Two objects may have a function of one name: one stack, one line. */
static void test_equal_stacks_are_one_line(void)
{
	struct fake fake;

	fake_init(&fake);
	fake.names[1] = (SptNameRow){ .object = 1, .offset = 16, .symbol = "f0", .module = "ext4" };
	fake_sample(&fake, 2, (const unsigned[]){ 0 }, 1, 1, 5);
	fake_sample(&fake, 2, (const unsigned[]){ 1 }, 1, 1, 6);

	g_autofree char *text = export_folded(&fake);

	g_assert_cmpstr(text, ==, "odd;f0 11\n");
	fake_clear(&fake);
}

static void test_weights_add_up(void)
{
	struct fake fake;
	uint64_t weight = 0, sum = 0;

	fake_init(&fake);
	fake_random(&fake, 1000);
	for (unsigned i = 0; i < fake.samples->len; i++)
		weight += g_array_index(fake.samples, SptSampleRow, i).weight;

	g_autofree char *text = export_folded(&fake);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line && **line; line++) {
		sum += g_ascii_strtoull(strrchr(*line, ' '), NULL, 10);
		if (line > lines)
			g_assert_cmpint(strcmp(line[-1], line[0]), <, 0);
	}
	g_assert_cmpuint(sum, ==, weight);
	fake_clear(&fake);
}

static void test_nothing(void)
{
	struct fake fake;

	fake_init(&fake);

	g_autofree char *text = export_folded(&fake);

	g_assert_cmpstr(text, ==, "");
	fake_clear(&fake);
}

/*
 * Boxes of one row do not overlap; each is within its parent; none is without weight or below the
 * least percentage.
 */
static void check_boxes(const SptTreeNode *nodes, uint32_t n, double min_share, GArray *boxes)
{
	g_autofree int *box_of = g_new(int, n);
	unsigned shown = 0;

	for (uint32_t i = 0; i < n; i++)
		box_of[i] = -1;
	for (unsigned i = 0; i < boxes->len; i++) {
		const SptFlameBox *box = &g_array_index(boxes, SptFlameBox, i),
				  *before = i ? box - 1 : NULL;

		g_assert_cmpuint(box->weight, ==, nodes[box->node].total);
		if (before && before->depth == box->depth)
			g_assert_cmpuint(before->begin + before->weight, <=, box->begin);
		if (box->node > 0) {
			const SptFlameBox *parent =
				&g_array_index(boxes, SptFlameBox, box_of[nodes[box->node].parent]);

			g_assert_cmpuint(box->depth, ==, parent->depth + 1);
			g_assert_cmpuint(box->begin, >=, parent->begin);
			g_assert_cmpuint(box->begin + box->weight, <=,
					 parent->begin + parent->weight);
		}
		box_of[box->node] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		shown += nodes[i].total > 0 && nodes[i].total >= min_share * nodes[0].total;
	g_assert_cmpuint(boxes->len, ==, shown);
}

static void test_layout(void)
{
	static const double shares[] = { 0, 0.01, 0.3, 1 };

	for (unsigned round = 0; round < 20; round++) {
		struct fake fake;
		uint32_t n;

		fake_init(&fake);
		fake_random(&fake, round * 10);

		g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
		g_autoptr(SptProfile) profile = spt_profile_new(&fake.capture, symbols, NULL, NULL);
		const SptTreeNode *nodes = spt_profile_tree(profile, &n);

		for (unsigned i = 0; i < G_N_ELEMENTS(shares); i++) {
			g_autoptr(GArray) boxes = spt_flame_layout(nodes, shares[i]);

			check_boxes(nodes, n, shares[i], boxes);
		}
		fake_clear(&fake);
	}
}

static bool is_below(const SptTreeNode *nodes, uint32_t node, uint32_t above)
{
	while (node > above)
		node = nodes[node].parent;
	return node == above;
}

/*
 * What was zoomed to is what lies there in the whole picture, moved to the left edge, below its
 * ancestors.
 */
static void check_focus(const SptTreeNode *nodes, uint32_t focus, const GArray *all)
{
	g_autoptr(GArray) boxes = spt_flame_layout_focus(nodes, focus, 0);
	const SptFlameBox *whole = NULL;
	unsigned at = 0;

	for (uint32_t i = 0; i < all->len; i++) {
		const SptFlameBox *box = &g_array_index(all, SptFlameBox, i),
				  *seen = &g_array_index(boxes, SptFlameBox, at);

		if (box->node == focus)
			whole = box;
		if (!is_below(nodes, box->node, focus) && !is_below(nodes, focus, box->node))
			continue;
		g_assert_cmpuint(at++, <, boxes->len);
		g_assert_cmpuint(seen->node, ==, box->node);
		g_assert_cmpuint(seen->depth, ==, box->depth);
		g_assert_cmpuint(seen->begin, ==, whole ? box->begin - whole->begin : 0);
		g_assert_cmpuint(seen->weight, ==, whole ? box->weight : nodes[focus].total);
	}
	g_assert_cmpuint(at, ==, boxes->len);
}

/* What is too narrow is not lost, unless all of it together is. */
static void check_joined(const SptTreeNode *nodes, uint32_t n, uint32_t focus, double min_share)
{
	g_autoptr(GArray) boxes = spt_flame_layout_focus(nodes, focus, min_share);
	g_autofree uint64_t *below = g_new0(uint64_t, n);
	double least = nodes[focus].total * min_share;

	for (uint32_t i = 0; i < boxes->len; i++) {
		const SptFlameBox *box = &g_array_index(boxes, SptFlameBox, i);

		g_assert_cmpfloat(box->weight, >=, least);
		if (box->n_more)
			g_assert_cmpfloat(nodes[box->node].total, <, least);
		if (box->node > focus)
			below[nodes[box->node].parent] += box->weight;
	}
	for (uint32_t i = 0; i < boxes->len; i++) {
		const SptFlameBox *box = &g_array_index(boxes, SptFlameBox, i);
		const SptTreeNode *node = &nodes[box->node];
		uint64_t missing = node->total - node->self - below[box->node];

		if (box->node >= focus && box->n_more == 0 && missing > 0)
			g_assert_cmpfloat(missing, <, least);
	}
}

/* Leaf by leaf: it counts if there is a match on its path. */
static void check_matched(const SptTreeNode *nodes, uint32_t n, uint32_t focus,
			  uint32_t n_functions)
{
	g_autofree bool *matches = g_new0(bool, MAX(n_functions, 1));
	uint64_t expected = 0;

	for (uint32_t i = 0; i < n_functions; i++)
		matches[i] = (i + focus) % 5 == 0;
	for (uint32_t i = focus; i < n; i++) {
		bool is_matched = false;

		if (!is_below(nodes, i, focus))
			continue;
		for (uint32_t at = i; at != 0; at = nodes[at].parent)
			is_matched |= matches[nodes[at].function];
		expected += is_matched ? nodes[i].self : 0;
	}
	g_assert_cmpuint(spt_flame_matched(nodes, n, focus, matches), ==, expected);
}

static void test_focus(void)
{
	for (unsigned round = 1; round < 12; round++) {
		struct fake fake;
		uint32_t n, n_functions;

		fake_init(&fake);
		fake_random(&fake, round * 10);

		g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
		g_autoptr(SptProfile) profile = spt_profile_new(&fake.capture, symbols, NULL, NULL);
		const SptTreeNode *nodes = spt_profile_tree(profile, &n);
		g_autoptr(GArray) all = spt_flame_layout(nodes, 0);

		spt_profile_functions(profile, &n_functions);
		for (uint32_t focus = 0; focus < n; focus++) {
			check_focus(nodes, focus, all);
			check_joined(nodes, n, focus, 0.1);
			check_matched(nodes, n, focus, n_functions);
		}
		fake_clear(&fake);
	}
}

static char *export_svg(struct fake *fake)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(fake), NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(&fake->capture, symbols, NULL, NULL);
	GString *text = g_string_new(NULL);

	append_export(&spt_export_svg, profile, text);
	return g_string_free(text, FALSE);
}

static void ignore_text(GMarkupParseContext *context, const char *text, gsize bytes, gpointer data,
			GError **error)
{
	(void)context, (void)text, (void)bytes, (void)data, (void)error;
}

/* Elements, text and attributes in order, all of it valid UTF-8 without control characters. */
static void check_markup(const char *svg)
{
	static const GMarkupParser parser = { .text = ignore_text };
	g_autoptr(GMarkupParseContext) context =
		g_markup_parse_context_new(&parser, G_MARKUP_TREAT_CDATA_AS_TEXT, NULL, NULL);
	g_autoptr(GError) error = NULL;

	g_markup_parse_context_parse(context, svg, -1, &error);
	g_assert_no_error(error);
	g_markup_parse_context_end_parse(context, &error);
	g_assert_no_error(error);
	for (const char *c = svg; *c; c++)
		g_assert_true((unsigned char)*c >= 0x20 || *c == '\n' || *c == '\t');
}

static void test_svg(void)
{
	struct fake fake;

	fake_init(&fake);
	fake_sample(&fake, 2, (const unsigned[]){ 0, 1 }, 2, 1, 3);
	fake_sample(&fake, 2, (const unsigned[]){ 0 }, 1, 1, 1);

	g_autofree char *svg = export_svg(&fake);

	check_markup(svg);
	g_assert_nonnull(strstr(svg, "2 samples, 4 periods"));
	g_assert_nonnull(strstr(
		svg,
		"<title>odd (process)\ntotal 100.00 %, 4 periods\nself 0.00 %, 0 periods</title>"));
	g_assert_nonnull(strstr(
		svg,
		"<title>f1 ([kernel])\ntotal 75.00 %, 3 periods\nself 75.00 %, 3 periods</title>"));
	g_assert_nonnull(strstr(svg, "class=\"b k"));
	g_assert_null(strstr(svg, "href"));
	g_assert_null(strstr(svg, "url("));
	fake_clear(&fake);
}

static void test_svg_of_hostile_names(void)
{
	struct fake fake;

	fake_init(&fake);
	fake.names[0].symbol =
		"<script>alert(\"&\")</script>]]>\001\033[2J\xff\xc0\xef\xbf\xbe\xe2\x80\xae";
	fake_sample(&fake, 2, (const unsigned[]){ 0 }, 1, 1, 5);

	g_autofree char *svg = export_svg(&fake);

	check_markup(svg);
	g_assert_nonnull(strstr(svg, ">&lt;script&gt;alert(\"&amp;\")&lt;/script&gt;]]&gt;??[2J"));
	g_assert_null(strstr(svg, "<script>alert"));
	fake_clear(&fake);
}

static void test_svg_of_nothing(void)
{
	struct fake fake;

	fake_init(&fake);

	g_autofree char *svg = export_svg(&fake);

	check_markup(svg);
	g_assert_nonnull(strstr(svg, "0 samples, 0 periods"));
	fake_clear(&fake);
}

static void append_table(const SptProfile *profile, bool is_html, GString *text)
{
	g_autoptr(SptOut) out = spt_out_new_memory(text);
	uint32_t n;

	spt_profile_functions(profile, &n);

	g_autofree uint32_t *order = spt_profile_order(profile, true);

	spt_export_table(profile, order, n, is_html, out);
}

/* What has no samples is excluded; hostile names stay text, on one line. */
static void test_tables(void)
{
	struct fake fake;

	fake_init(&fake);
	fake.names[0].symbol = "<b>&\n\xff\033\xc2\x9b";
	fake_sample(&fake, 2, (const unsigned[]){ 0, 1 }, 2, 1, 3);
	fake_sample(&fake, 2, (const unsigned[]){ 0 }, 1, 1, 1);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(&fake.capture, symbols, NULL, NULL);
	g_autoptr(GString) text = g_string_new(NULL), html = g_string_new(NULL);

	append_export(&spt_export_text, profile, text);
	append_table(profile, true, html);
	g_assert_true(g_str_has_prefix(text->str, " Self %  Total %   Function "));
	g_assert_nonnull(strstr(text->str, "\n  75.00    75.00   f1 "));
	g_assert_nonnull(strstr(text->str, "\n  25.00   100.00   <b>& \xef\xbf\xbd?? "));
	g_assert_nonnull(strstr(text->str, "\n   0.00   100.00   odd "));
	g_assert_null(strstr(text->str, "f2"));
	g_assert_nonnull(strstr(html->str, "<td>&lt;b&gt;&amp;"));
	g_assert_null(strstr(html->str, "<b>"));
	fake_clear(&fake);
}

/* What --explain prints is right only if each row says it. */
static void test_parts(void)
{
	const SptExport *format;
	unsigned all = (1u << SPT_EXPORT_N_PARTS) - 1;

	for (unsigned i = 0; (format = spt_export_format(i)); i++) {
		if (format->carries == 0 || format->carries & ~all)
			g_error("%s does not say what it carries", format->name);
		g_assert_cmpint(*format->ending, ==, '.');
		g_assert_true(spt_export_find(format->name) == format);
	}
	for (unsigned part = 0; part < SPT_EXPORT_N_PARTS; part++)
		g_assert_nonnull(spt_export_part(part));
	g_assert_null(spt_export_part(SPT_EXPORT_N_PARTS));
}

/*
 * Of a function that calls itself, the part below is another one's: three samples of 1, of which
 * one is in f0 itself, one in f0 below f0, and one in f1 below both.
 */
static void test_callgrind_recursion(void)
{
	struct fake fake;

	fake_init(&fake);
	fake_sample(&fake, 2, (const unsigned[]){ 0 }, 1, 1, 1);
	fake_sample(&fake, 2, (const unsigned[]){ 0, 0 }, 2, 1, 1);
	fake_sample(&fake, 2, (const unsigned[]){ 0, 0, 0, 1 }, 4, 1, 1);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(&fake.capture, symbols, NULL, NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(SptOut) out = spt_out_new_memory(text);
	SptExportInput input = { .profile = profile,
				 .capture = &fake.capture,
				 .symbols = symbols };
	uint64_t worth = MAX(spt_metric_worth(SPT_METRIC_CPU, &fake.capture), 1);
	g_autofree char *into = g_strdup_printf("'2\ncalls=1 0\n0 %" PRIu64 "\n", 2 * worth);
	g_autofree char *total = g_strdup_printf("\nsummary: %" PRIu64 "\n", 3 * worth);

	g_assert_true(spt_export_callgrind.write(&input, out, NULL));
	g_assert_true(spt_out_finish(out, NULL));
	g_assert_nonnull(strstr(text->str, total));
	g_assert_nonnull(strstr(text->str, into));
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/folded/lines", test_lines);
	g_test_add_func("/folded/names", test_names_that_would_break_lines);
	g_test_add_func("/folded/equal-stacks", test_equal_stacks_are_one_line);
	g_test_add_func("/folded/weights", test_weights_add_up);
	g_test_add_func("/folded/nothing", test_nothing);
	g_test_add_func("/flame/layout", test_layout);
	g_test_add_func("/flame/focus", test_focus);
	g_test_add_func("/flame/svg", test_svg);
	g_test_add_func("/flame/hostile-names", test_svg_of_hostile_names);
	g_test_add_func("/flame/nothing", test_svg_of_nothing);
	g_test_add_func("/export/tables", test_tables);
	g_test_add_func("/export/parts", test_parts);
	g_test_add_func("/export/callgrind-recursion", test_callgrind_recursion);
	return g_test_run();
}
