/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the marks of record --malloc-arenas (record/malloc-arenas.h) say of each process: how its
 * arenas grew and shrank, and which threads share one.
 */
#ifndef SPT_PROFILE_MALLOC_ARENAS_H
#define SPT_PROFILE_MALLOC_ARENAS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "capture/capture.h"
#include "profile/profile.h"

G_BEGIN_DECLS

/**
 * SptMallocArenas - a process's, since the recording began
 * @process: its id
 * @made: arenas beside the main one
 * @reused: how often a thread got one that was there, also from the list of those without threads
 * @from_free: of @reused, those from that list
 * @waits: how often a thread waited for an arena's lock, as all were in use
 * @threads: most threads that have had the same arena
 * @retries: how often an arena had no memory, and another one or another way was tried
 * @heaps_made, @heaps_freed: those of arenas
 * @heap_bytes, @heap_most: in heaps of arenas, now and at most
 * @sbrk_calls: of both directions
 * @sbrk_bytes, @sbrk_most: what the main arena got by sbrk() now and at most; below 0: it gave back
 *	what it had before
 * @mmap_threshold, @trim_threshold: what they became last; 0: they did not change
 * @changes: of thresholds, by free() of a large block or by mallopt()
 */
typedef struct {
	uint32_t process;
	uint64_t made, reused, from_free, waits, threads, retries;
	uint64_t heaps_made, heaps_freed, heap_bytes, heap_most;
	uint64_t sbrk_calls;
	int64_t sbrk_bytes, sbrk_most;
	uint64_t mmap_threshold, trim_threshold, changes;
} SptMallocArenas;

/* Whether the marks were recorded. */
bool spt_malloc_arenas_are_in(const SptCapture *capture);
/* By process, those with most memory first: of SptMallocArenas. */
GArray *spt_malloc_arenas(const SptCapture *capture, const SptFilter *filter);

G_END_DECLS

#endif
