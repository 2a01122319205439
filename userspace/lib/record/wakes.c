/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table with linear probing, at most half full.  What follows a removed one moves into its place,
 * so that an empty slot ends every search.
 */
#include "record/wakes.h"

#include <string.h>

#define FIRST_SLOTS 256u
#define MOST_WAKES 65536u

struct SptWakes {
	SptWake *slots;			/* key 0: empty */
	uint32_t mask;
	unsigned n;
};

SptWakes *spt_wakes_new(void)
{
	SptWakes *wakes = g_new0(SptWakes, 1);

	wakes->slots = g_new0(SptWake, FIRST_SLOTS);
	wakes->mask = FIRST_SLOTS - 1;
	return wakes;
}

void spt_wakes_free(SptWakes *wakes)
{
	if (!wakes)
		return;
	g_free(wakes->slots);
	g_free(wakes);
}

/* The slot of @key, or the empty one where it would be. */
static uint32_t wakes_slot_of(const SptWakes *wakes, uint64_t key)
{
	uint32_t slot = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & wakes->mask;

	while (wakes->slots[slot].key && wakes->slots[slot].key != key)
		slot = (slot + 1) & wakes->mask;
	return slot;
}

static void wakes_grow(SptWakes *wakes)
{
	uint32_t n_slots = wakes->mask + 1;
	g_autofree SptWake *before = wakes->slots;

	wakes->slots = g_new0(SptWake, n_slots * 2);
	wakes->mask = n_slots * 2 - 1;
	for (uint32_t i = 0; i < n_slots; i++)
		if (before[i].key)
			wakes->slots[wakes_slot_of(wakes, before[i].key)] = before[i];
}

/* They are more than half of the slots. */
static G_GNUC_NO_INLINE void wakes_make_room(SptWakes *wakes)
{
	if (wakes->n < MOST_WAKES) {
		wakes_grow(wakes);
		return;
	}
	memset(wakes->slots, 0, (wakes->mask + 1) * sizeof(*wakes->slots));
	wakes->n = 0;
}

void spt_wakes_put(SptWakes *wakes, const SptWake *wake)
{
	SptWake *slot;

	if (!wake->key)
		return;
	G_STATIC_ASSERT((MOST_WAKES & (MOST_WAKES - 1)) == 0);
	if (wakes->n > wakes->mask / 2)
		wakes_make_room(wakes);
	slot = &wakes->slots[wakes_slot_of(wakes, wake->key)];
	wakes->n += !slot->key;
	*slot = *wake;
}

const SptWake *spt_wakes_find(const SptWakes *wakes, uint64_t key)
{
	const SptWake *slot = &wakes->slots[wakes_slot_of(wakes, key)];

	return slot->key ? slot : NULL;
}

/* What follows @hole may belong there. */
static G_GNUC_NO_INLINE void wakes_close(SptWakes *wakes, uint32_t hole)
{
	for (uint32_t slot = hole;;) {
		SptWake moved;

		slot = (slot + 1) & wakes->mask;
		moved = wakes->slots[slot];
		if (!moved.key)
			return;
		wakes->slots[slot].key = 0;
		wakes->slots[wakes_slot_of(wakes, moved.key)] = moved;
	}
}

bool spt_wakes_take(SptWakes *wakes, uint64_t key, SptWake *ret)
{
	uint32_t slot = wakes_slot_of(wakes, key);

	if (!wakes->slots[slot].key)
		return false;
	*ret = wakes->slots[slot];
	wakes->slots[slot].key = 0;
	wakes->n--;
	if (wakes->slots[(slot + 1) & wakes->mask].key)
		wakes_close(wakes, slot);
	return true;
}
