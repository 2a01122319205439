/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks of memory are found by address, whatever was added and removed before. */
#include "record/blocks.h"

#define ADDRESSES 20000u
#define STEPS 400000u

/* With a @shift of 32, addresses differ only in their high bits. */
static uint64_t address_of(unsigned i, unsigned shift)
{
	return ((uint64_t)i + 1) << shift;
}

static void check_all(SptBlocks *blocks, const uint64_t *bytes, unsigned shift)
{
	unsigned n = 0;

	for (unsigned i = 0; i < ADDRESSES; i++) {
		const SptBlock *block = spt_blocks_find(blocks, address_of(i, shift));

		g_assert_cmpint(block != NULL, ==, bytes[i] != 0);
		if (!block)
			continue;
		g_assert_cmpuint(block->address, ==, address_of(i, shift));
		g_assert_cmpuint(block->bytes, ==, bytes[i]);
		n++;
	}
	g_assert_cmpuint(blocks->n, ==, n);
	for (uint32_t i = 0; i < blocks->n_used; i++)
		n -= blocks->blocks[i].address != 0;
	g_assert_cmpuint(n, ==, 0);
}

/* Removes everything from time to time, so that the table is empty and its places are free. */
static void test_random(gconstpointer data)
{
	unsigned shift = GPOINTER_TO_UINT(data);
	SptBlocks blocks = { 0 };
	g_autofree uint64_t *bytes = g_new0(uint64_t, ADDRESSES);
	g_autoptr(GRand) rand = g_rand_new_with_seed(shift);

	g_assert_null(spt_blocks_find(&blocks, address_of(0, shift)));
	for (unsigned step = 1; step <= STEPS; step++) {
		bool empties = step / (STEPS / 8) % 2;
		unsigned i = (unsigned)g_rand_int_range(rand, 0, ADDRESSES);
		SptBlock *block = spt_blocks_find(&blocks, address_of(i, shift));

		spt_blocks_fetch(&blocks, address_of(i, shift));
		g_assert_cmpint(block != NULL, ==, bytes[i] != 0);
		if (block) {
			/* Not always the one that was found last. */
			if (step % 2)
				spt_blocks_find(&blocks, address_of(0, shift));
			spt_blocks_remove(&blocks, block);
			bytes[i] = 0;
		} else if (!empties) {
			block = spt_blocks_get(&blocks, address_of(i, shift));
			g_assert_cmpuint(block->bytes, ==, 0);
			block->bytes = bytes[i] = step;
			g_assert_true(block == spt_blocks_get(&blocks, address_of(i, shift)));
		}
		if (step % (STEPS / 16) == 0)
			check_all(&blocks, bytes, shift);
	}
	spt_blocks_clear(&blocks);
	g_assert_null(spt_blocks_find(&blocks, address_of(0, shift)));
}

/* A place that was freed is used before the array grows. */
static void test_places(void)
{
	SptBlocks blocks = { 0 };

	for (unsigned i = 0; i < 4 * ADDRESSES; i++) {
		spt_blocks_get(&blocks, address_of(i, 4));
		if (i >= 10)
			spt_blocks_remove(&blocks,
					  spt_blocks_find(&blocks, address_of(i - 10, 4)));
	}
	g_assert_cmpuint(blocks.n, ==, 10);
	g_assert_cmpuint(blocks.n_used, ==, 11);
	spt_blocks_clear(&blocks);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/blocks/low-bits", GUINT_TO_POINTER(4), test_random);
	g_test_add_data_func("/blocks/high-bits", GUINT_TO_POINTER(32), test_random);
	g_test_add_func("/blocks/places", test_places);
	return g_test_run();
}
