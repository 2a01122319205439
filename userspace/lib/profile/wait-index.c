/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorted once; a look-up by thread and time is a binary search. */
#include "profile/wait-index.h"

#include <stdlib.h>

#include "capture/stream-rows.h"

static int by_thread(const void *a, const void *b)
{
	const SptWaitRow *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

SptWaitIndex *spt_wait_index_new(const SptCapture *capture)
{
	SptWaitIndex *index = g_new0(SptWaitIndex, 1);
	uint32_t n_threads = capture->n_threads + 1, thread = 0;

	index->waits = spt_stream_rows(capture, SPT_ROW_WAIT, &index->n_waits);
	if (index->n_waits)
		qsort(index->waits, index->n_waits, sizeof(*index->waits), by_thread);
	index->first = g_new0(uint64_t, (size_t)n_threads + 1);
	for (uint64_t i = 0; i < index->n_waits; i++)
		for (; thread < index->waits[i].thread; thread++)
			index->first[thread + 1] = i;
	for (; thread < n_threads; thread++)
		index->first[thread + 1] = index->n_waits;
	return index;
}

void spt_wait_index_free(SptWaitIndex *index)
{
	if (!index)
		return;
	g_free(index->waits);
	g_free(index->first);
	g_free(index);
}

uint64_t spt_wait_index_after(const SptWaitIndex *index, uint32_t thread, uint64_t time)
{
	uint64_t low = index->first[thread], high = index->first[thread + 1];

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (index->waits[middle].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const SptWaitRow *spt_wait_index_last(const SptWaitIndex *index, uint32_t thread, uint64_t time)
{
	uint64_t after = spt_wait_index_after(index, thread, time);

	return after > index->first[thread] ? &index->waits[after - 1] : NULL;
}

uint64_t spt_wait_begin(const SptWaitRow *wait)
{
	return wait->time - MIN(wait->duration_ns, wait->time);
}

uint64_t spt_wait_woken(const SptWaitRow *wait)
{
	return wait->time - MIN(MIN(wait->runnable_ns, wait->duration_ns), wait->time);
}
