/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shape in the form that builders of trees need. */
#ifndef SPT_SHAPER_H
#define SPT_SHAPER_H

#include "profile/shape.h"
#include "profile/tree.h"

#define SPT_SHAPER_HIDDEN UINT32_MAX

struct spt_shaper {
	uint32_t *becomes;		/* by function: another, itself, or SPT_SHAPER_HIDDEN */
	bool *is_above;			/* by node: above where stacks begin; NULL: none is */
	bool folds_recursion;
};

/* By function: whether @pattern matches it; a process is none.  The caller frees it. */
bool *spt_shaper_match(const SptPattern *pattern, const SptFunction *functions, uint32_t n);
/* By node: neither it nor a node above it is for one of the functions.  The caller frees it. */
bool *spt_shaper_find_above(const SptPattern *pattern, const SptTreeNode *nodes, uint32_t n_nodes,
			    const SptFunction *functions, uint32_t n_functions);

/* Appends the functions that merged ones become to @functions, which begins as @profile's. */
void spt_shaper_init(struct spt_shaper *shaper, const SptProfile *profile, const SptShape *shape,
		     GArray *functions);
void spt_shaper_clear(struct spt_shaper *shaper);
/* Where a node of @profile for @function, no process, goes whose parent went to @at. */
uint32_t spt_shaper_place(const struct spt_shaper *shaper, struct spt_tree_builder *tree,
			  uint32_t at, uint32_t node, uint32_t function);

#endif
