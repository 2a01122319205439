/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the boxes of a flame graph lie: a pure function of the tree, in its own units, whatever draws them. */
#ifndef SPT_FLAME_LAYOUT_H
#define SPT_FLAME_LAYOUT_H

#include "profile/profile.h"

G_BEGIN_DECLS

#define SPT_FLAME_MIN_SHARE 0.0002

typedef struct {
	uint32_t node;
	uint32_t depth;			/* the root's is 0 */
	uint64_t begin, weight;		/* across, in weight, from the left edge */
} SptFlameBox;

/* The boxes of @nodes (a tree of @n), row by row from the root, each row from left to right: children side by side in the tree's order,
 * from their parent's left edge on; what is left at the right is the parent's own.  Boxes lighter than @min_share of
 * the root, and those without weight, are left out.  Elements are SptFlameBox. */
GArray *spt_flame_layout(const SptTreeNode *nodes, uint32_t n, double min_share);

G_END_DECLS

#endif
