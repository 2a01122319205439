/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree lies in breadth-first order, so one pass in that order places each node after its parent. */
#include "export/flame-layout.h"

struct place {
	uint64_t next;			/* left edge of the next child */
	uint32_t depth;
	bool is_shown;
};

GArray *spt_flame_layout(const SptTreeNode *nodes, uint32_t n, double min_share)
{
	GArray *boxes = g_array_new(FALSE, FALSE, sizeof(SptFlameBox));
	g_autofree struct place *places = g_new0(struct place, n);
	double least = nodes[0].total * min_share;

	places[0].is_shown = nodes[0].total > 0;
	for (uint32_t i = 0; i < n; i++) {
		struct place *above = &places[nodes[i].parent], *place = &places[i];
		SptFlameBox box = { .node = i, .weight = nodes[i].total };

		if (i > 0) {
			place->is_shown = above->is_shown && nodes[i].total > 0 && nodes[i].total >= least;
			place->depth = above->depth + 1;
			place->next = above->next;
			above->next += nodes[i].total;
		}
		if (!place->is_shown)
			continue;
		box.depth = place->depth;
		box.begin = place->next;
		g_array_append_val(boxes, box);
	}
	return boxes;
}
