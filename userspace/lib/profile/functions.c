/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queries on a finished profile: its sums, its functions by name and in order. */
#include <string.h>

#include "profile/glob.h"
#include "profile/profile-private.h"
#include "profile/tree.h"

const SptMetric *spt_profile_metric(const SptProfile *profile)
{
	return profile->metric;
}

uint64_t spt_profile_total(const SptProfile *profile)
{
	return g_array_index(profile->tree, SptTreeNode, 0).total;
}

bool spt_function_is_cut(const SptFunction *function)
{
	return g_str_has_prefix(function->name, "[stack ") &&
	       g_strcmp0(function->name, function->object) == 0;
}

bool spt_function_is_event(const SptFunction *function)
{
	return g_strcmp0(function->object, SPT_EVENT_OBJECT) == 0;
}

bool spt_function_is_futex(const SptFunction *function)
{
	return spt_function_is_event(function) && strcmp(function->name, SPT_EVENT_FUTEX) == 0;
}

uint64_t spt_profile_without_stack(const SptProfile *profile)
{
	uint64_t weight = 0;
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);

	for (uint32_t i = 0; i < n; i++)
		weight += functions[i].is_no_stack ? functions[i].self : 0;
	return weight;
}

uint64_t spt_profile_n_samples(const SptProfile *profile)
{
	return profile->n_samples;
}

const SptThreadWeight *spt_profile_threads(const SptProfile *profile)
{
	return profile->threads ? (const SptThreadWeight *)profile->threads->data : NULL;
}

const SptFunction *spt_profile_functions(const SptProfile *profile, uint32_t *ret_n)
{
	*ret_n = profile->functions->len;
	return (const SptFunction *)profile->functions->data;
}

const SptTreeNode *spt_profile_tree(const SptProfile *profile, uint32_t *ret_n)
{
	*ret_n = profile->tree->len;
	return (const SptTreeNode *)profile->tree->data;
}

uint32_t spt_profile_find(const SptProfile *profile, const char *name)
{
	const SptFunction *functions = (const SptFunction *)profile->functions->data;
	uint32_t best = UINT32_MAX;

	for (uint32_t i = 0; i < profile->functions->len; i++) {
		if (functions[i].total == 0 || !spt_glob_is_called(functions[i].name, name))
			continue;
		/* A process often has the same name as a function; the function is meant. */
		if (best == UINT32_MAX || functions[best].is_process > functions[i].is_process ||
		    (functions[best].is_process == functions[i].is_process &&
		     functions[best].total < functions[i].total))
			best = i;
	}
	return best;
}

GArray *spt_profile_match(const SptProfile *profile, const char *pattern)
{
	const SptFunction *functions = (const SptFunction *)profile->functions->data;
	GArray *found = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = 0; i < profile->functions->len; i++) {
		if (functions[i].total > 0 && !functions[i].is_process &&
		    spt_glob_match(pattern, functions[i].name))
			g_array_append_val(found, i);
	}
	return found;
}

struct order {
	const SptFunction *functions;
	bool by_self;
};

static int compare_functions(gconstpointer a, gconstpointer b, gpointer data)
{
	const struct order *order = data;
	const SptFunction *x = &order->functions[*(const uint32_t *)a],
			  *y = &order->functions[*(const uint32_t *)b];
	uint64_t x_first = order->by_self ? x->self : x->total,
		 y_first = order->by_self ? y->self : y->total;
	uint64_t x_second = order->by_self ? x->total : x->self,
		 y_second = order->by_self ? y->total : y->self;

	if (x_first != y_first)
		return x_first > y_first ? -1 : 1;
	if (x_second != y_second)
		return x_second > y_second ? -1 : 1;
	return spt_function_compare(x, y);
}

uint32_t *spt_profile_order(const SptProfile *profile, bool by_self)
{
	struct order order = { (const SptFunction *)profile->functions->data, by_self };
	uint32_t n = profile->functions->len;
	uint32_t *indices = g_new(uint32_t, MAX(n, 1));

	for (uint32_t i = 0; i < n; i++)
		indices[i] = i;
	g_qsort_with_data(indices, n, sizeof(*indices), compare_functions, &order);
	return indices;
}
