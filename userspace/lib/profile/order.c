/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every order is made once: by comparing names, and then by stable sorts by number, digit by digit,
 * so that ties stay in the order of names.  The text for searches is in one piece of memory, in
 * that order, too.
 */
#include "profile/order.h"

#include <string.h>

#include "base/sort.h"
#include "profile/culprit.h"
#include "profile/tree.h"

#define KEYS (SPT_ORDER_TOTAL + 1)

struct SptOrder {
	const SptFunction *functions;
	uint32_t n;
	/* Indices; weights from the largest, texts from the beginning of the alphabet */
	uint32_t *orders[KEYS];
	/* Number of those with samples: the orders by weight have only these */
	uint32_t n_weighed;
	GString *texts; /* for each function, by name: "name\nobject\0" in lower case */
	size_t *text_at;		/* of each function */
	SptCulprits *culprits;		/* NULL: self is what counts */
	uint64_t *own;			/* by function, likewise */
	bool is_like;			/* another profile owns all but the orders by weight */
};

static int compare_names(gconstpointer a, gconstpointer b, gpointer data)
{
	const SptFunction *functions = data;

	return spt_function_compare(&functions[*(const uint32_t *)a],
				    &functions[*(const uint32_t *)b]);
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * The rank of each function's object among all objects' names.  Objects are few, and equal names
 * are one pointer.
 */
static uint64_t *rank_objects(const SptOrder *order)
{
	uint64_t *ranks = g_new(uint64_t, MAX(order->n, 1));
	g_autoptr(GHashTable) rank_of = g_hash_table_new(NULL, NULL);
	g_autoptr(GPtrArray) objects = g_ptr_array_new();

	for (uint32_t i = 0; i < order->n; i++) {
		if (g_hash_table_add(rank_of, (void *)order->functions[i].object))
			g_ptr_array_add(objects, (void *)order->functions[i].object);
	}
	g_ptr_array_sort(objects, compare_texts);
	for (unsigned i = 0; i < objects->len; i++)
		g_hash_table_insert(rank_of, objects->pdata[i], GUINT_TO_POINTER(i));
	for (uint32_t i = 0; i < order->n; i++)
		ranks[i] =
			GPOINTER_TO_UINT(g_hash_table_lookup(rank_of, order->functions[i].object));
	return ranks;
}

/* @list sorted by the numbers at its indices, in ascending order. */
static uint32_t *sort_by(const uint32_t *list, const uint64_t *numbers, uint32_t n)
{
	struct spt_item *items = g_new(struct spt_item, MAX(n, 1)),
			*spare = g_new(struct spt_item, MAX(n, 1));
	uint32_t *sorted = g_new(uint32_t, MAX(n, 1));

	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct spt_item){ numbers[list[i]], list[i] };
	spt_sort_items(&items, &spare, n);
	for (uint32_t i = 0; i < n; i++)
		sorted[i] = items[i].index;
	g_free(items);
	g_free(spare);
	return sorted;
}

uint64_t spt_order_self(const SptOrder *order, uint32_t function)
{
	return order->own ? order->own[function] : order->functions[function].self;
}

bool spt_order_is_own(const SptOrder *order)
{
	return order->own;
}

static void sort_weights(SptOrder *order, const SptProfile *profile, const uint64_t *lead)
{
	g_autofree uint32_t *by_name = g_new(uint32_t, MAX(order->n, 1));
	g_autofree uint64_t *selfs = g_new(uint64_t, MAX(order->n, 1)),
			    *totals = g_new(uint64_t, MAX(order->n, 1)),
			    *leads = lead ? g_new(uint64_t, MAX(order->n, 1)) : NULL;
	g_autofree uint32_t *ties_of_self = NULL, *ties_of_total = NULL, *ties_of_lead = NULL;
	uint32_t n = 0;

	order->own = order->culprits ? spt_culprits_own(order->culprits, profile) : NULL;
	for (uint32_t i = 0; i < order->n; i++) {
		uint32_t at = order->orders[SPT_ORDER_NAME][i];

		if (order->functions[at].total == 0)
			continue;
		/* The largest first. */
		selfs[at] = ~spt_order_self(order, at);
		totals[at] = ~order->functions[at].total;
		if (lead)
			leads[at] = ~lead[at];
		by_name[n++] = at;
	}
	ties_of_self = sort_by(by_name, totals, n);
	ties_of_total = sort_by(by_name, selfs, n);
	ties_of_lead = sort_by(ties_of_self, selfs, n);
	order->orders[SPT_ORDER_SELF] = lead ? sort_by(ties_of_lead, leads, n) :
					       g_steal_pointer(&ties_of_lead);
	order->orders[SPT_ORDER_TOTAL] = sort_by(ties_of_total, totals, n);
	order->n_weighed = n;
}

