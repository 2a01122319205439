/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of functions, for a mail or a page. */
#include "export/export.h"
#include "base/words.h"

#define NAME_WIDTH 50

static void append_html(GString *out, const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1),
			*escaped = g_markup_escape_text(valid, -1);

	g_string_append(out, escaped);
}

/* Makes it one line, no matter what the text has. */
static void append_line(GString *out, const char *text, int width)
{
	g_autofree char *line = spt_one_line(text);
	glong n = g_utf8_strlen(line, -1);

	g_string_append(out, line);
	for (; n < width; n++)
		g_string_append_c(out, ' ');
}

static const char *table_object_of(const SptFunction *function)
{
	return function->is_process && !*function->object ? "(process)" : function->object;
}

static void append_row(GString *out, const SptFunction *function, double percent, bool is_html)
{
	g_string_append_printf(
		out,
		is_html ? "<tr><td align=\"right\">%.2f</td><td align=\"right\">%.2f</td><td>" :
			  "%7.2f %8.2f   ",
		percent * (double)function->self, percent * (double)function->total);
	if (is_html) {
		append_html(out, function->name);
		g_string_append(out, "</td><td>");
		append_html(out, table_object_of(function));
		g_string_append(out, "</td></tr>\n");
	} else {
		append_line(out, function->name, NAME_WIDTH);
		g_string_append_c(out, ' ');
		append_line(out, table_object_of(function), 0);
		g_string_append_c(out, '\n');
	}
}

void spt_export_table(const SptProfile *profile, const uint32_t *list, uint32_t n, bool is_html,
		      SptOut *out)
{
	uint32_t n_functions;
	const SptFunction *functions = spt_profile_functions(profile, &n_functions);
	uint64_t total = spt_profile_total(profile);

	g_string_append(
		spt_out_text(out),
		is_html ?
			"<meta charset=\"utf-8\">\n<table>\n<tr><th>Self %</th><th>Total %</th><th>Function</th><th>Object</th></tr>\n" :
			" Self %  Total %   Function                                           Object\n");
	for (uint32_t i = 0; i < n; i++)
		append_row(spt_out_text(out), &functions[list[i]],
			   total ? 100.0 / (double)total : 0, is_html);
	if (is_html)
		g_string_append(spt_out_text(out), "</table>\n");
}

static bool write_text(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	uint32_t n, n_functions;
	const SptFunction *functions = spt_profile_functions(input->profile, &n_functions);
	g_autofree uint32_t *order = spt_profile_order(input->profile, true);

	/* Functions without samples are last. */
	for (n = 0; n < n_functions && functions[order[n]].total > 0; n++)
		;
	spt_export_table(input->profile, order, n, false, out);
	return true;
}

const SptExport spt_export_text = {
	.name = "text",
	.ending = ".txt",
	.help = "a line for each function",
	.menu = SPT_WORDS("Export Te_xt…"),
	.carries = SPT_EXPORT_CARRIES_OBJECTS,
	.write = write_text,
};
