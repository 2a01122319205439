/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree of functions while it grows, and its finished layout (struct SptTreeNode of profile.h). */
#ifndef SPT_TREE_H
#define SPT_TREE_H

#include "profile/profile.h"

/* Part of a hash of parent and function beside the node; 0 is nobody's child. */
struct spt_tree_slot {
	uint32_t hash, node;
};

/*
 * Nodes in order of appearance, so that a parent lies before its children; only parent, function
 * and self are set.
 */
struct spt_tree_builder {
	GArray *nodes;			/* SptTreeNode */
	struct spt_tree_slot *slots;	/* finds the child of a node by its function */
	uint32_t n_slots;		/* a power of two */
};

/* @expected: about how many nodes it will have, or 0. */
void spt_tree_builder_init(struct spt_tree_builder *builder, uint32_t root_function,
			   uint32_t expected);
void spt_tree_builder_clear(struct spt_tree_builder *builder);
uint32_t spt_tree_builder_child(struct spt_tree_builder *builder, uint32_t parent,
				uint32_t function);
/*
 * Totals summed, children side by side, heaviest first, ties by the names of the @functions.
 * @ret_places, unless NULL: where each node came to lie; to be freed.
 */
GArray *spt_tree_builder_finish(const struct spt_tree_builder *builder, const GArray *functions,
				uint32_t **ret_places);

/*
 * What of a finished tree lies at and below @root and has weight, as a tree of its own: siblings
 * sorted by what they weigh now.
 */
GArray *spt_tree_below(const SptTreeNode *nodes, uint32_t root, const SptFunction *functions);

/* By name, then object. */
int spt_function_compare(const SptFunction *a, const SptFunction *b);

/*
 * A walk through a finished tree without a stack of its own (the tree may be deep): every node is
 * entered, then left when all below it was.
 */
struct spt_walk {
	const SptTreeNode *nodes;
	uint32_t node;
	bool leaving;
};

/* To begin: { nodes, 0, false } is the entering of the root.  False: the root has been left. */
bool spt_walk_next(struct spt_walk *walk);

#endif
