/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open addressing with linear probing, at most half full.  The hash mixes all bits of both numbers, and with a secret of
 * the process, so that a file cannot choose keys that collide.
 */
#include "profile/pairs.h"

#include <glib.h>

static uint64_t secret(void)
{
	static gsize value;

	if (g_once_init_enter(&value)) {
		gsize random = (gsize)g_random_int() << 32 | g_random_int();

		g_once_init_leave(&value, random | 1);
	}
	return value;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

static struct spt_pair *slot_of(const struct spt_pairs *pairs, uint64_t a, uint64_t b)
{
	uint64_t mask = pairs->n_slots - 1;
	uint64_t at = mix(mix(a + secret()) + b) & mask;

	while (pairs->slots[at].used && (pairs->slots[at].a != a || pairs->slots[at].b != b))
		at = (at + 1) & mask;
	return &pairs->slots[at];
}

static void grow(struct spt_pairs *pairs)
{
	struct spt_pairs larger = { .n_slots = pairs->n_slots ? pairs->n_slots * 2 : 64, .n = pairs->n };

	larger.slots = g_new0(struct spt_pair, larger.n_slots);
	for (uint64_t i = 0; i < pairs->n_slots; i++) {
		if (pairs->slots[i].used)
			*slot_of(&larger, pairs->slots[i].a, pairs->slots[i].b) = pairs->slots[i];
	}
	g_free(pairs->slots);
	*pairs = larger;
}

uint32_t spt_pairs_get(const struct spt_pairs *pairs, uint64_t a, uint64_t b)
{
	const struct spt_pair *slot = pairs->n_slots ? slot_of(pairs, a, b) : NULL;

	return slot && slot->used ? slot->value : UINT32_MAX;
}

void spt_pairs_add(struct spt_pairs *pairs, uint64_t a, uint64_t b, uint32_t value)
{
	if (pairs->n * 2 >= pairs->n_slots)
		grow(pairs);
	*slot_of(pairs, a, b) = (struct spt_pair){ .a = a, .b = b, .value = value, .used = true };
	pairs->n++;
}

void spt_pairs_clear(struct spt_pairs *pairs)
{
	g_free(pairs->slots);
	*pairs = (struct spt_pairs){ 0 };
}
