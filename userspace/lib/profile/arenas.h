/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What glibc's allocator has in its arenas, by the marks that it has for that: event by event, as
 * they are recorded (record/arena-counts.h) or read (malloc-arenas.h).
 */
#ifndef SPT_PROFILE_ARENAS_H
#define SPT_PROFILE_ARENAS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/**
 * SptArena - one that threads were given
 * @is_main: the main arena, which has no heaps
 * @bytes, @most: in its heaps, now and at most
 * @threads: that were given it, in that order: uint32_t, of the capture
 */
typedef struct {
	bool is_main;
	uint64_t bytes, most;
	GArray *threads;
} SptArena;

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
 * @main_bytes: what the main arena has got by sbrk() from its start on, as far as that is known
 * @mmap_threshold, @trim_threshold: what they became last; 0: they did not change
 * @changes: of thresholds, by free() of a large block or by mallopt()
 * @cache_bytes, @cache_blocks: largest block of a thread's cache, and how many of a size it has, as
 *	they were set when the process began; 0: they were not
 * @arenas: those that were made or given, of SptArena, as they came; the process's own
 */
typedef struct {
	uint32_t process;
	uint64_t made, reused, from_free, waits, threads, retries;
	uint64_t heaps_made, heaps_freed, heap_bytes, heap_most;
	uint64_t sbrk_calls, main_bytes;
	int64_t sbrk_bytes, sbrk_most;
	uint64_t mmap_threshold, trim_threshold, changes;
	uint64_t cache_bytes, cache_blocks;
	GPtrArray *arenas;
} SptMallocArenas;

/* An event of a mark; @number and @bytes: values of the fields below, or 0. */
typedef struct {
	uint64_t number, bytes;
	uint32_t process, thread;
	unsigned mark;
	/* Where the main arena of the process starts; 0: not known, at what is seen first. */
	uint64_t main_start;
} SptArenaEvent;

/* The mark that events of the kind @name are of; below 0: of none. */
int spt_arenas_mark(const char *name);
/* The fields that an event of it needs; NULL: none. */
const char *spt_arenas_number_field(unsigned mark);
const char *spt_arenas_bytes_field(unsigned mark);

/* All processes; for one thread. */
typedef struct SptArenas SptArenas;
SptArenas *spt_arenas_new(void);
void spt_arenas_free(SptArenas *arenas);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptArenas, spt_arenas_free)
/* Events in the order of time.  Returns what the process has now, until it is forgotten. */
const SptMallocArenas *spt_arenas_take(SptArenas *arenas, const SptArenaEvent *event);
/* What the process has; NULL: no event of it has come. */
const SptMallocArenas *spt_arenas_find(const SptArenas *arenas, uint32_t process);
/* It has ended, or is another program now. */
void spt_arenas_forget(SptArenas *arenas, uint32_t process);
/* Calls @func for each process, in no order. */
void spt_arenas_each(const SptArenas *arenas,
		     void (*func)(const SptMallocArenas *of, void *data), void *data);

G_END_DECLS

#endif
