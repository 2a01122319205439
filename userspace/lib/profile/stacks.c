/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parent is before its children: one pass finds the nodes below the end of the path. */
#include "profile/stacks.h"

#include "profile/profile-private.h"

static int compare(gconstpointer a, gconstpointer b, gpointer data)
{
	const SptTreeNode *nodes = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (nodes[x].self != nodes[y].self)
		return nodes[x].self > nodes[y].self ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Whether @way leads to @node. */
static bool is_end(const SptTreeNode *nodes, const bool *outermost, uint32_t node,
		   const uint32_t *way, uint32_t n)
{
	while (nodes[node].function == way[n - 1]) {
		if (--n == 0)
			return outermost[node];
		node = nodes[node].parent;
	}
	return false;
}

GArray *spt_profile_stacks(const SptProfile *profile, const uint32_t *way, uint32_t n)
{
	GArray *leaves = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t n_nodes;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n_nodes);
	const bool *outermost = spt_profile_outermost(profile);
	g_autofree bool *has = g_new0(bool, MAX(n_nodes, 1));

	for (uint32_t i = 1; i < n_nodes; i++) {
		has[i] = has[nodes[i].parent] || is_end(nodes, outermost, i, way, n);
		if (has[i] && nodes[i].self > 0)
			g_array_append_val(leaves, i);
	}
	g_array_sort_with_data(leaves, compare, (gpointer)nodes);
	return leaves;
}
