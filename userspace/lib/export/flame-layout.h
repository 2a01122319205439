/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the boxes of a flame graph lie: a pure function of the tree, in its own units, whatever
 * draws them.
 */
#ifndef SPT_FLAME_LAYOUT_H
#define SPT_FLAME_LAYOUT_H

#include "profile/boxes.h"
#include "profile/profile.h"

G_BEGIN_DECLS

#define SPT_FLAME_MIN_SHARE 0.0002

/*
 * The boxes of @nodes (a tree), row by row from the root, each row from left to right: children
 * side by side in the tree's order, from their parent's left edge on; what is left at the right is
 * the parent's own.  Boxes lighter than @min_share of the root, and those without weight, are left
 * out.  Elements are SptFlameBox.
 */
GArray *spt_flame_layout(const SptTreeNode *nodes, double min_share);

/*
 * The same with node @focus as wide as the whole: its ancestors, each as wide as it, and what lies
 * below it.  Shares and places are of the weight of @focus and from its left edge.  Children
 * lighter than @min_share (siblings must be sorted, heaviest first) share a box, if they are not
 * together too light for one.
 */
GArray *spt_flame_layout_focus(const SptTreeNode *nodes, uint32_t focus, double min_share);

/*
 * Of @focus: the weight below nodes whose function @matches (by function); what lies below two such
 * counts once.
 */
uint64_t spt_flame_matched(const SptTreeNode *nodes, uint32_t n, uint32_t focus,
			   const bool *matches);

G_END_DECLS

#endif
