/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table for each process: most live for a moment, in which theirs is small and stays in the fastest memory.  Open addressing, at most half full.
 * The hash is mixed with a secret of this process: a file cannot choose keys that collide.  Places are found for some samples
 * ahead, so that they wait for memory together and not one after the other.
 */
#include "capture/leaves.h"

#include <string.h>

#define AHEAD 64
#define FIRST_SLOTS 16

struct spt_process_leaves {
	SptLeafRow *rows;		/* room for half as many as there are slots */
	uint32_t *slots;		/* number of the row, from 1; 0 if free */
	uint32_t n, n_slots;		/* n_slots: a power of two, or 0 */
};

static uint64_t hash_leaf(uint32_t node, uint64_t secret)
{
	uint64_t x = node ^ secret;

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

static uint64_t bytes_of(uint32_t n_slots)
{
	return (uint64_t)n_slots * sizeof(uint32_t) + (uint64_t)n_slots / 2 * sizeof(SptLeafRow);
}

static bool grow(SptLeaves *leaves, struct spt_process_leaves *table, uint64_t most_bytes)
{
	uint32_t n_slots = table->n_slots ? table->n_slots * 2 : FIRST_SLOTS;
	uint64_t more = bytes_of(n_slots) - bytes_of(table->n_slots), secret = secret_of_process();
	SptLeafRow *rows;
	uint32_t *slots;

	if (n_slots == 0 || leaves->bytes + more > most_bytes)
		return false;
	slots = g_try_new0(uint32_t, n_slots);
	rows = slots ? g_try_renew(SptLeafRow, table->rows, n_slots / 2) : NULL;
	if (!rows) {
		g_free(slots);
		return false;
	}
	for (uint32_t i = 0; i < table->n; i++) {
		uint32_t slot = (uint32_t)hash_leaf(rows[i].node, secret) & (n_slots - 1);

		while (slots[slot])
			slot = (slot + 1) & (n_slots - 1);
		slots[slot] = i + 1;
	}
	g_free(table->slots);
	*table = (struct spt_process_leaves){ .rows = rows, .slots = slots, .n = table->n, .n_slots = n_slots };
	leaves->bytes += more;
	return true;
}

/* There must be room. */
static SptLeafRow *find(struct spt_process_leaves *table, uint32_t hash, uint32_t process, uint32_t node)
{
	uint32_t slot = hash & (table->n_slots - 1);
	SptLeafRow *row;

	for (; table->slots[slot]; slot = (slot + 1) & (table->n_slots - 1)) {
		row = &table->rows[table->slots[slot] - 1];
		if (row->node == node)
			return row;
	}
	row = &table->rows[table->n++];
	*row = (SptLeafRow){ .process = process, .node = node };
	table->slots[slot] = table->n;
	return row;
}

static bool has_processes(SptLeaves *leaves, uint32_t n, uint64_t most_bytes)
{
	uint64_t more = n > leaves->n_processes ? (uint64_t)(n - leaves->n_processes) * sizeof(*leaves->processes) : 0;
	struct spt_process_leaves *processes;

	if (more == 0)
		return true;
	processes = leaves->bytes + more <= most_bytes ? g_try_renew(struct spt_process_leaves, leaves->processes, n) : NULL;
	if (!processes)
		return false;
	memset(processes + leaves->n_processes, 0, more);
	leaves->processes = processes;
	leaves->n_processes = n;
	leaves->bytes += more;
	return true;
}

bool spt_leaves_add(SptLeaves *leaves, const SptSampleRow *samples, unsigned n, const SptThreadRow *threads, uint32_t n_processes, int sign,
		    uint64_t room)
{
	uint64_t secret = secret_of_process(), most_bytes = leaves->bytes + room;
	struct spt_process_leaves *tables[AHEAD];
	uint32_t hashes[AHEAD];

	if (!has_processes(leaves, n_processes, most_bytes))
		return false;
	for (unsigned now; n > 0; n -= now, samples += now) {
		now = MIN(n, AHEAD);
		for (unsigned i = 0; i < now; i++) {
			tables[i] = &leaves->processes[threads[samples[i].thread].process];
			hashes[i] = (uint32_t)hash_leaf(samples[i].node, secret);
			if (tables[i]->n_slots > 0)
				__builtin_prefetch(&tables[i]->slots[hashes[i] & (tables[i]->n_slots - 1)]);
		}
		for (unsigned i = 0; i < now; i++) {
			if (tables[i]->n_slots > 0)
				__builtin_prefetch(&tables[i]->rows[tables[i]->slots[hashes[i] & (tables[i]->n_slots - 1)]]);
		}
		for (unsigned i = 0; i < now; i++) {
			struct spt_process_leaves *table = tables[i];
			SptLeafRow *row;

			if (table->n == table->n_slots / 2 && !grow(leaves, table, most_bytes))
				return false;
			row = find(table, hashes[i], (uint32_t)(table - leaves->processes), samples[i].node);
			row->weight += (uint64_t)sign * samples[i].weight;
			row->samples += (uint64_t)sign;
		}
	}
	return true;
}

void spt_leaves_clear(SptLeaves *leaves)
{
	for (uint32_t i = 0; i < leaves->n_processes; i++) {
		g_free(leaves->processes[i].rows);
		g_free(leaves->processes[i].slots);
	}
	g_free(leaves->processes);
	*leaves = (SptLeaves){ 0 };
}

SptLeafRow *spt_leaves_steal(SptLeaves *leaves, uint64_t *ret_n)
{
	uint64_t n = 0, all = 0;
	SptLeafRow *rows;

	for (uint32_t i = 0; i < leaves->n_processes; i++)
		all += leaves->processes[i].n;
	rows = g_new(SptLeafRow, all);
	for (uint32_t i = 0; i < leaves->n_processes; i++) {
		struct spt_process_leaves *table = &leaves->processes[i];

		for (uint32_t at = 0; at < table->n; at++)
			if (table->rows[at].samples > 0)
				rows[n++] = table->rows[at];
		g_clear_pointer(&table->rows, g_free);
	}
	spt_leaves_clear(leaves);
	*ret_n = n;
	return rows;
}