static void sort_names(SptOrder *order)
{
	uint32_t n = order->n, *by_name = g_new(uint32_t, MAX(n, 1));
	g_autofree uint64_t *objects = rank_objects(order);

	for (uint32_t i = 0; i < n; i++)
		by_name[i] = i;
	g_qsort_with_data(by_name, (int)n, sizeof(uint32_t), compare_names,
			  (void *)order->functions);
	order->orders[SPT_ORDER_NAME] = by_name;
	order->orders[SPT_ORDER_OBJECT] = sort_by(by_name, objects, n);
}

static void collect_texts(SptOrder *order)
{
	const uint32_t *by_name = order->orders[SPT_ORDER_NAME];

	order->texts = g_string_new(NULL);
	order->text_at = g_new(size_t, MAX(order->n, 1));
	for (uint32_t i = 0; i < order->n; i++) {
		const SptFunction *function = &order->functions[by_name[i]];

		order->text_at[by_name[i]] = order->texts->len;
		g_string_append(order->texts, function->name);
		g_string_append_c(order->texts, '\n');
		g_string_append(order->texts, function->object);
		g_string_append_c(order->texts, '\0');
	}
	for (size_t i = 0; i < order->texts->len; i++)
		order->texts->str[i] = g_ascii_tolower(order->texts->str[i]);
}

SptOrder *spt_order_new(const SptProfile *profile)
{
	SptOrder *order = g_new0(SptOrder, 1);

	order->functions = spt_profile_functions(profile, &order->n);
	order->culprits = spt_culprits_know(profile);
	sort_names(order);
	sort_weights(order, profile, NULL);
	collect_texts(order);
	return order;
}

SptOrder *spt_order_new_like(const SptOrder *names, const SptProfile *profile,
			     const uint64_t *lead)
{
	SptOrder *order = g_memdup2(names, sizeof(*names));

	order->functions = spt_profile_functions(profile, &order->n);
	order->is_like = true;
	if (order->culprits)
		spt_culprits_ref(order->culprits);
	sort_weights(order, profile, lead);
	return order;
}

void spt_order_free(SptOrder *order)
{
	if (!order)
		return;
	g_free(order->orders[SPT_ORDER_SELF]);
	g_free(order->orders[SPT_ORDER_TOTAL]);
	g_free(order->own);
	spt_culprits_unref(order->culprits);
	if (order->is_like) {
		g_free(order);
		return;
	}
	g_free(order->orders[SPT_ORDER_NAME]);
	g_free(order->orders[SPT_ORDER_OBJECT]);
	g_string_free(order->texts, TRUE);
	g_free(order->text_at);
	g_free(order);
}

bool *spt_order_match(const SptOrder *order, const char *search)
{
	g_autofree char *folded = g_ascii_strdown(search ? search : "", -1);
	g_auto(GStrv) words = g_strsplit_set(folded, " \t\n", -1);
	bool *has_all = NULL;

	for (unsigned word = 0; words[word]; word++) {
		if (*words[word] == '\0')
			continue;
		if (!has_all) {
			has_all = g_new(bool, MAX(order->n, 1));
			memset(has_all, true, order->n);
		}
		/* By name, which is the order of the texts in memory. */
		for (uint32_t i = 0; i < order->n; i++) {
			uint32_t function = order->orders[SPT_ORDER_NAME][i];

			if (has_all[function] &&
			    !strstr(order->texts->str + order->text_at[function], words[word]))
				has_all[function] = false;
		}
	}
	return has_all;
}

uint32_t *spt_order_list(const SptOrder *order, SptOrderKey key, bool descending,
			 const char *search, uint32_t *ret_n)
{
	g_autofree bool *is_wanted = spt_order_match(order, search);
	bool is_weight = key == SPT_ORDER_SELF || key == SPT_ORDER_TOTAL,
	     backwards = descending != is_weight;
	uint32_t n_ordered = is_weight ? order->n_weighed : order->n;
	uint32_t *list = g_new(uint32_t, MAX(order->n_weighed, 1)), n = 0;

	for (uint32_t i = 0; i < n_ordered; i++) {
		uint32_t function = order->orders[key][backwards ? n_ordered - 1 - i : i];

		if (order->functions[function].total > 0 && (!is_wanted || is_wanted[function]))
			list[n++] = function;
	}
	*ret_n = n;
	return list;
}
