/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stackstash: one number per distinct stack, nothing merged that differs, nothing kept twice.
 */
#include "stash/stash.h"

#include <string.h>

static void test_root(void)
{
	g_autoptr(SptStash) stash = spt_stash_new();

	g_assert_cmpuint(spt_stash_n_nodes(stash), ==, 1);
	g_assert_cmpuint(spt_stash_add(stash, 0, NULL, 0), ==, 0);
	g_assert_cmpuint(spt_stash_node(stash, 0)->parent, ==, 0);
	g_assert_cmpuint(spt_stash_node(stash, 0)->frame.object, ==, 0);
	spt_stash_free(NULL);
}

static void test_innermost_first(void)
{
	const SptFrame frames[] = { { 30, 1, SPT_FRAME_EXACT },
				    { 20, 1, SPT_FRAME_CALL },
				    { 10, 1, SPT_FRAME_CALL } };
	g_autoptr(SptStash) stash = spt_stash_new();
	uint32_t leaf = spt_stash_add(stash, 0, frames, 3);

	g_assert_cmpuint(leaf, ==, 3);
	for (unsigned i = 0; i < 3; i++) {
		const SptNode *node = spt_stash_node(stash, leaf - i);

		g_assert_cmpmem(&node->frame, sizeof(node->frame), &frames[i], sizeof(frames[i]));
		g_assert_cmpuint(node->parent, ==, leaf - i - 1);
	}
	g_assert_cmpuint(spt_stash_add(stash, 0, frames, 3), ==, leaf);
	g_assert_cmpuint(spt_stash_add(stash, 0, frames + 1, 2), ==, 2);
	g_assert_cmpuint(spt_stash_add(stash, 2, frames, 1), ==, leaf);
	g_assert_cmpuint(spt_stash_n_nodes(stash), ==, 4);
}

static void test_every_part_of_the_key_counts(void)
{
	const SptFrame base = { 1ull << 39, 5, SPT_FRAME_CALL };
	SptFrame offset = base, object = base, kind = base;
	g_autoptr(SptStash) stash = spt_stash_new();
	uint32_t ids[5];

	offset.offset = base.offset | 1ull << 63;
	object.object = 5 + (1u << 31);
	kind.kind = SPT_FRAME_EXACT;
	ids[0] = spt_stash_child(stash, 0, &base);
	ids[1] = spt_stash_child(stash, 0, &offset);
	ids[2] = spt_stash_child(stash, 0, &object);
	ids[3] = spt_stash_child(stash, 0, &kind);
	ids[4] = spt_stash_child(stash, ids[0], &base);
	for (unsigned i = 0; i < 5; i++)
		g_assert_cmpuint(ids[i], ==, i + 1);
	g_assert_cmpuint(spt_stash_child(stash, 0, &kind), ==, ids[3]);
}

/* Against a GHashTable with text keys, across many doublings. */
static void test_against_a_model(void)
{
	g_autoptr(GHashTable) model = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GRand) random = g_rand_new_with_seed(4711);
	g_autoptr(SptStash) stash = spt_stash_new();

	for (unsigned i = 0; i < 60000; i++) {
		SptFrame frame = {
			.offset = (uint64_t)g_rand_int_range(random, 0, 200) << 12,
			.object = (uint32_t)g_rand_int_range(random, 0, 3),
			.kind = (uint32_t)g_rand_int_range(random, 0, 2),
		};
		uint32_t parent =
			(uint32_t)g_rand_int_range(random, 0,
						   (gint32)MIN(spt_stash_n_nodes(stash), 500));
		uint32_t before = spt_stash_n_nodes(stash),
			 id = spt_stash_child(stash, parent, &frame);
		char *key = g_strdup_printf("%u %u %u %" G_GUINT64_FORMAT, parent, frame.object,
					    frame.kind, frame.offset);
		gpointer known;

		if (g_hash_table_lookup_extended(model, key, NULL, &known)) {
			g_assert_cmpuint(id, ==, GPOINTER_TO_UINT(known));
			g_assert_cmpuint(spt_stash_n_nodes(stash), ==, before);
			g_free(key);
		} else {
			g_assert_cmpuint(id, ==, before);
			g_assert_cmpuint(spt_stash_n_nodes(stash), ==, before + 1);
			g_hash_table_insert(model, key, GUINT_TO_POINTER(id));
		}
	}
	for (uint32_t id = 1; id < spt_stash_n_nodes(stash); id++)
		g_assert_cmpuint(spt_stash_node(stash, id)->parent, <, id);
}

/* Offsets that differ in high bits only, one chain of a million: a poor hash would take forever. */
static void test_a_million_nodes(void)
{
	g_autoptr(SptStash) stash = spt_stash_new();
	uint32_t leaf = 0;

	for (uint32_t round = 0; round < 2; round++) {
		leaf = 0;
		for (uint32_t i = 0; i < 500000; i++)
			leaf = spt_stash_child(stash, leaf,
					       &(SptFrame){ .offset = (uint64_t)i << 44,
							    .object = 1 });
		for (uint32_t i = 0; i < 500000; i++)
			spt_stash_child(stash, 0,
					&(SptFrame){ .offset = (uint64_t)i << 12,
						     .object = i & 7 });
	}
	g_assert_cmpuint(leaf, ==, 500000);
	/* The chain's first frame is also the first of the others but for its object. */
	g_assert_cmpuint(spt_stash_n_nodes(stash), ==, 1000001);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/stash/root", test_root);
	g_test_add_func("/stash/innermost-first", test_innermost_first);
	g_test_add_func("/stash/every-part-of-the-key-counts", test_every_part_of_the_key_counts);
	g_test_add_func("/stash/against-a-model", test_against_a_model);
	g_test_add_func("/stash/a-million-nodes", test_a_million_nodes);
	return g_test_run();
}
