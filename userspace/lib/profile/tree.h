/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree of functions while it is built, and its finished layout (struct SptTreeNode of profile.h).
 */
#ifndef SPT_TREE_H
#define SPT_TREE_H

#include "profile/profile.h"

/* Part of a hash of parent and function, and the node; node 0 is never a child. */
struct spt_tree_slot {
	uint32_t hash, node;
};

/*
 * Nodes in order of appearance, so that a parent is before its children; only parent, function and
 * self are set.
 */
struct spt_tree_builder {
	GArray *nodes;			/* SptTreeNode */
	struct spt_tree_slot *slots;	/* finds the child of a node by its function */
	uint32_t n_slots;		/* a power of two */
};

void spt_tree_builder_init(struct spt_tree_builder *builder, uint32_t root_function);
void spt_tree_builder_clear(struct spt_tree_builder *builder);
uint32_t spt_tree_builder_child(struct spt_tree_builder *builder, uint32_t parent,
				uint32_t function);
/*
 * Finishes the tree: computes totals, and puts children side by side, heaviest first, ties by the
 * names of @functions.  @ret_places, unless NULL: the new place of each node; the caller frees it.
 * Nothing can be added to @builder afterwards: what finds children is freed, before the memory of
 * the finished tree is needed.
 */
GArray *spt_tree_builder_finish(struct spt_tree_builder *builder, const GArray *functions,
				uint32_t **ret_places);

/*
 * The part of a finished tree from @root down that has weight, as a tree of its own: siblings are
 * sorted by their present weights.
 */
GArray *spt_tree_below(const SptTreeNode *nodes, uint32_t root, const SptFunction *functions);

/* Compares by name, then by object. */
int spt_function_compare(const SptFunction *a, const SptFunction *b);

/*
 * A walk through a finished tree that needs no stack (the tree may be deep): it enters every node,
 * and leaves it after everything below it.
 */
struct spt_walk {
	const SptTreeNode *nodes;
	uint32_t node;
	bool leaving;
};

/* Begins as { nodes, 0, false }, which enters the root.  False: the root has been left. */
bool spt_walk_next(struct spt_walk *walk);

#endif
