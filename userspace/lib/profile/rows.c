/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The leaves that a filter wants are chosen once, the rest is decided row by row. */
#include "profile/rows.h"

#include "profile/row-walk.h"

struct SptProfileRows {
	const SptProfile *base;
	struct spt_selection selection;
	bool *wanted;			/* by node of the whole stacks; NULL: all */
	uint64_t behind_ns;		/* rows that are later are not selected */
	SptRowWalk *walk;		/* NULL: it begins */
};

SptProfileRows *spt_profile_rows_new(const SptProfile *base, const SptFilter *filter)
{
	SptProfileRows *rows = g_new0(SptProfileRows, 1);
	const SptProfile *whole = spt_profile_whole(base);

	g_return_val_if_fail(base->rows || base->reread, NULL);
	rows->base = base;
	rows->wanted = spt_profile_choose_leaves(filter, (const SptTreeNode *)whole->tree->data,
						 whole->tree->len,
						 (const SptFunction *)whole->functions->data,
						 whole->functions->len);
	spt_selection_init(&rows->selection, base->capture, filter);
	/* A row that ends later may have begun before. */
	rows->behind_ns = rows->selection.end_ns >= UINT64_MAX - base->longest_ns ?
				  UINT64_MAX :
				  rows->selection.end_ns + base->longest_ns;
	return rows;
}

void spt_profile_rows_free(SptProfileRows *rows)
{
	if (!rows)
		return;
	spt_row_walk_free(rows->walk);
	spt_selection_clear(&rows->selection);
	g_free(rows->wanted);
	g_free(rows);
}

bool spt_profile_rows_next(SptProfileRows *rows, SptProfileRow *ret)
{
	bool has_details = !rows->base->metric->is_cpu;
	const struct spt_base_row *row;
	uint64_t weight;

	if (!rows->walk)
		rows->walk = spt_row_walk_new(rows->base, rows->selection.begin_ns);
	while ((row = spt_row_walk_next(rows->walk)) && row->time <= rows->behind_ns) {
		weight = row->weight;
		if ((rows->wanted && !rows->wanted[row->whole_leaf]) ||
		    !spt_selection_has_row(&rows->selection, row->thread, row->cpu,
					   has_details ? &row->detail : NULL, row->time,
					   row->duration_ns, &weight))
			continue;
		*ret = (SptProfileRow){
			.time = row->time,
			.duration_ns = row->duration_ns,
			.weight = weight,
			.thread = row->thread,
			.cpu = row->cpu,
			.leaf = row->leaf,
		};
		return true;
	}
	g_clear_pointer(&rows->walk, spt_row_walk_free);
	return false;
}

SptProfile *spt_profile_of_rows(SptProfileRows *rows, SptProfile *reuse)
{
	SptProfile *profile = spt_profile_begin_sums(rows->base, reuse);
	SptProfileRow row;

	while (spt_profile_rows_next(rows, &row)) {
		profile->selfs[row.leaf] += row.weight;
		profile->n_samples++;
	}
	spt_profile_end_sums(profile);
	return profile;
}
