/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of wakes against a plain one: put, replaced, found and removed in any order. */
#include "record/wakes.h"

#define STEPS 400000
#define MOST 65536u

static void check(const SptWakes *wakes, GHashTable *plain, uint64_t key)
{
	const SptWake *found = spt_wakes_find(wakes, key);
	gpointer value;

	if (!g_hash_table_lookup_extended(plain, GSIZE_TO_POINTER(key), NULL, &value)) {
		g_assert_null(found);
		return;
	}
	g_assert_nonnull(found);
	g_assert_cmpuint(found->key, ==, key);
	g_assert_cmpuint(found->node, ==, GPOINTER_TO_UINT(value));
}

static void put(SptWakes *wakes, GHashTable *plain, uint64_t key, uint32_t node)
{
	spt_wakes_put(wakes, &(SptWake){ .key = key, .node = node });
	g_hash_table_insert(plain, GSIZE_TO_POINTER(key), GUINT_TO_POINTER(node));
}

/* Keys come in order, as a CPU numbers them, and now and then one that is anything. */
static void test_plain(void)
{
	g_autoptr(SptWakes) wakes = spt_wakes_new();
	g_autoptr(GHashTable) plain = g_hash_table_new(NULL, NULL);
	g_autoptr(GRand) rand = g_rand_new_with_seed(7);
	uint64_t next = 1;

	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t back = (uint64_t)g_rand_int_range(rand, 0, 700),
			 key = next - MIN(next - 1, back);
		SptWake taken;

		switch (g_rand_int_range(rand, 0, 4)) {
		case 0:
			put(wakes, plain, next++, i);
			break;
		case 1:
			put(wakes, plain, (uint64_t)g_rand_int_range(rand, 1, 900) << 40, i);
			break;
		case 2:
			put(wakes, plain, key, i);
			break;
		default:
			g_assert_true(spt_wakes_take(wakes, key, &taken) ==
				      g_hash_table_remove(plain, GSIZE_TO_POINTER(key)));
		}
		check(wakes, plain, key);
		check(wakes, plain, (uint64_t)g_rand_int_range(rand, 1, 900) << 40);
		/* All of the others are where they were. */
		if (i % 20000 == 0)
			for (uint64_t each = 1; each < next; each++)
				check(wakes, plain, each);
		if (g_hash_table_size(plain) == MOST)
			break;
	}
}

/* Waits that never come take no memory for ever. */
static void test_lost(void)
{
	g_autoptr(SptWakes) wakes = spt_wakes_new();

	for (uint64_t key = 1; key <= MOST; key++)
		spt_wakes_put(wakes, &(SptWake){ .key = key, .node = 1 });
	g_assert_nonnull(spt_wakes_find(wakes, 1));
	spt_wakes_put(wakes, &(SptWake){ .key = MOST + 1, .node = 2 });
	g_assert_null(spt_wakes_find(wakes, 1));
	g_assert_cmpuint(spt_wakes_find(wakes, MOST + 1)->node, ==, 2);
}

static void test_nobody(void)
{
	g_autoptr(SptWakes) wakes = spt_wakes_new();

	spt_wakes_put(wakes, &(SptWake){ .node = 1 });
	g_assert_null(spt_wakes_find(wakes, 0));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/wakes/plain", test_plain);
	g_test_add_func("/wakes/lost", test_lost);
	g_test_add_func("/wakes/nobody", test_nobody);
	return g_test_run();
}
