/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each thread, CPU or leaf of the tree is put into its group once; then one pass over the samples
 * adds up.
 */
#include "profile/groups.h"

#include <string.h>

#include "base/pairs.h"
#include "profile/profile-private.h"
#include "profile/selection.h"

struct grouping {
	const SptProfile *base;
	GArray *rows;			/* SptGroupRow */
	GHashTable *known;		/* a text for each group -> its number, from 1 */
};

static SptGroupRow row_of_thread(const SptCapture *capture, uint32_t thread, SptGroupKind kind)
{
	const SptProcessRow *process = spt_process_of_thread(capture, thread);
	SptGroupRow row = { .name = spt_process_label(process), .pid = process ? process->pid : 0 };

	if (kind == SPT_GROUP_THREAD && thread < capture->n_threads &&
	    capture->threads[thread].id) {
		const SptThreadRow *known = &capture->threads[thread];

		row.tid = known->tid;
		row.name = known->name && *known->name ? known->name : row.name;
	}
	return row;
}

SptGroupRow spt_group_row(const SptProfile *base, SptGroupKind kind, uint32_t index)
{
	const SptFunction *function;
	SptGroupRow row = { .name = "" };

	if (kind == SPT_GROUP_CPU) {
		row.cpu = index;
	} else if (kind == SPT_GROUP_OBJECT) {
		function = &g_array_index(base->functions, SptFunction,
					  g_array_index(base->tree, SptTreeNode, index).function);
		row.name = function->is_process ? "[no stack]" : function->object;
	} else {
		row = row_of_thread(base->capture, index, kind);
	}
	return row;
}

static uint32_t group_of(struct grouping *grouping, SptGroupKind kind, uint32_t index)
{
	const SptGroupRow row = spt_group_row(grouping->base, kind, index);
	g_autofree char *key = g_strdup_printf("%u %u %u %s", row.pid, row.tid, row.cpu, row.name);
	gpointer known = g_hash_table_lookup(grouping->known, key);

	if (!known) {
		g_array_append_val(grouping->rows, row);
		known = GUINT_TO_POINTER(grouping->rows->len);
		g_hash_table_insert(grouping->known, g_steal_pointer(&key), known);
	}
	return GPOINTER_TO_UINT(known) - 1;
}

static gint compare_rows(gconstpointer a, gconstpointer b)
{
	const SptGroupRow *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	return strcmp(x->name, y->name);
}

GArray *spt_groups_new(const SptProfile *base, const SptFilter *filter, SptGroupKind kind)
{
	g_autoptr(GHashTable) known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	struct grouping grouping = { base, g_array_new(FALSE, FALSE, sizeof(SptGroupRow)), known };
	g_autofree bool *wanted = spt_profile_choose_leaves(
		filter, (const SptTreeNode *)base->tree->data, base->tree->len,
		(const SptFunction *)base->functions->data, base->functions->len);
	struct spt_selection selection;
	struct spt_pairs groups = { 0 };

	spt_selection_init(&selection, base->capture, filter);
	for (uint64_t i = 0; i < base->n_rows; i++) {
		const struct spt_row *row = &base->rows[i];
		const struct spt_row_source *source = &base->sources[i];
		uint32_t index = kind == SPT_GROUP_CPU	  ? source->cpu :
				 kind == SPT_GROUP_OBJECT ? row->leaf :
							    source->thread;
		SptGroupRow *sum;
		uint32_t *group;

		if ((wanted && !wanted[row->leaf]) ||
		    !spt_selection_has_time(&selection, source->time) ||
		    !spt_selection_has_place(&selection, source->thread, source->cpu))
			continue;
		group = spt_pairs_at(&groups, index, 0);
		if (*group == UINT32_MAX)
			*group = group_of(&grouping, kind, index);
		sum = &g_array_index(grouping.rows, SptGroupRow, *group);
		sum->samples++;
		sum->weight += row->weight;
	}
	spt_pairs_clear(&groups);
	spt_selection_clear(&selection);
	g_array_sort(grouping.rows, compare_rows);
	return grouping.rows;
}
