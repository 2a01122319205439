/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON of speedscope.app: functions once, then each stack as a list of their numbers, and then
 * the weights.  Two passes over the tree, so that nothing has to be kept.
 */
#include <inttypes.h>

#include "base/words.h"
#include "export/amounts.h"
#include "export/export.h"
#include "export/json-text.h"

/*
 * Those that are on stacks: a profile also lists those of all else that was recorded.  Returns
 * their numbers in the file, by function, which the caller frees.
 */
static uint32_t *write_functions(const SptProfile *profile, const SptAmounts *amounts, SptOut *out)
{
	uint32_t n, n_nodes, n_written = 0;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	const SptTreeNode *nodes = spt_profile_tree(profile, &n_nodes);
	uint32_t *numbers = g_new(uint32_t, MAX(n, 1));
	g_autofree bool *is_on_stack = g_new0(bool, MAX(n, 1));

	for (uint32_t i = 1; i < n_nodes; i++)
		is_on_stack[nodes[i].function] |= amounts->total[i] > 0;
	for (uint32_t i = 0; i < n; i++) {
		GString *text = spt_out_text(out);

		if (!is_on_stack[i])
			continue;
		numbers[i] = n_written++;
		g_string_append(text, numbers[i] ? ",\n{\"name\":" : "{\"name\":");
		spt_json_append_text(text, functions[i].name);
		if (*functions[i].object) {
			g_string_append(text, ",\"file\":");
			spt_json_append_text(text, functions[i].object);
		}
		g_string_append_c(text, '}');
	}
	return numbers;
}

static void write_stack(const SptTreeNode *nodes, uint32_t node, const uint32_t *numbers,
			GArray *path, GString *text)
{
	g_array_set_size(path, 0);
	for (; node != 0; node = nodes[node].parent)
		g_array_append_val(path, numbers[nodes[node].function]);
	g_string_append_c(text, '[');
	for (unsigned frame = path->len; frame > 0; frame--)
		g_string_append_printf(text, "%" PRIu32 "%s",
				       g_array_index(path, uint32_t, frame - 1),
				       frame > 1 ? "," : "");
	g_string_append_c(text, ']');
}

/* @numbers: of functions; NULL: the weights are written. */
static void write_stacks(const SptTreeNode *nodes, const SptAmounts *amounts, uint32_t n,
			 const uint32_t *numbers, SptOut *out)
{
	g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	bool is_first = true;

	for (uint32_t i = 1; i < n; i++) {
		GString *text = spt_out_text(out);

		if (amounts->self[i] == 0)
			continue;
		g_string_append(text, is_first ? "" : ",\n");
		is_first = false;
		if (numbers)
			write_stack(nodes, i, numbers, path, text);
		else
			g_string_append_printf(text, "%" PRIu64, amounts->self[i]);
	}
}

static const char *speedscope_unit_of(const SptProfile *profile)
{
	const SptMetric *metric = spt_profile_metric(profile);

	if (metric->unit == SPT_UNIT_BYTES)
		return "bytes";
	return metric->unit == SPT_UNIT_NS && !metric->is_cpu ? "microseconds" : "none";
}

static bool write_speedscope(const SptExportInput *input, SptOut *out,
			     G_GNUC_UNUSED GError **error)
{
	const SptProfile *profile = input->profile;
	g_autofree uint32_t *numbers = NULL;
	uint32_t n;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n);
	SptAmounts amounts;

	spt_amounts_init(&amounts, profile);
	g_string_append(spt_out_text(out),
			"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
			"\"exporter\":\"sysprof\",\"shared\":{\"frames\":[\n");
	numbers = write_functions(profile, &amounts, out);
	g_string_append(spt_out_text(out), "]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":");
	spt_json_append_text(spt_out_text(out), spt_profile_metric(profile)->name);
	g_string_append_printf(spt_out_text(out),
			       ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64
			       ",\n\"samples\":[",
			       speedscope_unit_of(profile), amounts.total[0]);
	write_stacks(nodes, &amounts, n, numbers, out);
	g_string_append(spt_out_text(out), "],\n\"weights\":[");
	write_stacks(nodes, &amounts, n, NULL, out);
	g_string_append(spt_out_text(out), "]}]}\n");
	spt_amounts_clear(&amounts);
	return true;
}

const SptExport spt_export_speedscope = {
	.name = "speedscope",
	.ending = ".speedscope.json",
	.help = "stacks for speedscope.app",
	.menu = SPT_WORDS("Export Speedscope (_JSON)…"),
	.carries = SPT_EXPORT_CARRIES_STACKS | SPT_EXPORT_CARRIES_OBJECTS,
	.write = write_speedscope,
};
