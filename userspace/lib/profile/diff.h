/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two profiles side by side.  Weights become fractions of their own profile's total, so that
 * recordings of different length, rate and number of CPUs can be compared.  Functions are the same
 * if name and object are the same, since ids are valid in one capture only; what compilers add to
 * names (stem.h) does not count.
 */
#ifndef SPT_DIFF_H
#define SPT_DIFF_H

#include "profile/profile.h"

G_BEGIN_DECLS

enum { SPT_BEFORE = 0, SPT_AFTER = 1, SPT_SIDES = 2 };

/*
 * A function, or a call path.  A path has the function at its end, and @parent is the row of the
 * path before it.
 */
typedef struct {
	/*
	 * valid as long as the profiles; a process has object "".  Of functions that differ in what
	 * compilers add to names, what they have in common
	 */
	const char *name, *object;
	bool is_process, is_kernel;
	uint32_t parent;			/* of functions and processes UINT32_MAX */
	double self[SPT_SIDES], total[SPT_SIDES];	/* 0 ... 1 */
} SptDiffRow;

/*
 * Every function of either profile; elements are SptDiffRow.  The profiles must outlive the rows.
 */
GArray *spt_diff_functions(const SptProfile *before, const SptProfile *after);
/*
 * Whether the change of @row, @by_total or by self, may be chance: shares of that many samples of
 * each side differ by that much in one recording of 20 even if nothing has changed.
 */
bool spt_diff_may_be_chance(const SptDiffRow *row, bool by_total,
			    const uint64_t n_samples[SPT_SIDES]);
/* Every path of either profile, parents before children; elements are SptDiffRow. */
GArray *spt_diff_paths(const SptProfile *before, const SptProfile *after);
/*
 * Both as one tree, for drawing: each box is as wide as the larger one of before and after.
 * Weights are relative to SPT_DIFF_WHOLE, the larger one of the two profiles.
 */
typedef struct {
	/* SptFunction, in the order of spt_diff_functions(); weights are the larger ones. */
	GArray *functions;
	GArray *rows;			/* SptDiffRow of each function */
	GArray *tree;			/* SptTreeNode, heaviest first */
	/* Double, for each node: total after minus total before; -1 ...  1. */
	GArray *changes;
} SptDiffTree;

#define SPT_DIFF_WHOLE 1000000000u

/*
 * @worth: the value of one period of each side in the comparison; NULL: fractions of each side's
 * own total are compared.
 */
SptDiffTree *spt_diff_tree(const SptProfile *before, const SptProfile *after, const double *worth);
void spt_diff_tree_free(SptDiffTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptDiffTree, spt_diff_tree_free)
/*
 * Indices of @rows by the size of their change, up or down, largest first: @by_total or by self;
 * ties by name.  n = rows->len.
 */
uint32_t *spt_diff_order(GArray *rows, bool by_total);

G_END_DECLS

#endif
