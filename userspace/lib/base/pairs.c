/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open addressing with linear probing, at most half full.  The hash mixes all bits of both numbers,
 * and with a secret of the process, so that a file cannot choose keys that collide.
 */
#include "base/pairs.h"

#include <glib.h>

#define FIRST_SLOTS 64

static uint64_t secret(void)
{
	static gsize value;

	if (g_once_init_enter(&value)) {
		gsize random = (gsize)g_random_int() << 32 | g_random_int();

		g_once_init_leave(&value, random | 1);
	}
	return value;
}

static uint64_t pairs_mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

static uint32_t hash_pair(uint64_t a, uint64_t b)
{
	return (uint32_t)pairs_mix(pairs_mix(a + secret()) + b);
}

/* The slot that holds (a, b), or the free one where it belongs. */
static struct spt_pair_slot *pairs_slot_of(const struct spt_pairs *pairs, uint32_t hash, uint64_t a,
					   uint64_t b)
{
	uint64_t mask = pairs->n_slots - 1, at;

	for (at = hash & mask; pairs->slots[at].pair; at = (at + 1) & mask) {
		const struct spt_pair *pair = &pairs->pairs[pairs->slots[at].pair - 1];

		if (pairs->slots[at].hash == hash && pair->a == a && pair->b == b)
			break;
	}
	return &pairs->slots[at];
}

static void pairs_grow(struct spt_pairs *pairs)
{
	uint64_t n_slots = pairs->n_slots ? pairs->n_slots * 2 : FIRST_SLOTS, mask = n_slots - 1;
	struct spt_pair_slot *slots = g_new0(struct spt_pair_slot, n_slots);

	for (uint64_t i = 0; i < pairs->n_slots; i++) {
		uint64_t at = pairs->slots[i].hash & mask;

		if (!pairs->slots[i].pair)
			continue;
		while (slots[at].pair)
			at = (at + 1) & mask;
		slots[at] = pairs->slots[i];
	}
	g_free(pairs->slots);
	pairs->slots = slots;
	pairs->n_slots = n_slots;
	pairs->pairs = g_renew(struct spt_pair, pairs->pairs, n_slots / 2);
}

uint32_t spt_pairs_get(const struct spt_pairs *pairs, uint64_t a, uint64_t b)
{
	const struct spt_pair_slot *slot =
		pairs->n_slots ? pairs_slot_of(pairs, hash_pair(a, b), a, b) : NULL;

	return slot && slot->pair ? pairs->pairs[slot->pair - 1].value : UINT32_MAX;
}

uint32_t *spt_pairs_at(struct spt_pairs *pairs, uint64_t a, uint64_t b)
{
	uint32_t hash = hash_pair(a, b);
	struct spt_pair_slot *slot;

	if (pairs->n * 2 >= pairs->n_slots)
		pairs_grow(pairs);
	slot = pairs_slot_of(pairs, hash, a, b);
	if (!slot->pair) {
		pairs->pairs[pairs->n++] = (struct spt_pair){ .a = a, .b = b, .value = UINT32_MAX };
		*slot = (struct spt_pair_slot){ hash, (uint32_t)pairs->n };
	}
	return &pairs->pairs[slot->pair - 1].value;
}

void spt_pairs_clear(struct spt_pairs *pairs)
{
	g_free(pairs->pairs);
	g_free(pairs->slots);
	*pairs = (struct spt_pairs){ 0 };
}
