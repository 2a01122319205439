/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree lies in breadth-first order, so one pass in that order places each node after its parent: what lies below a node, behind it. */
#include "export/flame-layout.h"

struct place {
	uint64_t next;			/* left edge of the next child */
	uint32_t depth;
	bool is_shown;
};

struct layout {
	const SptTreeNode *nodes;
	double least;			/* weight of a box */
	GArray *boxes;			/* SptFlameBox */
	struct place *places;		/* of each node */
};

/* The ancestors of @focus from the root on, each where it is; and where @focus is. */
static void place_focus(struct layout *layout, uint32_t focus)
{
	uint64_t weight = layout->nodes[focus].total;
	uint32_t depth = 0;

	for (uint32_t at = focus; at != 0; at = layout->nodes[at].parent)
		depth++;
	layout->places[focus] = (struct place){ .depth = depth, .is_shown = weight > 0 };
	g_array_set_size(layout->boxes, depth);
	for (uint32_t at = focus; at != 0; at = layout->nodes[at].parent) {
		SptFlameBox box = { .node = layout->nodes[at].parent, .depth = --depth, .weight = weight };

		g_array_index(layout->boxes, SptFlameBox, depth) = box;
	}
}

/* @node is too narrow; the first of those of its siblings that are makes a box for all of them. */
static void join(struct layout *layout, uint32_t node)
{
	const SptTreeNode *nodes = layout->nodes, *parent = &nodes[nodes[node].parent];
	uint32_t end = parent->first_child + parent->n_children;
	SptFlameBox box = { .node = node, .depth = layout->places[node].depth, .begin = layout->places[node].next };

	if (node > parent->first_child && nodes[node - 1].total < layout->least)
		return;
	for (; node < end && nodes[node].total > 0; node++) {
		box.n_more++;
		box.weight += nodes[node].total;
	}
	if (box.weight >= layout->least)
		g_array_append_val(layout->boxes, box);
}

static GArray *lay_out(const SptTreeNode *nodes, uint32_t n, uint32_t focus, double min_share, bool joins)
{
	g_autofree struct place *places = g_new0(struct place, n);
	struct layout layout = {
		.nodes = nodes, .least = nodes[focus].total * min_share, .places = places,
		.boxes = g_array_new(FALSE, FALSE, sizeof(SptFlameBox)),
	};

	place_focus(&layout, focus);
	for (uint32_t i = focus; i < n; i++) {
		struct place *above = &places[nodes[i].parent], *place = &places[i];
		SptFlameBox box = { .node = i, .weight = nodes[i].total };

		if (i > focus) {
			place->is_shown = above->is_shown && nodes[i].total > 0 && nodes[i].total >= layout.least;
			place->depth = above->depth + 1;
			place->next = above->next;
			above->next += nodes[i].total;
		}
		if (joins && i > focus && above->is_shown && !place->is_shown && nodes[i].total > 0)
			join(&layout, i);
		if (!place->is_shown)
			continue;
		box.depth = place->depth;
		box.begin = place->next;
		g_array_append_val(layout.boxes, box);
	}
	return layout.boxes;
}

GArray *spt_flame_layout(const SptTreeNode *nodes, uint32_t n, double min_share)
{
	return lay_out(nodes, n, 0, min_share, false);
}

GArray *spt_flame_layout_focus(const SptTreeNode *nodes, uint32_t n, uint32_t focus, double min_share)
{
	return lay_out(nodes, n, focus, min_share, true);
}

uint64_t spt_flame_matched(const SptTreeNode *nodes, uint32_t n, uint32_t focus, const bool *matches)
{
	enum { OUTSIDE, INSIDE, COVERED };
	g_autofree uint8_t *state = g_new0(uint8_t, n);
	uint32_t whole = focus;
	uint64_t weight = 0;

	for (uint32_t i = focus; i < n; i++) {
		uint8_t above = i == focus ? INSIDE : state[nodes[i].parent];

		state[i] = above;
		if (above != INSIDE || nodes[i].function == UINT32_MAX || !matches[nodes[i].function])
			continue;
		state[i] = COVERED;
		weight += nodes[i].total;
	}
	/* A match above @focus has all of it. */
	while (focus != 0) {
		focus = nodes[focus].parent;
		if (nodes[focus].function != UINT32_MAX && matches[nodes[focus].function])
			return nodes[whole].total;
	}
	return weight;
}
