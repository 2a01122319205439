/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pass over the tree, parents first: a node's place in the new tree depends on its parent's. */
#include "profile/shape.h"

#include "profile/profile-private.h"
#include "profile/tree.h"

struct shaper {
	const SptProfile *profile;
	const SptShape *shape;
	GArray *functions;		/* SptFunction, of the result */
	struct spt_tree_builder tree;
	/* By function: which it becomes, itself if there is no other; UINT32_MAX: it is hidden. */
	uint32_t *becomes;
	bool *is_root;			/* by function; NULL: stacks are whole */
	uint32_t *places;		/* by node */
	bool *is_inside;		/* by node: a root is at it or above; NULL likewise */
};

bool spt_shape_is_plain(const SptShape *shape)
{
	return !shape->hidden && !shape->n_merged && !shape->root && !shape->folds_recursion;
}

/* A function for all that @pattern matches; it has an object if these have the same. */
static void merge(struct shaper *shaper, const SptPattern *pattern)
{
	uint32_t n = shaper->profile->functions->len, number = shaper->functions->len;
	SptFunction all = { .name = g_intern_string(spt_pattern_text(pattern)) };

	for (uint32_t i = 0; i < n; i++) {
		const SptFunction *function = &g_array_index(shaper->functions, SptFunction, i);

		if (shaper->becomes[i] != i || function->is_process || function->is_no_stack ||
		    !spt_pattern_matches(pattern, function->name))
			continue;
		if (!all.object) {
			all.object = function->object;
			all.has_symbol = true;
			all.is_kernel = function->is_kernel;
		} else if (all.object != function->object) {
			all.object = "";
			all.is_kernel = all.is_kernel && function->is_kernel;
		}
		shaper->becomes[i] = number;
	}
	if (all.object)
		g_array_append_val(shaper->functions, all);
}

static void look_at_functions(struct shaper *shaper)
{
	const SptShape *shape = shaper->shape;
	uint32_t n = shaper->profile->functions->len;

	shaper->becomes = g_new(uint32_t, MAX(n, 1));
	if (shape->root)
		shaper->is_root = g_new0(bool, MAX(n, 1));
	for (uint32_t i = 0; i < n; i++) {
		const SptFunction *function = &g_array_index(shaper->functions, SptFunction, i);
		bool is_named = !function->is_process && !function->is_no_stack;

		shaper->becomes[i] = is_named && shape->hidden &&
						     spt_pattern_matches(shape->hidden,
									 function->name) ?
					     UINT32_MAX :
					     i;
		if (shape->root)
			shaper->is_root[i] =
				is_named && spt_pattern_matches(shape->root, function->name);
	}
	for (uint32_t i = 0; i < shape->n_merged; i++)
		merge(shaper, shape->merged[i]);
}

/* The node for @function at @at or above it, or 0. */
static uint32_t find_above(const struct shaper *shaper, uint32_t at, uint32_t function)
{
	const SptTreeNode *nodes = (const SptTreeNode *)shaper->tree.nodes->data;

	while (at != 0 && nodes[at].function != function)
		at = nodes[at].parent;
	return at;
}

/* Where the node of @function goes whose parent is at @at. */
static uint32_t place(struct shaper *shaper, uint32_t at, uint32_t function)
{
	const SptTreeNode *nodes = (const SptTreeNode *)shaper->tree.nodes->data;
	uint32_t becomes = shaper->becomes[function], above;

	if (becomes == UINT32_MAX)
		return at;
	if (becomes != function && nodes[at].function == becomes)
		return at;
	if (shaper->shape->folds_recursion) {
		above = find_above(shaper, at, becomes);
		if (above)
			return above;
	}
	return spt_tree_builder_child(&shaper->tree, at, becomes);
}

static void place_nodes(struct shaper *shaper)
{
	const SptTreeNode *nodes = (const SptTreeNode *)shaper->profile->tree->data;
	const SptFunction *functions = (const SptFunction *)shaper->profile->functions->data;
	uint32_t n = shaper->profile->tree->len;

	shaper->places = g_new0(uint32_t, n);
	if (shaper->is_root)
		shaper->is_inside = g_new0(bool, n);
	for (uint32_t i = 1; i < n; i++) {
		uint32_t parent = nodes[i].parent, function = nodes[i].function;
		uint32_t at = shaper->places[parent];
		bool is_inside = functions[function].is_process;

		if (shaper->is_root && !is_inside)
			is_inside = shaper->is_inside[i] =
				shaper->is_inside[parent] || shaper->is_root[function];
		if (is_inside || !shaper->is_root)
			at = place(shaper, at, function);
		shaper->places[i] = at;
		g_array_index(shaper->tree.nodes, SptTreeNode, at).self += nodes[i].self;
	}
}

SptProfile *spt_profile_reshape(const SptProfile *profile, const SptShape *shape)
{
	SptProfile *reshaped = g_new0(SptProfile, 1);
	struct shaper shaper = { .profile = profile,
				 .shape = shape,
				 .functions = g_array_copy(profile->functions) };

	reshaped->functions = shaper.functions;
	reshaped->metric = profile->metric;
	reshaped->n_samples = profile->n_samples;
	spt_tree_builder_init(&shaper.tree, UINT32_MAX, profile->tree->len);
	look_at_functions(&shaper);
	place_nodes(&shaper);
	reshaped->tree = spt_tree_builder_finish(&shaper.tree, reshaped->functions, NULL);
	spt_profile_mark_outermost(reshaped);
	spt_profile_sum_up(reshaped);
	spt_tree_builder_clear(&shaper.tree);
	g_free(shaper.becomes);
	g_free(shaper.is_root);
	g_free(shaper.places);
	g_free(shaper.is_inside);
	return reshaped;
}
