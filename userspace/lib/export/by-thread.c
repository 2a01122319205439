/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/by-thread.h"

#include <string.h>

#define LEAST_ROOM (1u << 18)
#define MOST_PARTS 16

struct SptByThread {
	const SptWalkType *type;
	gpointer walk;
	uint32_t n_threads;
	uint64_t *n_items; /* by thread */
	uint64_t room;	   /* for that many items at a time */
	char *items;	   /* of the threads [first, behind), one after the other */
	uint64_t *ends;	   /* by thread: number of the item behind its last one */
	uint32_t first, behind;
	/* The present pass. */
	uint32_t thread;
	uint64_t at;
	bool is_streamed;
	char *item;
};

static uint32_t by_thread_of_item(const SptByThread *by_thread, const char *item)
{
	uint32_t thread;

	memcpy(&thread, item + by_thread->type->thread_at, sizeof(thread));
	return thread;
}

SptByThread *spt_by_thread_new(const SptWalkType *type, gpointer walk, uint32_t n_threads)
{
	SptByThread *by_thread = g_new0(SptByThread, 1);
	uint64_t n = 0;

	*by_thread = (SptByThread){
		.type = type,
		.walk = walk,
		.n_threads = n_threads,
		.n_items = g_new0(uint64_t, (size_t)n_threads + 1),
		.ends = g_new0(uint64_t, (size_t)n_threads + 1),
		.item = g_malloc0(type->item_bytes),
	};
	for (; type->next(walk, by_thread->item); n++) {
		uint32_t thread = by_thread_of_item(by_thread, by_thread->item);

		by_thread->n_items[MIN(thread, n_threads)]++;
	}
	by_thread->room = MAX(LEAST_ROOM, n / MOST_PARTS);
	by_thread->items = g_malloc_n(MAX(MIN(n, by_thread->room), 1), type->item_bytes);
	return by_thread;
}

void spt_by_thread_free(SptByThread *by_thread)
{
	if (!by_thread)
		return;
	g_free(by_thread->n_items);
	g_free(by_thread->ends);
	g_free(by_thread->items);
	g_free(by_thread->item);
	g_free(by_thread);
}

uint64_t spt_by_thread_n(const SptByThread *by_thread, uint32_t thread)
{
	return by_thread->n_items[thread];
}

static bool by_thread_has(const SptByThread *by_thread, uint32_t thread)
{
	return thread >= by_thread->first && thread < by_thread->behind;
}

/* As many threads from @first on as there is room for. */
static void by_thread_load(SptByThread *by_thread, uint32_t first)
{
	uint64_t n = 0;

	by_thread->first = by_thread->behind = first;
	for (; by_thread->behind < by_thread->n_threads &&
	       n + by_thread->n_items[by_thread->behind] <= by_thread->room;
	     by_thread->behind++) {
		by_thread->ends[by_thread->behind] = n;
		n += by_thread->n_items[by_thread->behind];
	}
	while (n > 0 && by_thread->type->next(by_thread->walk, by_thread->item)) {
		uint32_t thread = by_thread_of_item(by_thread, by_thread->item);

		if (by_thread_has(by_thread, thread))
			memcpy(by_thread->items +
				       by_thread->ends[thread]++ * by_thread->type->item_bytes,
			       by_thread->item, by_thread->type->item_bytes);
	}
}

void spt_by_thread_begin(SptByThread *by_thread, uint32_t thread)
{
	by_thread->thread = thread;
	by_thread->is_streamed = by_thread->n_items[thread] > by_thread->room;
	if (by_thread->is_streamed)
		return;
	if (!by_thread_has(by_thread, thread))
		by_thread_load(by_thread, thread);
	by_thread->at = by_thread->ends[thread] - by_thread->n_items[thread];
}

gconstpointer spt_by_thread_next(SptByThread *by_thread)
{
	if (!by_thread->is_streamed)
		return by_thread->at < by_thread->ends[by_thread->thread] ?
			       by_thread->items + by_thread->at++ * by_thread->type->item_bytes :
			       NULL;
	while (by_thread->type->next(by_thread->walk, by_thread->item))
		if (by_thread_of_item(by_thread, by_thread->item) == by_thread->thread)
			return by_thread->item;
	return NULL;
}
