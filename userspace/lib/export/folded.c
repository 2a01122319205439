/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, the line format that flame graph tools read.  Stacks with the same text (functions
 * of the same name in different objects) become one line.
 */
#include "export/amounts.h"
#include "export/export.h"

#include <inttypes.h>
#include <string.h>

#include "base/words.h"

struct line {
	size_t stack;			/* position in the text */
	uint64_t weight;
};

static void folded_append_name(GString *text, const char *name)
{
	size_t begin = text->len;

	spt_append_one_line(text, name);
	for (char *c = strchr(text->str + begin, ';'); c; c = strchr(c, ';'))
		*c = ':';
}

static int folded_compare_lines(gconstpointer a, gconstpointer b, gpointer data)
{
	const char *text = data;

	return strcmp(text + ((const struct line *)a)->stack,
		      text + ((const struct line *)b)->stack);
}

/* Every node with weight of its own: writes its path, nul-terminated, to @text. */
static GArray *collect_lines(const SptProfile *profile, GString *text)
{
	uint32_t n_nodes, n_functions;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n_nodes);
	const SptFunction *functions = spt_profile_functions(profile, &n_functions);
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct line));
	SptAmounts amounts;
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	spt_amounts_init(&amounts, profile);
	for (uint32_t i = 1; i < n_nodes; i++) {
		struct line line = { .stack = text->len, .weight = amounts.self[i] };

		if (line.weight == 0)
			continue;
		g_array_set_size(path, 0);
		for (uint32_t node = i; node != 0; node = nodes[node].parent)
			g_array_append_val(path, nodes[node].function);
		for (unsigned frame = path->len; frame > 0; frame--) {
			folded_append_name(
				text, functions[g_array_index(path, uint32_t, frame - 1)].name);
			g_string_append_c(text, frame > 1 ? ';' : '\0');
		}
		g_array_append_val(lines, line);
	}
	spt_amounts_clear(&amounts);
	return lines;
}

static bool write_folded(const SptExportInput *input, SptOut *out, G_GNUC_UNUSED GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GArray) lines = collect_lines(input->profile, text);
	const struct line *all = (const struct line *)lines->data;

	g_array_sort_with_data(lines, folded_compare_lines, text->str);
	for (unsigned i = 0; i < lines->len; ) {
		const char *stack = text->str + all[i].stack;
		uint64_t weight = 0;

		for (; i < lines->len && strcmp(text->str + all[i].stack, stack) == 0; i++)
			weight += all[i].weight;
		g_string_append_printf(spt_out_text(out), "%s %" PRIu64 "\n", stack, weight);
	}	return true;
}

const SptExport spt_export_folded = {
	.name = "folded",
	.ending = ".folded",
	.help = "a line for each stack",
	.menu = SPT_WORDS("Export Folded S_tacks…"),
	.carries = SPT_EXPORT_CARRIES_STACKS,
	.write = write_folded,
};
