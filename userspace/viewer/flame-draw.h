/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws boxes of a flame graph, those that are in view. */
#ifndef SPT_FLAME_DRAW_H
#define SPT_FLAME_DRAW_H

#include <gtk/gtk.h>

#include "call-tree.h"
#include "picture/flame-layout.h"

typedef struct {
	GtkWidget *widget;
	const SptFunction *functions;
	const SptTreeNode *nodes;
	const GArray *boxes;		/* SptFlameBox */
	uint64_t weight;		/* of the whole width */
	uint32_t zoomed_depth;		/* boxes above it are shown for going back */
	uint32_t selected, hovered;	/* nodes; UINT32_MAX: none */
	const bool *matches;		/* by function; NULL: nothing is highlighted */
	/* By function, where colours are of categories (SptCallTree.category_of); else NULL */
	const uint32_t *categories;
	bool is_bottom_up;		/* nodes are below their callees */
	const double *changes;		/* by node, in a comparison; else NULL */
	double left, down;		/* origin of the boxes in the widget */
	bool is_upward;
	double top, bottom;		/* of the widget, in view */
	int row_height;
	double char_width;		/* on average; set by drawing */
} SptFlameDrawing;

/* What a colour means. */
typedef enum {
	SPT_FLAME_OBJECTS,		/* user code: some of the objects' colours */
	SPT_FLAME_CATEGORY,
	SPT_FLAME_USER,			/* user code, if objects have no colours of their own */
	SPT_FLAME_NAMELESS,
	SPT_FLAME_KERNEL,
	SPT_FLAME_HATCHES,		/* the kernel, of any category */
	SPT_FLAME_PROCESS,
	SPT_FLAME_FOUND,		/* highlighted */
	SPT_FLAME_LESS,			/* in a comparison */
	SPT_FLAME_SAME,
	SPT_FLAME_MORE,
} SptFlameColor;

/* Categories for the drawing of @calls; NULL: its colours are of other things. */
const uint32_t *spt_flame_categories(const SptCallTree *calls);
/*
 * The category of a box that is a function's, by those of functions: of its stacks' end if the tree
 * is upside down, where callers are no part of a box's way.
 */
uint32_t spt_flame_category(const uint32_t *categories, const SptTreeNode *nodes, uint32_t node,
			    bool is_bottom_up);
/* The place of a box in the widget. */
graphene_rect_t spt_flame_place(const SptFlameDrawing *drawing, const SptFlameBox *box);
/* The box at a point, or NULL. */
const SptFlameBox *spt_flame_box_near(const SptFlameDrawing *drawing, double x, double y);
/* Height of boxes with a name in @widget's font. */
int spt_flame_row_height(GtkWidget *widget);
/* Draws a box for the legend; @category: of which one, for SPT_FLAME_CATEGORY. */
void spt_flame_draw_sample(SptFlameColor color, uint32_t category, GtkSnapshot *snapshot, int width,
			   int height);
void spt_flame_draw(SptFlameDrawing *drawing, GtkSnapshot *snapshot);

#endif
