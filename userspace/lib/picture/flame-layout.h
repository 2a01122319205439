/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a flame graph's boxes: a pure function of the tree, in its own units, for any way
 * of drawing.
 */
#ifndef SPT_FLAME_LAYOUT_H
#define SPT_FLAME_LAYOUT_H

#include "picture/boxes.h"
#include "profile/profile.h"

G_BEGIN_DECLS

#define SPT_FLAME_MIN_SHARE 0.0002

/*
 * The boxes of @nodes (a tree), row by row from the root, each row from left to right.  Children
 * are side by side in the tree's order, from their parent's left edge on; the rest at the right is
 * the parent's self.  Boxes lighter than @min_share of the root, and those without weight, are
 * skipped.  Elements are SptFlameBox.
 */
GArray *spt_flame_layout(const SptTreeNode *nodes, double min_share);

/*
 * The same with node @focus as wide as the whole: its ancestors, each as wide, and everything below
 * it.  Shares and places are relative to the weight of @focus and its left edge.  Siblings must be
 * sorted, heaviest first.  Children lighter than @min_share share one box, unless even that is too
 * light.
 */
GArray *spt_flame_layout_focus(const SptTreeNode *nodes, uint32_t focus, double min_share);

/*
 * The part of @focus's weight that is below nodes whose function @matches (by function).  A node
 * below two such nodes counts once.
 */
uint64_t spt_flame_matched(const SptTreeNode *nodes, uint32_t n, uint32_t focus,
			   const bool *matches);

G_END_DECLS

#endif
