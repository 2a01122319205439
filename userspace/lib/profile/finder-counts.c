/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each place is named once, however many stacks it is in. */
#include "profile/finder-counts.h"

#include "stash/frames.h"

static SptFinderCount *count_of(GArray *rows, const SptSymbolFinder *finder)
{
	SptFinderCount *row = &g_array_index(rows, SptFinderCount, 0);

	while (row->finder != finder)
		row++;
	return row;
}

/* Names one place.  Returns the row to which its weight belongs. */
static uint32_t count_place(GArray *rows, SptSymbols *symbols, const SptFrame *frame)
{
	SptSymbol symbol = { 0 };
	SptFinderCount *row = count_of(rows, spt_finder_of(symbols, frame, &symbol));

	if (!row->finder || !symbol.name) {
		row->unnamed++;
		return rows->len - 1;
	}
	row->named++;
	row->sources[symbol.source]++;
	return (uint32_t)(row - &g_array_index(rows, SptFinderCount, 0));
}

/*
 * The row of each frame, by its number.  In order of addresses, in which tables are quick to
 * search; frames of different kinds may be the same place.
 */
static uint32_t *finder_rows_of_frames(GArray *rows, const SptCapture *capture, SptSymbols *symbols)
{
	uint32_t *row_of = g_new0(uint32_t, capture->n_frames + 1), row = 0, n;
	g_autofree struct spt_item *sorted = spt_sort_frames(capture->nodes, capture->n_nodes,
							     capture->n_frames, NULL, &n);
	const SptFrame *before = NULL;

	for (uint32_t i = 0; i < n; i++) {
		const SptNode *node = &capture->nodes[sorted[i].index];

		if (!before || before->object != node->frame.object ||
		    before->offset != node->frame.offset)
			row = count_place(rows, symbols, &node->frame);
		before = &node->frame;
		row_of[node->key] = row;
	}
	return row_of;
}

GArray *spt_finder_counts_new(const SptCapture *capture, SptSymbols *symbols)
{
	GArray *rows = g_array_sized_new(FALSE, TRUE, sizeof(SptFinderCount), SPT_N_FINDERS + 1);
	g_autofree uint64_t *weights = spt_capture_weigh_nodes(capture);
	g_autofree uint32_t *row_of = NULL;

	g_array_set_size(rows, SPT_N_FINDERS + 1);
	for (unsigned i = 0; i < rows->len; i++)
		g_array_index(rows, SptFinderCount, i).finder = spt_finders[i];
	row_of = finder_rows_of_frames(rows, capture, symbols);
	/* Node 0 is the root, which is no place. */
	for (uint32_t i = 1; i < capture->n_nodes; i++)
		if (weights[i] > 0)
			g_array_index(rows, SptFinderCount, row_of[capture->nodes[i].key])
				.weight += weights[i];
	return rows;
}
