/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two profiles side by side.  Weights become shares of their own profile's total, so that
 * recordings of different length, rate and number of CPUs compare.  Functions are the same if name
 * and object are: ids mean nothing beyond their capture.
 */
#ifndef SPT_DIFF_H
#define SPT_DIFF_H

#include "profile/profile.h"

G_BEGIN_DECLS

enum { SPT_BEFORE = 0, SPT_AFTER = 1, SPT_SIDES = 2 };

/*
 * A function, or a call path: then the function at its end, and @parent the row of the path it goes
 * on from.
 */
typedef struct {
	const char *name, *object;		/* of the profiles; a process has object "" */
	bool is_process, is_kernel;
	uint32_t parent;			/* functions: UINT32_MAX, as processes' */
	double self[SPT_SIDES], total[SPT_SIDES];	/* 0 ... 1 */
} SptDiffRow;

/* Every function of either; elements are SptDiffRow.  The profiles must outlive the rows. */
GArray *spt_diff_functions(const SptProfile *before, const SptProfile *after);
/* Every path of either, parents before children; elements are SptDiffRow. */
GArray *spt_diff_paths(const SptProfile *before, const SptProfile *after);
/*
 * Both as one tree, to be drawn: each box is as wide as the larger one of before and after.
 * Weights are SPT_DIFF_WHOLE for the larger one of the two profiles.
 */
typedef struct {
	/* SptFunction, as spt_diff_functions() has them; weights are the larger ones */
	GArray *functions;
	GArray *rows;			/* SptDiffRow of each function */
	GArray *tree;			/* SptTreeNode, heaviest first */
	/* Double, of each node: total after less before; -1 ... 1 */
	GArray *changes;
} SptDiffTree;

#define SPT_DIFF_WHOLE 1000000000u

/*
 * What one period of each side is worth in the comparison; NULL: each side's shares of its own
 * total are compared.
 */
SptDiffTree *spt_diff_tree(const SptProfile *before, const SptProfile *after, const double *worth);
void spt_diff_tree_free(SptDiffTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDiffTree, spt_diff_tree_free)
/*
 * Indices of @rows by how much their share has changed, up or down, most first: @by_total or by
 * self; ties by name.  n = rows->len.
 */
uint32_t *spt_diff_order(GArray *rows, bool by_total);

G_END_DECLS

#endif
