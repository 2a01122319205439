/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --delay: how late ticks came, by the kernel stack they found.  A late tick of a timer
 * finds the code that ran when its interrupt was possible at last.  Where interrupts were off, that
 * is the address where they came on again, in the function that had them off.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "profile/selection.h"
#include "report-filter.h"
#include "report-metric.h"
#include "report.h"

#define DEFAULT_LIMIT 10

/* Samples with the same kernel stack. */
struct group {
	uint64_t max_ns, sum_ns, ticks;
	/* SptName, innermost first; none: the tick found user code */
	GArray *frames;
};

static bool is_kernel(const SptCapture *capture, uint32_t node)
{
	uint32_t kind = capture->objects[capture->nodes[node].frame.object].kind;

	return node && (kind == SPT_OBJECT_KERNEL || kind == SPT_OBJECT_MODULES);
}

static void group_free(gpointer data)
{
	struct group *group = data;

	g_array_unref(group->frames);
	g_free(group);
}

/*
 * The group of the kernel part of the stack that ends in @node; names are interned, so their
 * pointers are the key.
 */
static struct group *group_of(const SptCapture *capture, SptSymbols *symbols, uint32_t node,
			      GHashTable *groups)
{
	GArray *frames = g_array_new(FALSE, FALSE, sizeof(SptName));
	struct group *group;
	GBytes *key;

	for (; is_kernel(capture, node); node = capture->nodes[node].parent) {
		SptName name = { 0 };
		SptName found = spt_symbols_name(symbols, &capture->nodes[node].frame);

		name.function = found.function;
		name.object = found.object;
		g_array_append_val(frames, name);
	}
	key = g_bytes_new(frames->data, frames->len * sizeof(SptName));
	group = g_hash_table_lookup(groups, key);
	if (group) {
		g_array_unref(frames);
		g_bytes_unref(key);
		return group;
	}
	group = g_new0(struct group, 1);
	group->frames = frames;
	g_hash_table_insert(groups, key, group);
	return group;
}

static gint later_first(gconstpointer a, gconstpointer b)
{
	const struct group *left = *(const struct group *const *)a,
			   *right = *(const struct group *const *)b;

	if (left->max_ns != right->max_ns)
		return left->max_ns > right->max_ns ? -1 : 1;
	return left->sum_ns > right->sum_ns ? -1 : left->sum_ns < right->sum_ns;
}

static void print_text(const struct spt_report *report)
{
	const GPtrArray *found = report->found;
	unsigned n = MIN(found->len, report->limit == UINT32_MAX ? DEFAULT_LIMIT : report->limit);
	unsigned width = spt_terminal_width();

	printf("How late ticks came, by the kernel stack they found.  Time that a hypervisor is known to have taken is excluded;\n"
	       "other causes than interrupts that were off: firmware, a deep idle state, interrupts served before, an emulator.\n\n"
	       "%10s  %10s  %8s  Kernel stack, innermost first\n",
	       "Latest", "Mean", "Ticks");
	for (unsigned i = 0; i < n; i++) {
		const struct group *group = found->pdata[i];
		g_autofree char *max = spt_format_ns(group->max_ns);
		g_autofree char *mean = spt_format_ns(group->sum_ns / group->ticks);

		printf("%*s  %*s  %8" PRIu64 "  ", spt_format_width(max, 10), max,
		       spt_format_width(mean, 10), mean, group->ticks);
		if (!group->frames->len)
			printf("(user code)\n");
		for (unsigned f = 0; f < group->frames->len; f++) {
			const SptName *name = &g_array_index(group->frames, SptName, f);
			g_autofree char *line =
				g_strdup_printf("%s  %s", name->function, name->object);
			g_autofree char *shown = spt_format_cut(line, width > 60 ? width - 34 : 0);

			printf("%*s%s\n", f ? 34 : 0, "", shown);
		}
	}
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	const GPtrArray *found = report->found;
	uint64_t sum = 0, ticks = 0;

	for (unsigned i = 0; i < found->len; i++) {
		sum += ((const struct group *)found->pdata[i])->sum_ns;
		ticks += ((const struct group *)found->pdata[i])->ticks;
	}
	spt_json_text(json, "file", report->capture->path);
	spt_json_count(json, "samples", ticks);
	spt_metric_add_sum(json, report->metric, report->capture, sum);
	spt_json_array(json, "stacks");
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const struct group *group = found->pdata[i];

		spt_json_object(json, NULL);
		spt_json_count(json, "weight", group->sum_ns);
		spt_json_number(json, "pct", spt_percent(group->sum_ns, sum));
		spt_json_count(json, "most", group->max_ns);
		spt_json_count(json, "samples", group->ticks);
		spt_json_frames(json, group->frames, 0);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static bool find(struct spt_report *report)
{
	const SptCapture *capture = report->capture;
	g_autoptr(GHashTable) groups = g_hash_table_new_full(g_bytes_hash, g_bytes_equal,
							     (GDestroyNotify)g_bytes_unref, NULL);
	g_autofree struct group **by_node = g_new0(struct group *, capture->n_nodes + 1);
	GPtrArray *found = g_ptr_array_new_with_free_func(group_free);
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	struct spt_selection selection;
	const SptSampleRow *rows;
	GHashTableIter iter;
	gpointer group;
	uint32_t n_rows;

	report->found = found;
	spt_selection_init(&selection, capture, report->filter);
	while ((rows = spt_samples_next(samples, &n_rows))) {
		for (const SptSampleRow *sample = rows; sample < rows + n_rows; sample++) {
			struct group **of = &by_node[sample->node];

			if (!spt_selection_has_time(&selection, sample->thread, sample->time) ||
			    !spt_selection_has_place(&selection, sample->thread, sample->cpu))
				continue;
			if (!*of)
				*of = group_of(capture, report->symbols, sample->node, groups);
			(*of)->max_ns = MAX((*of)->max_ns, sample->delay_ns);
			(*of)->sum_ns += sample->delay_ns;
			(*of)->ticks++;
		}
	}
	spt_selection_clear(&selection);
	g_hash_table_iter_init(&iter, groups);
	while (g_hash_table_iter_next(&iter, NULL, &group))
		g_ptr_array_add(found, group);
	g_ptr_array_sort(found, later_first);
	if (found->len == 0)
		spt_cli_complain(SPT_REPORT_NOTHING_HOLDS, capture->path);
	return found->len > 0;
}

const struct spt_report_kind spt_report_delay = {
	.option = { "delay", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "Print how late ticks came, by kernel stack: where interrupts were off",
		    NULL },
	.of = SPT_REPORT_OF_SAMPLES,
	.metric = "delay",
	.find = find,
	.text = print_text,
	.json = add_json,
	.clear = (GDestroyNotify)g_ptr_array_unref,
};
