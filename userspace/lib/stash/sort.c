/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stash/sort.h"

#include <glib.h>

#define DIGIT_VALUES 256
#define DIGITS 8

/* A digit that is the same everywhere costs nothing, and in real numbers most are. */
void spt_sort_items(struct spt_item **items, struct spt_item **spare, uint32_t n)
{
	g_autofree uint32_t *counts = g_new0(uint32_t, DIGITS * DIGIT_VALUES);

	for (uint32_t i = 0; i < n; i++) {
		for (unsigned digit = 0; digit < DIGITS; digit++)
			counts[digit * DIGIT_VALUES + ((*items)[i].key >> (8 * digit) & 0xff)]++;
	}
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		uint32_t *place = &counts[digit * DIGIT_VALUES], at = 0;
		struct spt_item *sorted = *spare;

		if (n == 0 || place[(*items)[0].key >> (8 * digit) & 0xff] == n)
			continue;
		for (unsigned value = 0; value < DIGIT_VALUES; value++) {
			uint32_t count = place[value];

			place[value] = at;
			at += count;
		}
		for (uint32_t i = 0; i < n; i++)
			sorted[place[(*items)[i].key >> (8 * digit) & 0xff]++] = (*items)[i];
		*spare = *items;
		*items = sorted;
	}
}

struct spt_item *spt_sort_nodes(const SptNode *nodes, uint32_t n_nodes, const bool *used, uint32_t *ret_n)
{
	struct spt_item *items = g_new(struct spt_item, n_nodes + 1), *spare = g_new(struct spt_item, n_nodes + 1);
	uint32_t n = 0;

	for (uint32_t i = 1; i < n_nodes; i++)
		if (!used || used[i])
			items[n++] = (struct spt_item){ nodes[i].frame.offset, i };
	spt_sort_items(&items, &spare, n);
	for (uint32_t i = 0; i < n; i++)
		items[i].key = nodes[items[i].index].frame.object;
	spt_sort_items(&items, &spare, n);
	g_free(spare);
	*ret_n = n;
	return items;
}
