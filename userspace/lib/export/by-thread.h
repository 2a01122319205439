/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Items of a walk that come in any order, thread by thread, for formats with a table of each
 * thread.  At most a quarter of a million are in memory, or a sixteenth of very many: the walk is
 * repeated for each such part of them, and for each pass over a thread that has more alone.
 */
#ifndef SPT_EXPORT_BY_THREAD_H
#define SPT_EXPORT_BY_THREAD_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* A walk.  It begins again after the last item. */
typedef struct {
	/* Fills in the next item; false: there are no more. */
	bool (*next)(gpointer walk, gpointer ret_item);
	size_t item_bytes;
	size_t thread_at;		/* offset of the item's thread, a uint32_t */
} SptWalkType;

typedef struct SptByThread SptByThread;

/* Takes a pass, to count.  Items of threads from @n_threads on are skipped. */
SptByThread *spt_by_thread_new(const SptWalkType *type, gpointer walk, uint32_t n_threads);
void spt_by_thread_free(SptByThread *by_thread);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptByThread, spt_by_thread_free)

/* The number of a thread's items. */
uint64_t spt_by_thread_n(const SptByThread *by_thread, uint32_t thread);
/*
 * Begins a pass over the items of @thread, in the order of the walk.  It is cheap in ascending
 * order, and any number of times for one thread.  A pass goes on to its end.
 */
void spt_by_thread_begin(SptByThread *by_thread, uint32_t thread);
/* The next item, valid until the next call; NULL behind the last one. */
gconstpointer spt_by_thread_next(SptByThread *by_thread);

G_END_DECLS

#endif
