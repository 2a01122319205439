/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The leaves that a filter wants are chosen once, the rest is decided row by row. */
#include "profile/rows.h"

#include "profile/profile-private.h"

struct SptProfileRows {
	const SptProfile *base;
	struct spt_selection selection;
	bool *wanted;			/* by node of the whole stacks; NULL: all */
	uint64_t first, at, end;
};

SptProfileRows *spt_profile_rows_new(const SptProfile *base, const SptFilter *filter)
{
	SptProfileRows *rows = g_new0(SptProfileRows, 1);
	const SptProfile *whole = spt_profile_whole(base);

	g_return_val_if_fail(base->rows, NULL);
	rows->base = base;
	rows->wanted = spt_profile_choose_leaves(filter, (const SptTreeNode *)whole->tree->data,
						 whole->tree->len,
						 (const SptFunction *)whole->functions->data,
						 whole->functions->len);
	spt_selection_init(&rows->selection, base->capture, filter);
	rows->first = spt_profile_row_at(base, rows->selection.begin_ns);
	rows->end = MAX(rows->first, spt_profile_row_behind(base, &rows->selection));
	rows->at = rows->first;
	return rows;
}

void spt_profile_rows_free(SptProfileRows *rows)
{
	if (!rows)
		return;
	spt_selection_clear(&rows->selection);
	g_free(rows->wanted);
	g_free(rows);
}

/* False: the row is not selected. */
static bool profile_row_take(const SptProfileRows *rows, uint64_t number, SptProfileRow *ret)
{
	const SptProfile *base = rows->base;
	const struct spt_row_source *source = &base->sources[number];
	uint32_t leaf = base->rows[number].leaf;
	uint64_t weight;

	if ((rows->wanted && !rows->wanted[spt_profile_whole(base)->rows[number].leaf]) ||
	    !spt_row_is_selected(base, number, &rows->selection, &weight))
		return false;
	*ret = (SptProfileRow){
		.time = source->time,
		.duration_ns = spt_row_duration(base, number),
		.weight = weight,
		.thread = source->thread,
		.cpu = source->cpu,
		.leaf = leaf,
	};
	return true;
}

bool spt_profile_rows_next(SptProfileRows *rows, SptProfileRow *ret)
{
	while (rows->at < rows->end)
		if (profile_row_take(rows, rows->at++, ret))
			return true;
	rows->at = rows->first;
	return false;
}
