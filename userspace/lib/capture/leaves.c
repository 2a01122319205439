/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open addressing, at most half full.  The hash is mixed with a secret of the process: a file cannot choose keys that collide.
 * Places are found for some samples ahead, so that they wait for memory together and not one after the other.
 */
#include "capture/leaves.h"

#include <string.h>

#define AHEAD 64
#define FIRST_SLOTS 4096

static uint64_t hash_leaf(uint32_t process, uint32_t node, uint64_t secret)
{
	uint64_t x = ((uint64_t)process << 32 | node) ^ secret;

	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	return x ^ x >> 32;
}

static uint64_t secret_of_process(void)
{
	static gsize value;

	if (g_once_init_enter(&value))
		g_once_init_leave(&value, ((gsize)g_random_int() << 32 | g_random_int()) | 1);
	return value;
}

uint64_t spt_leaves_bytes(const SptLeaves *leaves)
{
	return leaves->n_slots * sizeof(*leaves->slots) + leaves->n_slots / 2 * sizeof(*leaves->rows);
}

bool spt_leaves_reserve(SptLeaves *leaves, uint64_t n)
{
	uint64_t n_slots = MAX(leaves->n_slots, FIRST_SLOTS), secret = secret_of_process();
	SptLeafRow *rows;
	uint32_t *slots;

	while (leaves->n + n > n_slots / 2)
		n_slots *= SPT_LEAVES_GROWTH;
	if (n_slots == leaves->n_slots)
		return true;
	slots = n_slots <= UINT32_MAX ? g_try_new0(uint32_t, n_slots) : NULL;
	rows = slots ? g_try_renew(SptLeafRow, leaves->rows, n_slots / 2) : NULL;
	if (!rows) {
		g_free(slots);
		return false;
	}
	for (uint64_t i = 0; i < leaves->n; i++) {
		uint64_t slot = hash_leaf(rows[i].process, rows[i].node, secret) & (n_slots - 1);

		while (slots[slot])
			slot = (slot + 1) & (n_slots - 1);
		slots[slot] = (uint32_t)i + 1;
	}
	g_free(leaves->slots);
	*leaves = (SptLeaves){ .rows = rows, .n = leaves->n, .slots = slots, .n_slots = n_slots };
	return true;
}

static SptLeafRow *find(SptLeaves *leaves, uint64_t slot, uint32_t process, uint32_t node)
{
	SptLeafRow *row;

	for (; leaves->slots[slot]; slot = (slot + 1) & (leaves->n_slots - 1)) {
		row = &leaves->rows[leaves->slots[slot] - 1];
		if (row->node == node && row->process == process)
			return row;
	}
	row = &leaves->rows[leaves->n++];
	*row = (SptLeafRow){ .process = process, .node = node };
	leaves->slots[slot] = (uint32_t)leaves->n;
	return row;
}

void spt_leaves_add(SptLeaves *leaves, const SptSampleRow *samples, unsigned n, const SptThreadRow *threads, int sign)
{
	uint64_t secret = secret_of_process(), places[AHEAD];

	for (unsigned now; n > 0; n -= now, samples += now) {
		now = MIN(n, AHEAD);
		for (unsigned i = 0; i < now; i++) {
			places[i] = hash_leaf(threads[samples[i].thread].process, samples[i].node, secret) & (leaves->n_slots - 1);
			__builtin_prefetch(&leaves->slots[places[i]]);
		}
		for (unsigned i = 0; i < now; i++)
			__builtin_prefetch(&leaves->rows[leaves->slots[places[i]]]);
		for (unsigned i = 0; i < now; i++) {
			SptLeafRow *row = find(leaves, places[i], threads[samples[i].thread].process, samples[i].node);

			row->weight += (uint64_t)sign * samples[i].weight;
			row->samples += (uint64_t)sign;
		}
	}
}

void spt_leaves_clear(SptLeaves *leaves)
{
	g_free(leaves->rows);
	g_free(leaves->slots);
	*leaves = (SptLeaves){ 0 };
}

SptLeafRow *spt_leaves_steal(SptLeaves *leaves, uint64_t *ret_n)
{
	SptLeafRow *rows;
	uint64_t n = 0;

	for (uint64_t i = 0; i < leaves->n; i++)
		if (leaves->rows[i].samples > 0)
			leaves->rows[n++] = leaves->rows[i];
	rows = g_realloc_n(leaves->rows, n, sizeof(*rows));
	*ret_n = n;
	g_free(leaves->slots);
	*leaves = (SptLeaves){ 0 };
	return rows;
}
