/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/numbers.h"

static void numbers_number_object(SptNumbers *numbers, const char *name)
{
	if (!*name || g_hash_table_contains(numbers->object, name))
		return;
	g_ptr_array_add(numbers->objects, (gpointer)name);
	g_hash_table_insert(numbers->object, (gpointer)name,
			    GUINT_TO_POINTER(numbers->objects->len));
}

void spt_numbers_init(SptNumbers *numbers, const SptProfile *profile)
{
	uint32_t n_nodes = 0, n_functions = 0;

	numbers->functions = spt_profile_functions(profile, &numbers->n_functions);
	numbers->nodes = spt_profile_tree(profile, &numbers->n_nodes);
	numbers->function = g_new(uint32_t, MAX(numbers->n_functions, 1));
	numbers->node = g_new(uint32_t, MAX(numbers->n_nodes, 1));
	numbers->objects = g_ptr_array_new();
	numbers->object = g_hash_table_new(g_str_hash, g_str_equal);
	for (uint32_t i = 0; i < numbers->n_functions; i++) {
		const SptFunction *function = &numbers->functions[i];
		bool is_used = function->total > 0 && !function->is_process;

		numbers->function[i] = is_used ? n_functions++ : SPT_NO_NUMBER;
		if (is_used)
			numbers_number_object(numbers, function->object);
	}
	for (uint32_t i = 0; i < numbers->n_nodes; i++) {
		const SptTreeNode *node = &numbers->nodes[i];
		bool is_used = i > 0 && node->total > 0 &&
			       numbers->function[node->function] != SPT_NO_NUMBER;

		numbers->node[i] = is_used ? n_nodes++ : SPT_NO_NUMBER;
	}
}

void spt_numbers_clear(SptNumbers *numbers)
{
	g_free(numbers->function);
	g_free(numbers->node);
	g_ptr_array_unref(numbers->objects);
	g_hash_table_unref(numbers->object);
}

uint32_t spt_numbers_object(const SptNumbers *numbers, const SptFunction *function)
{
	gpointer number = g_hash_table_lookup(numbers->object, function->object);

	return number ? GPOINTER_TO_UINT(number) - 1 : SPT_NO_NUMBER;
}

uint32_t spt_numbers_parent(const SptNumbers *numbers, uint32_t i)
{
	return numbers->node[numbers->nodes[i].parent];
}
