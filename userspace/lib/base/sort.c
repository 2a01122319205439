/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sort.h"

/* Number of values whose counters stay in the fastest memory; few items, few values. */
#define DIGIT_BITS 11
#define FEW_DIGIT_BITS 8
#define FEW 4096

static void sort_by_digit(struct spt_item **items, struct spt_item **spare, uint32_t n,
			  unsigned shift, unsigned bits)
{
	uint32_t places[1 << DIGIT_BITS] = { 0 }, at = 0, mask = (1u << bits) - 1;
	struct spt_item *from = *items, *to = *spare;

	for (uint32_t i = 0; i < n; i++)
		places[from[i].key >> shift & mask]++;
	for (uint32_t value = 0; value <= mask; value++) {
		uint32_t count = places[value];

		places[value] = at;
		at += count;
	}
	for (uint32_t i = 0; i < n; i++)
		to[places[from[i].key >> shift & mask]++] = from[i];
	*items = to;
	*spare = from;
}

/* A digit that is equal everywhere costs nothing, and in real numbers most are. */
void spt_sort_items(struct spt_item **items, struct spt_item **spare, uint32_t n)
{
	unsigned bits = n < FEW ? FEW_DIGIT_BITS : DIGIT_BITS;
	uint64_t differing = 0;

	for (uint32_t i = 1; i < n; i++)
		differing |= (*items)[i].key ^ (*items)[0].key;
	for (unsigned shift = 0; shift < 64; shift += bits)
		if (differing >> shift & ((1u << bits) - 1))
			sort_by_digit(items, spare, n, shift, bits);
}
