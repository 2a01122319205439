/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stash/frames.h"

#include <glib.h>

static unsigned frames_bits_of(uint64_t most)
{
	return most ? 64 - (unsigned)__builtin_clzll(most) : 0;
}

struct spt_item *spt_sort_frames(const SptNode *nodes, uint32_t n_nodes, uint32_t n_frames,
				 const bool *used, uint32_t *ret_n)
{
	struct spt_item *items = g_new(struct spt_item, n_frames + 1),
			*spare = g_new(struct spt_item, n_frames + 1);
	uint64_t offsets = 0, objects = 0;
	uint32_t n = 0, next_frame = 1;
	unsigned shift;

	for (uint32_t i = 1; i < n_nodes; i++) {
		if (nodes[i].key != next_frame)
			continue;
		next_frame++;
		if (used && !used[nodes[i].key])
			continue;
		offsets |= nodes[i].frame.offset;
		objects |= nodes[i].frame.object;
		items[n++].index = i;
	}
	/* Object and offset in one number, unless offsets are absurd. */
	shift = frames_bits_of(offsets);
	if (shift + frames_bits_of(objects) > 64)
		shift = 0;
	for (uint32_t i = 0; i < n; i++) {
		const SptFrame *frame = &nodes[items[i].index].frame;

		items[i].key =
			shift ? (uint64_t)frame->object << shift | frame->offset : frame->offset;
	}
	spt_sort_items(&items, &spare, n);
	if (shift == 0) {
		for (uint32_t i = 0; i < n; i++)
			items[i].key = nodes[items[i].index].frame.object;
		spt_sort_items(&items, &spare, n);
	}
	g_free(spare);
	*ret_n = n;
	return items;
}
