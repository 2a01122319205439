/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/perf/kernel-pairs.h"

/* Looking for what can be dropped takes long: it is done once in this time. */
#define SWEEP_NS 1000000000ULL

struct SptPairs {
	GHashTable *table;		/* SptPair, by itself */
	unsigned most;
	uint64_t stale_ns, swept;
	bool was_full;
};

static guint pairs_hash(gconstpointer data)
{
	const SptPair *pair = data;
	uint64_t mixed = (pair->a ^ pair->b * 0x9e3779b97f4a7c15u) * 0xd6e8feb86659fd93u;

	return (guint)(mixed ^ mixed >> 32);
}

static gboolean pairs_equal(gconstpointer x, gconstpointer y)
{
	const SptPair *one = x, *other = y;

	return one->a == other->a && one->b == other->b;
}

SptPairs *spt_pairs_new(unsigned most, uint64_t stale_ns)
{
	SptPairs *pairs = g_new0(SptPairs, 1);

	pairs->table = g_hash_table_new_full(pairs_hash, pairs_equal, g_free, NULL);
	pairs->most = most;
	pairs->stale_ns = stale_ns;
	return pairs;
}

void spt_pairs_free(SptPairs *pairs)
{
	if (!pairs)
		return;
	g_hash_table_unref(pairs->table);
	g_free(pairs);
}

SptPair *spt_pairs_find(const SptPairs *pairs, uint64_t a, uint64_t b)
{
	const SptPair key = { .a = a, .b = b };

	return g_hash_table_lookup(pairs->table, &key);
}

static gboolean is_stale(gpointer key, G_GNUC_UNUSED gpointer value, gpointer before)
{
	return ((const SptPair *)key)->since < *(const uint64_t *)before;
}

static void pairs_sweep(SptPairs *pairs, uint64_t now)
{
	uint64_t before = now - MIN(pairs->stale_ns, now);

	pairs->was_full = true;
	if (!pairs->stale_ns || now - pairs->swept < SWEEP_NS)
		return;
	pairs->swept = now;
	g_hash_table_foreach_remove(pairs->table, is_stale, &before);
}

SptPair *spt_pairs_add(SptPairs *pairs, uint64_t a, uint64_t b, uint64_t since)
{
	SptPair *pair = spt_pairs_find(pairs, a, b);

	if (pair) {
		*pair = (SptPair){ .a = a, .b = b, .since = since };
		return pair;
	}
	if (g_hash_table_size(pairs->table) >= pairs->most)
		pairs_sweep(pairs, since);
	if (g_hash_table_size(pairs->table) >= pairs->most)
		return NULL;
	pair = g_new(SptPair, 1);
	*pair = (SptPair){ .a = a, .b = b, .since = since };
	g_hash_table_add(pairs->table, pair);
	return pair;
}

bool spt_pairs_take(SptPairs *pairs, uint64_t a, uint64_t b, SptPair *ret)
{
	const SptPair *pair = spt_pairs_find(pairs, a, b);

	if (!pair)
		return false;
	*ret = *pair;
	g_hash_table_remove(pairs->table, pair);
	return true;
}

bool spt_pairs_was_full(const SptPairs *pairs)
{
	return pairs->was_full;
}
