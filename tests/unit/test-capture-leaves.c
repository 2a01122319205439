/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of a capture's samples, which a reader makes while it looks for damage. */
#include "hostile.h"

/* @n nodes, and processes with a thread each. */
static void add_nodes_and_threads(Blocks *blocks, unsigned n)
{
	g_autofree uint64_t *numbers = g_new(uint64_t, n);

	for (unsigned i = 0; i < n; i++)
		numbers[i] = i;
	blocks_begin(blocks, n);
	blocks_end(blocks, SPT_BLOCK_FRAME);
	blocks_begin(blocks, n);
	spt_table_add_numbers(&blocks->builder, 1, numbers);
	blocks_end(blocks, SPT_BLOCK_NODE);
	for (unsigned i = 0; i < n; i++)
		numbers[i] = i + 1;
	for (unsigned type = SPT_BLOCK_PROCESS; type <= SPT_BLOCK_THREAD; type++) {
		blocks_begin(blocks, n);
		spt_table_add_numbers(&blocks->builder, 1, numbers);
		if (type == SPT_BLOCK_THREAD)
			spt_table_add_numbers(&blocks->builder, 2, numbers);
		blocks_end(blocks, type);
	}
}

/*
 * Four million leaves that are all different: their sums would take more than the file is worth,
 * and are skipped.
 */
static void test_too_many_leaves(void)
{
	enum { ROWS = 1 << 22, NODES = 1 << 11 };
	g_autofree uint64_t *numbers = g_new(uint64_t, ROWS / 4);
	g_autoptr(SptCapture) capture = NULL;
	g_autoptr(SptSamples) samples = NULL;
	g_autofree uint64_t *weights = NULL;
	const SptSampleRow *rows;
	uint64_t sum = 0;
	Blocks blocks;
	uint32_t n;

	begin_hostile(&blocks);
	declare_samples(&blocks);
	add_nodes_and_threads(&blocks, NODES);
	for (unsigned round = 0; round < 4; round++) {
		blocks_begin_events(&blocks, 1, ROWS / 4);
		for (unsigned i = 0; i < ROWS / 4; i++)
			numbers[i] = i % NODES + 1;
		spt_table_add_numbers(&blocks.builder, 20, numbers);
		for (unsigned i = 0; i < ROWS / 4; i++)
			numbers[i] = (i / NODES + round * NODES / 4) % NODES;
		spt_table_add_numbers(&blocks.builder, 30, numbers);
		for (unsigned i = 0; i < ROWS / 4; i++)
			numbers[i] = 3;
		spt_table_add_numbers(&blocks.builder, 40, numbers);
		blocks_end(&blocks, SPT_BLOCK_EVENT);
	}
	capture = open_blocks(&blocks);
	blocks_clear(&blocks);
	g_assert_null(capture->damage);
	g_assert_false(capture->has_leaves);
	g_assert_cmpuint(capture->n_leaves, ==, 0);
	samples = spt_samples_new(capture);
	while ((rows = spt_samples_next(samples, &n)))
		for (uint32_t i = 0; i < n; i++)
			sum += rows[i].node;
	g_assert_cmpuint(sum, ==, (uint64_t)ROWS / NODES * NODES * (NODES - 1) / 2);
	/* Sums of threads need a pass over the samples then, and are the same. */
	g_assert_null(capture->thread_weights);
	weights = spt_capture_weigh_threads(capture);
	for (uint32_t id = 1; id <= NODES; id++)
		g_assert_cmpuint(weights[id], ==, 3 * ROWS / NODES);
}

/*
 * More processes by turns at the same nodes than are looked through for a row: the sums are right
 * in more rows than one.
 */
static void test_leaves_of_many_processes(void)
{
	enum { PROCESSES = 500, ROUNDS = 20, AT = 3 };
	g_autofree uint64_t *threads = g_new(uint64_t, PROCESSES * ROUNDS),
			    *nodes = g_new(uint64_t, PROCESSES * ROUNDS),
			    *weights = g_new(uint64_t, PROCESSES * ROUNDS);
	uint64_t sums[PROCESSES + 1][AT] = { 0 }, of_threads[PROCESSES + 1] = { 0 };
	g_autoptr(SptCapture) capture = NULL;
	Blocks blocks;

	begin_hostile(&blocks);
	declare_samples(&blocks);
	add_nodes_and_threads(&blocks, PROCESSES);
	for (unsigned i = 0; i < PROCESSES * ROUNDS; i++) {
		/* Some have a time of their own, the most run side by side. */
		threads[i] = 1 + (i % 4 == 0 ? i / ROUNDS : i * 7 % PROCESSES);
		nodes[i] = i % AT;
		sums[threads[i]][nodes[i]]++;
		weights[i] = i % 7;
		of_threads[threads[i]] += weights[i];
	}
	blocks_begin_events(&blocks, 1, PROCESSES * ROUNDS);
	spt_table_add_numbers(&blocks.builder, 20, threads);
	spt_table_add_numbers(&blocks.builder, 30, nodes);
	spt_table_add_numbers(&blocks.builder, 40, weights);
	blocks_end(&blocks, SPT_BLOCK_EVENT);
	capture = open_blocks(&blocks);
	blocks_clear(&blocks);
	g_assert_null(capture->damage);
	g_assert_true(capture->has_leaves);
	for (uint64_t i = 0; i < capture->n_leaves; i++)
		sums[capture->leaves[i].process][capture->leaves[i].node] -=
			capture->leaves[i].samples;
	for (unsigned process = 1; process <= PROCESSES; process++)
		for (unsigned node = 0; node < AT; node++)
			g_assert_cmpuint(sums[process][node], ==, 0);
	g_assert_cmpuint(capture->n_threads, ==, G_N_ELEMENTS(of_threads));
	g_assert_cmpmem(capture->thread_weights, sizeof(of_threads), of_threads,
			sizeof(of_threads));
}

int main(int argc, char **argv)
{
	peak_watch();
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/capture-leaves/too-many", test_too_many_leaves);
	g_test_add_func("/capture-leaves/of-many-processes", test_leaves_of_many_processes);
	return g_test_run();
}
