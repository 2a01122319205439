/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pass over the tree, parents first: a node's place in the new tree depends on its parent's. */
#include "profile/shape.h"

#include "profile/profile-private.h"
#include "profile/shaper.h"

bool spt_shape_is_plain(const SptShape *shape)
{
	return !shape->hidden && !shape->n_merged && !shape->root && !shape->folds_recursion;
}

bool *spt_shaper_match(const SptPattern *pattern, const SptFunction *functions, uint32_t n)
{
	bool *matches = g_new0(bool, MAX(n, 1));

	for (uint32_t i = 0; i < n; i++)
		matches[i] = !functions[i].is_process && !functions[i].is_no_stack &&
			     spt_pattern_matches(pattern, functions[i].name);
	return matches;
}

bool *spt_shaper_find_above(const SptPattern *pattern, const SptTreeNode *nodes, uint32_t n_nodes,
			    const SptFunction *functions, uint32_t n_functions)
{
	g_autofree bool *matches = spt_shaper_match(pattern, functions, n_functions);
	bool *is_above = g_new0(bool, n_nodes);

	is_above[0] = true;
	for (uint32_t i = 1; i < n_nodes; i++)
		is_above[i] = is_above[nodes[i].parent] && !matches[nodes[i].function];
	return is_above;
}

/* A function for all that @pattern matches; it has an object if these have the same. */
static void merge(struct spt_shaper *shaper, const SptProfile *profile, const SptPattern *pattern,
		  GArray *functions)
{
	g_autofree bool *matches =
		spt_shaper_match(pattern, (const SptFunction *)profile->functions->data,
				 profile->functions->len);
	SptFunction all = { .name = g_intern_string(spt_pattern_text(pattern)) };

	for (uint32_t i = 0; i < profile->functions->len; i++) {
		const SptFunction *function = &g_array_index(functions, SptFunction, i);

		if (shaper->becomes[i] != i || !matches[i])
			continue;
		if (!all.object) {
			all.object = function->object;
			all.has_symbol = true;
			all.is_kernel = function->is_kernel;
		} else if (all.object != function->object) {
			all.object = "";
			all.is_kernel = all.is_kernel && function->is_kernel;
		}
		shaper->becomes[i] = functions->len;
	}
	if (all.object)
		g_array_append_val(functions, all);
}

void spt_shaper_init(struct spt_shaper *shaper, const SptProfile *profile, const SptShape *shape,
		     GArray *functions)
{
	uint32_t n, n_nodes;
	const SptFunction *all = spt_profile_functions(profile, &n);
	const SptTreeNode *nodes = spt_profile_tree(profile, &n_nodes);
	g_autofree bool *is_hidden = shape->hidden ? spt_shaper_match(shape->hidden, all, n) : NULL;

	*shaper = (struct spt_shaper){
		.becomes = g_new(uint32_t, MAX(n, 1)),
		.is_above = shape->root ?
				    spt_shaper_find_above(shape->root, nodes, n_nodes, all, n) :
				    NULL,
		.folds_recursion = shape->folds_recursion,
	};
	for (uint32_t i = 0; i < n; i++)
		shaper->becomes[i] = is_hidden && is_hidden[i] ? SPT_SHAPER_HIDDEN : i;
	for (uint32_t i = 0; i < shape->n_merged; i++)
		merge(shaper, profile, shape->merged[i], functions);
}

void spt_shaper_clear(struct spt_shaper *shaper)
{
	g_free(shaper->becomes);
	g_free(shaper->is_above);
}

/* The node for @function at @at or above it, or 0. */
static uint32_t find_on_way(const struct spt_tree_builder *tree, uint32_t at, uint32_t function)
{
	const SptTreeNode *nodes = (const SptTreeNode *)tree->nodes->data;

	while (at != 0 && nodes[at].function != function)
		at = nodes[at].parent;
	return at;
}

uint32_t spt_shaper_place(const struct spt_shaper *shaper, struct spt_tree_builder *tree,
			  uint32_t at, uint32_t node, uint32_t function)
{
	uint32_t becomes = shaper->becomes[function], above;

	if (becomes == SPT_SHAPER_HIDDEN || (shaper->is_above && shaper->is_above[node]))
		return at;
	if (becomes != function && g_array_index(tree->nodes, SptTreeNode, at).function == becomes)
		return at;
	if (shaper->folds_recursion) {
		above = find_on_way(tree, at, becomes);
		if (above)
			return above;
	}
	return spt_tree_builder_child(tree, at, becomes);
}

static void place_nodes(const struct spt_shaper *shaper, const SptProfile *profile,
			struct spt_tree_builder *tree)
{
	const SptTreeNode *nodes = (const SptTreeNode *)profile->tree->data;
	const SptFunction *functions = (const SptFunction *)profile->functions->data;
	g_autofree uint32_t *places = g_new0(uint32_t, profile->tree->len);

	for (uint32_t i = 1; i < profile->tree->len; i++) {
		uint32_t function = nodes[i].function, at = places[nodes[i].parent];

		places[i] = functions[function].is_process ?
				    spt_tree_builder_child(tree, at, function) :
				    spt_shaper_place(shaper, tree, at, i, function);
		g_array_index(tree->nodes, SptTreeNode, places[i]).self += nodes[i].self;
	}
}

SptProfile *spt_profile_reshape(const SptProfile *profile, const SptShape *shape)
{
	SptProfile *reshaped = g_new0(SptProfile, 1);
	struct spt_tree_builder tree;
	struct spt_shaper shaper;

	reshaped->functions = g_array_copy(profile->functions);
	reshaped->metric = profile->metric;
	reshaped->n_samples = profile->n_samples;
	reshaped->threads = profile->threads ? g_array_ref(profile->threads) : NULL;
	spt_tree_builder_init(&tree, UINT32_MAX);
	spt_shaper_init(&shaper, profile, shape, reshaped->functions);
	place_nodes(&shaper, profile, &tree);
	reshaped->tree = spt_tree_builder_finish(&tree, reshaped->functions, NULL);
	spt_profile_mark_outermost(reshaped);
	spt_profile_sum_up(reshaped);
	spt_shaper_clear(&shaper);
	spt_tree_builder_clear(&tree);
	return reshaped;
}
