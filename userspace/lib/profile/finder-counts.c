/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each place is named once, however many stacks it is in. */
#include "profile/finder-counts.h"

#include "base/pairs.h"

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

GArray *spt_finder_counts_new(const SptCapture *capture, SptSymbols *symbols)
{
	GArray *rows = g_array_sized_new(FALSE, TRUE, sizeof(SptFinderCount), SPT_N_FINDERS + 1);
	g_autofree uint64_t *weights = spt_capture_weigh_nodes(capture);
	struct spt_pairs places = { 0 };

	g_array_set_size(rows, SPT_N_FINDERS + 1);
	for (unsigned i = 0; i < rows->len; i++)
		g_array_index(rows, SptFinderCount, i).finder = spt_finders[i];
	/* Node 0 is the root, which is no place. */
	for (uint32_t i = 1; i < capture->n_nodes; i++) {
		const SptFrame *frame = &capture->nodes[i].frame;
		uint32_t *at = spt_pairs_at(&places, frame->object, frame->offset);

		if (*at == UINT32_MAX)
			*at = count_place(rows, symbols, frame);
		g_array_index(rows, SptFinderCount, *at).weight += weights[i];
	}
	spt_pairs_clear(&places);
	return rows;
}
