/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boxes are their own queue: children of each box are put behind it, row by row.  Boxes that
 * are too narrow cost nothing.
 */
#include "picture/flame-layout.h"

struct layout {
	const SptTreeNode *nodes;
	double least;			/* weight of a box */
	bool joins;
	GArray *boxes;			/* SptFlameBox */
};

/*
 * The ancestors of @focus from the root on, each at its depth, and @focus itself.  Returns the
 * number of ancestors.
 */
static uint32_t place_focus(struct layout *layout, uint32_t focus)
{
	uint64_t weight = layout->nodes[focus].total;
	uint32_t depth = 0;

	for (uint32_t at = focus; at != 0; at = layout->nodes[at].parent)
		depth++;
	g_array_set_size(layout->boxes, depth + 1);
	for (uint32_t level = depth + 1, at = focus; level-- > 0; at = layout->nodes[at].parent)
		g_array_index(layout->boxes, SptFlameBox, level) =
			(SptFlameBox){ .node = at, .depth = level, .weight = weight };
	if (weight == 0)
		g_array_set_size(layout->boxes, depth);
	return depth;
}

/* Children from @first on are too narrow: a box for all of them. */
static void flame_layout_join(struct layout *layout, SptFlameBox box, uint32_t first, uint32_t end)
{
	box.node = first;
	for (; first < end && layout->nodes[first].total > 0; first++) {
		box.n_more++;
		box.weight += layout->nodes[first].total;
	}
	if (box.weight >= layout->least)
		g_array_append_val(layout->boxes, box);
}

static void place_children(struct layout *layout, const SptFlameBox *above)
{
	const SptTreeNode *parent = &layout->nodes[above->node];
	uint32_t end = parent->first_child + parent->n_children;
	SptFlameBox box = { .depth = above->depth + 1, .begin = above->begin };

	for (uint32_t i = parent->first_child; i < end; i++) {
		uint64_t weight = layout->nodes[i].total;
		bool is_wide = weight > 0 && weight >= layout->least;

		if (!is_wide && layout->joins) {
			flame_layout_join(layout, box, i, end);
			return;
		}
		box.node = i;
		box.weight = weight;
		if (is_wide)
			g_array_append_val(layout->boxes, box);
		box.begin += weight;
		box.weight = 0;
	}
}

static GArray *flame_layout_lay_out(const SptTreeNode *nodes, uint32_t focus, double min_share,
				    bool joins)
{
	struct layout layout = {
		.nodes = nodes, .least = nodes[focus].total * min_share, .joins = joins,
		.boxes = g_array_new(FALSE, FALSE, sizeof(SptFlameBox)),
	};

	for (uint32_t at = place_focus(&layout, focus); at < layout.boxes->len; at++) {
		const SptFlameBox box = g_array_index(layout.boxes, SptFlameBox, at);

		if (!box.n_more)
			place_children(&layout, &box);
	}
	return layout.boxes;
}

GArray *spt_flame_layout(const SptTreeNode *nodes, double min_share)
{
	return flame_layout_lay_out(nodes, 0, min_share, false);
}

GArray *spt_flame_layout_focus(const SptTreeNode *nodes, uint32_t focus, double min_share)
{
	return flame_layout_lay_out(nodes, focus, min_share, true);
}

uint64_t spt_flame_matched(const SptTreeNode *nodes, uint32_t n, uint32_t focus,
			   const bool *matches)
{
	enum { OUTSIDE, INSIDE, COVERED };
	g_autofree uint8_t *state = g_new0(uint8_t, n);
	uint32_t whole = focus;
	uint64_t weight = 0;

	for (uint32_t i = focus; i < n; i++) {
		uint8_t above = i == focus ? INSIDE : state[nodes[i].parent];

		state[i] = above;
		if (above != INSIDE || nodes[i].function == UINT32_MAX ||
		    !matches[nodes[i].function])
			continue;
		state[i] = COVERED;
		weight += nodes[i].total;
	}
	/* A match above @focus contains all of it. */
	while (focus != 0) {
		focus = nodes[focus].parent;
		if (nodes[focus].function != UINT32_MAX && matches[nodes[focus].function])
			return nodes[whole].total;
	}
	return weight;
}
