/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A parent lies before its children: one pass tells below which nodes the function is. */
#include "profile/stacks.h"

static int compare(gconstpointer a, gconstpointer b, gpointer data)
{
	const SptTreeNode *nodes = data;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (nodes[x].self != nodes[y].self)
		return nodes[x].self > nodes[y].self ? -1 : 1;
	return x < y ? -1 : x > y;
}

GArray *spt_profile_stacks(const SptProfile *profile, uint32_t function)
{
	GArray *leaves = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t n;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n);
	g_autofree bool *has = g_new0(bool, MAX(n, 1));

	for (uint32_t i = 1; i < n; i++) {
		has[i] = has[nodes[i].parent] || nodes[i].function == function;
		if (has[i] && nodes[i].self > 0)
			g_array_append_val(leaves, i);
	}
	g_array_sort_with_data(leaves, compare, (gpointer)nodes);
	return leaves;
}
