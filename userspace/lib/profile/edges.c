/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The surroundings of one function: its callers, its callees, and the tree of everything below it.
 */
#include "profile/profile-private.h"
#include "profile/tree.h"

static int compare_edges(gconstpointer a, gconstpointer b, gpointer data)
{
	const SptFunction *functions = data;
	const SptEdge *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return spt_function_compare(&functions[x->function], &functions[y->function]);
}

/* The edges with a weight, out of one slot per function, sorted. */
static GArray *collect_edges(const SptProfile *profile, const SptEdge *slots)
{
	GArray *edges = g_array_new(FALSE, FALSE, sizeof(SptEdge));

	for (uint32_t i = 0; i < profile->functions->len; i++) {
		SptEdge edge = { .function = i, .weight = slots[i].weight, .self = slots[i].self };

		if (edge.weight > 0)
			g_array_append_val(edges, edge);
	}
	g_array_sort_with_data(edges, compare_edges, profile->functions->data);
	return edges;
}

/* Marks the functions that are meant; to be freed. */
static bool *mark_members(const SptProfile *profile, const uint32_t *functions, uint32_t n)
{
	bool *members = g_new0(bool, MAX(profile->functions->len, 1));

	for (uint32_t i = 0; i < n; i++)
		members[functions[i]] = true;
	return members;
}

/* On entering a node: whether it is a member without a member above it. */
static bool is_outermost_member(const struct spt_walk *walk, const bool *members, uint32_t *above)
{
	uint32_t function = walk->nodes[walk->node].function;

	if (function == UINT32_MAX || !members[function])
		return false;
	if (walk->leaving) {
		(*above)--;
		return false;
	}
	return (*above)++ == 0;
}

void spt_profile_sums_of(const SptProfile *profile, const uint32_t *functions, uint32_t n,
			 uint64_t *ret_self, uint64_t *ret_total)
{
	struct spt_walk walk = { .nodes = (const SptTreeNode *)profile->tree->data };
	g_autofree bool *members = mark_members(profile, functions, n);
	uint32_t above = 0;

	*ret_self = *ret_total = 0;
	do {
		if (is_outermost_member(&walk, members, &above))
			*ret_total += walk.nodes[walk.node].total;
	} while (spt_walk_next(&walk));
	for (uint32_t i = 0; i < profile->functions->len; i++) {
		if (members[i])
			*ret_self += g_array_index(profile->functions, SptFunction, i).self;
	}
}

GArray *spt_profile_callers_of(const SptProfile *profile, const uint32_t *functions, uint32_t n)
{
	struct spt_walk walk = { .nodes = (const SptTreeNode *)profile->tree->data };
	g_autofree SptEdge *slots = g_new0(SptEdge, MAX(profile->functions->len, 1));
	g_autofree bool *members = mark_members(profile, functions, n);
	uint32_t above = 0;

	do {
		const SptTreeNode *node = &walk.nodes[walk.node];
		uint32_t caller = walk.nodes[node->parent].function;

		/* Processes hang below the root, which has no function. */
		if (is_outermost_member(&walk, members, &above) && caller != UINT32_MAX)
			slots[caller].weight += node->total;
	} while (spt_walk_next(&walk));
	return collect_edges(profile, slots);
}

GArray *spt_profile_callees_of(const SptProfile *profile, const uint32_t *functions, uint32_t n)
{
	struct spt_walk walk = { .nodes = (const SptTreeNode *)profile->tree->data };
	g_autofree SptEdge *slots = g_new0(SptEdge, MAX(profile->functions->len, 1));
	g_autofree uint32_t *above = g_new0(uint32_t, MAX(profile->functions->len, 1));
	g_autofree bool *members = mark_members(profile, functions, n);

	/* For each callee, the outermost call by a member on a stack counts for that stack. */
	do {
		const SptTreeNode *node = &walk.nodes[walk.node];
		uint32_t caller = walk.nodes[node->parent].function;

		if (walk.node == 0 || caller == UINT32_MAX || !members[caller])
			continue;
		if (walk.leaving) {
			above[node->function]--;
			continue;
		}
		if (above[node->function]++ == 0)
			slots[node->function].weight += node->total;
		slots[node->function].self += node->self;
	} while (spt_walk_next(&walk));
	return collect_edges(profile, slots);
}

GArray *spt_profile_callers(const SptProfile *profile, uint32_t function)
{
	const SptTreeNode *nodes = (const SptTreeNode *)profile->tree->data;
	const bool *outermost = spt_profile_outermost(profile);
	g_autofree SptEdge *slots = g_new0(SptEdge, MAX(profile->functions->len, 1));

	for (uint32_t i = 1; i < profile->tree->len; i++) {
		uint32_t caller = nodes[nodes[i].parent].function;

		if (nodes[i].function == function && outermost[i] && caller != UINT32_MAX)
			slots[caller].weight += nodes[i].total;
	}
	return collect_edges(profile, slots);
}

GArray *spt_profile_callees(const SptProfile *profile, uint32_t function)
{
	return spt_profile_callees_of(profile, &function, 1);
}

/* Nodes where @function has weight and is not below itself: their number, and the last one. */
static uint32_t count_outermost(const SptProfile *profile, uint32_t function, uint32_t *ret_last)
{
	const SptTreeNode *nodes = (const SptTreeNode *)profile->tree->data;
	const bool *outermost = spt_profile_outermost(profile);
	uint32_t n = 0;

	for (uint32_t i = 1; i < profile->tree->len; i++) {
		if (nodes[i].function == function && outermost[i] && nodes[i].total > 0) {
			*ret_last = i;
			n++;
		}
	}
	return n;
}

/*
 * Nodes at which the selected part begins (@function's, or those that match) with everything below
 * them, merged; @root: the root's function.
 */
static GArray *merge_below(const SptProfile *profile, uint32_t root, const bool *holds)
{
	const SptTreeNode *nodes = (const SptTreeNode *)profile->tree->data;
	g_autofree uint32_t *merged = g_new(uint32_t, profile->tree->len);
	struct spt_tree_builder builder;
	GArray *tree;

	spt_tree_builder_init(&builder, root);
	merged[0] = UINT32_MAX;		/* the root is no function */
	for (uint32_t i = 1; i < profile->tree->len; i++) {
		uint32_t parent = merged[nodes[i].parent];

		merged[i] = UINT32_MAX;
		if (nodes[i].total == 0)
			continue;
		if (parent != UINT32_MAX)
			merged[i] = spt_tree_builder_child(&builder, parent, nodes[i].function);
		else if (holds && holds[i])
			merged[i] = spt_tree_builder_child(&builder, 0, nodes[i].function);
		else if (!holds && nodes[i].function == root)
			merged[i] = 0;
		if (merged[i] != UINT32_MAX)
			g_array_index(builder.nodes, SptTreeNode, merged[i]).self += nodes[i].self;
	}
	tree = spt_tree_builder_finish(&builder, profile->functions, NULL);
	spt_tree_builder_clear(&builder);
	return tree;
}

GArray *spt_profile_descendants_where(const SptProfile *profile, const bool *holds)
{
	return merge_below(profile, UINT32_MAX, holds);
}

GArray *spt_profile_descendants(const SptProfile *profile, uint32_t function)
{
	uint32_t top = 0, n = function == UINT32_MAX ? 1 : count_outermost(profile, function, &top);

	if (n != 1)
		return merge_below(profile, function, NULL);
	return spt_tree_below((const SptTreeNode *)profile->tree->data, top,
			      (const SptFunction *)profile->functions->data);
}
