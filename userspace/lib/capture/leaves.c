/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows are in the order in which they came; those of one node are linked, the latest first.  The
 * code that runs now came last, so a sample finds its row at once, or behind those of processes
 * that run at the same time.  No row is older than its process's first: that ends the search where
 * processes follow each other.  Where very many run at the same places MOST_STEPS ends it, and the
 * sum goes on in one more row.
 */
#include "capture/leaves.h"

#include <string.h>

#define AHEAD 32
#define MOST_STEPS 64

/* Makes room for @n numbers and some more; new ones are zero. */
static bool has_numbers(uint32_t **numbers, uint32_t *has, uint64_t n, uint64_t *left)
{
	uint64_t room = MAX(n, *has + *has / 2ull), more = (room - *has) * sizeof(**numbers);
	uint32_t *bigger;

	if (n <= *has)
		return true;
	bigger = room <= UINT32_MAX && more <= *left ? g_try_renew(uint32_t, *numbers, room) : NULL;
	if (!bigger)
		return false;
	memset(bigger + *has, 0, more);
	*numbers = bigger;
	*has = (uint32_t)room;
	*left -= more;
	return true;
}

/* Makes room for @n threads; new ones have no weight. */
static bool has_threads(SptLeaves *leaves, uint64_t n, uint64_t *left)
{
	uint64_t room = MAX(n, leaves->n_threads + leaves->n_threads / 2),
		 more = (room - leaves->n_threads) * sizeof(*leaves->threads), *threads;

	if (n <= leaves->n_threads)
		return true;
	threads = more <= *left ? g_try_renew(uint64_t, leaves->threads, room) : NULL;
	if (!threads)
		return false;
	memset(threads + leaves->n_threads, 0, more);
	leaves->threads = threads;
	leaves->n_threads = room;
	*left -= more;
	return true;
}

static bool has_rows(SptLeaves *leaves, uint64_t n, uint64_t *left)
{
	uint64_t room = MAX(n, leaves->room + leaves->room / 2ull),
		 more = (room - leaves->room) * sizeof(SptLeafRow);
	SptLeafRow *rows;

	if (n <= leaves->room)
		return true;
	rows = more <= *left ? g_try_renew(SptLeafRow, leaves->rows, room) : NULL;
	if (!rows)
		return false;
	leaves->rows = rows;
	*left -= more;
	return has_numbers(&leaves->before, &leaves->room, room, left);
}

/* Room for one more is needed. */
static SptLeafRow *leaves_find(SptLeaves *leaves, uint32_t process, uint32_t node)
{
	uint32_t first = leaves->first[process], number = leaves->last[node];
	SptLeafRow *row;

	if (first == 0)
		first = leaves->first[process] = leaves->n + 1;
	for (unsigned steps = 0; number >= first && steps < MOST_STEPS; steps++) {
		row = &leaves->rows[number - 1];
		if (row->process == process)
			return row;
		number = leaves->before[number - 1];
	}
	row = &leaves->rows[leaves->n];
	*row = (SptLeafRow){ .process = process, .node = node };
	leaves->before[leaves->n++] = leaves->last[node];
	leaves->last[node] = leaves->n;
	return row;
}

/* Prefetches memory for the sample AHEAD turns later, in the order of leaves_find(). */
static void fetch_row(const SptLeaves *leaves, uint32_t process, uint32_t node, bool is_near)
{
	uint32_t number = leaves->last[node];

	if (number > 0 && is_near && leaves->rows[number - 1].process != process)
		number = leaves->before[number - 1];
	if (number > 0) {
		__builtin_prefetch(&leaves->rows[number - 1]);
		__builtin_prefetch(&leaves->before[number - 1]);
	}
}

bool spt_leaves_add(SptLeaves *leaves, const SptSampleRow *samples, unsigned n,
		    const SptStore *threads, uint32_t n_processes, uint32_t n_nodes,
		    uint64_t room)
{
	const SptThreadRow *of = (const SptThreadRow *)threads->data;
	uint64_t left = room;

	if (!has_rows(leaves, (uint64_t)leaves->n + n, &left) ||
	    !has_threads(leaves, MAX(threads->n, 1), &left) ||
	    !has_numbers(&leaves->last, &leaves->n_nodes, n_nodes, &left) ||
	    !has_numbers(&leaves->first, &leaves->n_processes, n_processes, &left))
		return false;
	leaves->bytes += room - left;
	for (unsigned i = 0; i < n; i++) {
		const SptSampleRow *far = &samples[MIN(i + 2 * AHEAD, n - 1)],
				   *near = &samples[MIN(i + AHEAD, n - 1)];
		SptLeafRow *row;

		__builtin_prefetch(&leaves->last[samples[MIN(i + 3 * AHEAD, n - 1)].node]);
		fetch_row(leaves, 0, far->node, false);
		fetch_row(leaves, of[near->thread].process, near->node, true);
		row = leaves_find(leaves, of[samples[i].thread].process, samples[i].node);
		row->weight += samples[i].weight;
		row->samples++;
		leaves->threads[samples[i].thread] += samples[i].weight;
	}
	return true;
}

void spt_leaves_clear(SptLeaves *leaves)
{
	g_free(leaves->rows);
	g_free(leaves->before);
	g_free(leaves->last);
	g_free(leaves->first);
	g_free(leaves->threads);
	*leaves = (SptLeaves){ 0 };
}

void spt_leaves_finish(SptLeaves *leaves, SptCapture *capture)
{
	uint64_t left = UINT64_MAX;

	capture->leaves = g_renew(SptLeafRow, g_steal_pointer(&leaves->rows), leaves->n);
	capture->n_leaves = leaves->n;
	/* Threads without a sample may have come last. */
	if (leaves->threads && has_threads(leaves, capture->n_threads, &left))
		capture->thread_weights = g_steal_pointer(&leaves->threads);
	spt_leaves_clear(leaves);
}
