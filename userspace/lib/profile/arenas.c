/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/arenas.h"

#include <string.h>

#define MARKS	   "libc:memory_"
/* Of a process.  Marks are reached with any values by a program that jumps there. */
#define MOST_HEAPS   65536u
#define MOST_ARENAS  4096u
#define MOST_THREADS 65536u
/* glibc's: a heap begins at a multiple of it, and so does that in which its arena is. */
#define HEAP_MAX_BYTES (64u << 20)
#define HEAD_MAX_BYTES 4096u

struct heap {
	uint64_t bytes;
	SptArena *arena;		/* NULL: not known yet */
};

struct arena {
	SptArena known;
	GHashTable *threads;		/* those of known.threads */
};

struct process_arenas {
	SptMallocArenas sums;
	uint64_t main_start;		/* 0: not known */
	unsigned n_threads;		/* in all arenas */
	GHashTable *heaps;		/* address -> struct heap */
	GHashTable *arenas;		/* address -> struct arena */
	GHashTable *given;		/* thread -> struct arena, the one that it was given last */
};

struct SptArenas {
	GHashTable *processes;		/* id -> struct process_arenas */
};

static void arena_resize(SptArena *arena, uint64_t before, uint64_t bytes)
{
	if (!arena)
		return;
	arena->bytes += bytes - MIN(before, arena->bytes + bytes);
	arena->most = MAX(arena->most, arena->bytes);
}

static void take_heap(struct process_arenas *of, const SptArenaEvent *event, uint64_t bytes)
{
	struct heap *heap = g_hash_table_lookup(of->heaps, GSIZE_TO_POINTER(event->number));
	uint64_t before = heap ? heap->bytes : 0;

	if (!heap && bytes && g_hash_table_size(of->heaps) >= MOST_HEAPS)
		return;
	of->sums.heap_bytes += bytes - MIN(before, of->sums.heap_bytes + bytes);
	of->sums.heap_most = MAX(of->sums.heap_most, of->sums.heap_bytes);
	if (!heap && bytes) {
		heap = g_new0(struct heap, 1);
		/* A thread makes and grows heaps of its own arena. */
		heap->arena = g_hash_table_lookup(of->given, GUINT_TO_POINTER(event->thread));
		g_hash_table_insert(of->heaps, GSIZE_TO_POINTER(event->number), heap);
	}
	if (heap)
		arena_resize(heap->arena, before, bytes);
	if (heap && bytes)
		heap->bytes = bytes;
	else if (heap)
		g_hash_table_remove(of->heaps, GSIZE_TO_POINTER(event->number));
}

static void heap_new(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.heaps_made++;
	take_heap(of, event, event->bytes);
}

static void heap_free(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.heaps_freed++;
	take_heap(of, event, 0);
}

/* It has @bytes now. */
static void heap_resized(struct process_arenas *of, const SptArenaEvent *event)
{
	take_heap(of, event, event->bytes);
}

static void main_ends(struct process_arenas *of, uint64_t address, uint64_t end)
{
	if (!of->main_start)
		of->main_start = address;
	of->sums.main_bytes = end - MIN(of->main_start, end);
}

static void sbrk_more(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.sbrk_calls++;
	of->sums.sbrk_bytes += (int64_t)event->bytes;
	of->sums.sbrk_most = MAX(of->sums.sbrk_most, of->sums.sbrk_bytes);
	main_ends(of, event->number, event->number + event->bytes);
}

/* The address is the new end. */
static void sbrk_less(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.sbrk_calls++;
	of->sums.sbrk_bytes -= (int64_t)event->bytes;
	main_ends(of, event->number, event->number);
}

static struct arena *arena_find(struct process_arenas *of, uint64_t address)
{
	struct arena *arena = g_hash_table_lookup(of->arenas, GSIZE_TO_POINTER(address));

	if (arena || of->sums.arenas->len >= MOST_ARENAS)
		return arena;
	arena = g_new0(struct arena, 1);
	/* Behind the head of a heap are those that threads make. */
	arena->known.is_main = address % HEAP_MAX_BYTES > HEAD_MAX_BYTES;
	arena->known.threads = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	arena->threads = g_hash_table_new(NULL, NULL);
	g_ptr_array_add(of->sums.arenas, arena);
	g_hash_table_insert(of->arenas, GSIZE_TO_POINTER(address), arena);
	return arena;
}

static void give_arena(struct process_arenas *of, const SptArenaEvent *event)
{
	struct arena *arena = arena_find(of, event->number);

	if (!arena)
		return;
	g_hash_table_insert(of->given, GUINT_TO_POINTER(event->thread), arena);
	if (of->n_threads >= MOST_THREADS ||
	    !g_hash_table_add(arena->threads, GUINT_TO_POINTER(event->thread)))
		return;
	of->n_threads++;
	g_array_append_val(arena->known.threads, event->thread);
	of->sums.threads = MAX(of->sums.threads, arena->known.threads->len);
}

/* Its first heap was made before, while the thread had another arena or none. */
static void arena_new(struct process_arenas *of, const SptArenaEvent *event)
{
	uint64_t address = event->number & ~(uint64_t)(HEAP_MAX_BYTES - 1);
	struct heap *heap = g_hash_table_lookup(of->heaps, GSIZE_TO_POINTER(address));

	of->sums.made++;
	give_arena(of, event);
	if (!heap)
		return;
	arena_resize(heap->arena, heap->bytes, 0);
	heap->arena = g_hash_table_lookup(of->arenas, GSIZE_TO_POINTER(event->number));
	arena_resize(heap->arena, 0, heap->bytes);
}

static void arena_reused(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.reused++;
	give_arena(of, event);
}

static void arena_from_free(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.from_free++;
	arena_reused(of, event);
}

static void arena_waited(struct process_arenas *of, G_GNUC_UNUSED const SptArenaEvent *event)
{
	of->sums.waits++;
}

static void arena_retried(struct process_arenas *of, G_GNUC_UNUSED const SptArenaEvent *event)
{
	of->sums.retries++;
}

static void thresholds_changed(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.changes++;
	of->sums.mmap_threshold = event->number;
	of->sums.trim_threshold = event->bytes;
}

static void mmap_threshold_set(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.changes++;
	of->sums.mmap_threshold = event->number;
}

static void trim_threshold_set(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.changes++;
	of->sums.trim_threshold = event->number;
}

static void cache_bytes_set(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.cache_bytes = event->number;
}

static void cache_blocks_set(struct process_arenas *of, const SptArenaEvent *event)
{
	of->sums.cache_blocks = event->number;
}

static const struct {
	const char *name, *number, *bytes;	/* fields; NULL: not looked at */
	void (*take)(struct process_arenas *of, const SptArenaEvent *event);
} marks[] = {
	{ "heap_new", "heap", "bytes", heap_new },
	{ "heap_free", "heap", NULL, heap_free },
	{ "heap_more", "heap", "bytes", heap_resized },
	{ "heap_less", "heap", "bytes", heap_resized },
	{ "sbrk_more", "address", "bytes", sbrk_more },
	{ "sbrk_less", "address", "bytes", sbrk_less },
	{ "arena_new", "arena", NULL, arena_new },
	{ "arena_reuse", "arena", NULL, arena_reused },
	{ "arena_reuse_wait", NULL, NULL, arena_waited },
	{ "arena_reuse_free_list", "arena", NULL, arena_from_free },
	{ "arena_retry", NULL, NULL, arena_retried },
	{ "malloc_retry", NULL, NULL, arena_retried },
	{ "calloc_retry", NULL, NULL, arena_retried },
	{ "realloc_retry", NULL, NULL, arena_retried },
	{ "memalign_retry", NULL, NULL, arena_retried },
	{ "mallopt_free_dyn_thresholds", "mmap_threshold", "trim_threshold", thresholds_changed },
	{ "mallopt_mmap_threshold", "new", NULL, mmap_threshold_set },
	{ "mallopt_trim_threshold", "new", NULL, trim_threshold_set },
	{ "tunable_tcache_max_bytes", "new", NULL, cache_bytes_set },
	{ "tunable_tcache_count", "new", NULL, cache_blocks_set },
};

/* "libc:memory_heap_new#2" is another place of the same mark. */
int spt_arenas_mark(const char *kind)
{
	const char *name = g_str_has_prefix(kind, MARKS) ? kind + strlen(MARKS) : "";
	size_t n = strcspn(name, "#");

	for (unsigned i = 0; i < G_N_ELEMENTS(marks); i++)
		if (strlen(marks[i].name) == n && strncmp(marks[i].name, name, n) == 0)
			return (int)i;
	return -1;
}

const char *spt_arenas_number_field(unsigned mark)
{
	return marks[mark].number;
}

const char *spt_arenas_bytes_field(unsigned mark)
{
	return marks[mark].bytes;
}

static void arena_free(void *data)
{
	struct arena *arena = data;

	g_hash_table_unref(arena->threads);
	g_array_unref(arena->known.threads);
	g_free(arena);
}

static void process_arenas_free(void *data)
{
	struct process_arenas *of = data;

	g_hash_table_unref(of->heaps);
	g_hash_table_unref(of->arenas);
	g_hash_table_unref(of->given);
	g_ptr_array_unref(of->sums.arenas);
	g_free(of);
}

SptArenas *spt_arenas_new(void)
{
	SptArenas *arenas = g_new0(SptArenas, 1);

	arenas->processes = g_hash_table_new_full(NULL, NULL, NULL, process_arenas_free);
	return arenas;
}

void spt_arenas_free(SptArenas *arenas)
{
	if (!arenas)
		return;
	g_hash_table_unref(arenas->processes);
	g_free(arenas);
}

static struct process_arenas *process_arenas_find(SptArenas *arenas, uint32_t process)
{
	struct process_arenas *of =
		g_hash_table_lookup(arenas->processes, GUINT_TO_POINTER(process));

	if (of)
		return of;
	of = g_new0(struct process_arenas, 1);
	of->sums.process = process;
	of->sums.arenas = g_ptr_array_new_with_free_func(arena_free);
	of->heaps = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	of->arenas = g_hash_table_new(NULL, NULL);
	of->given = g_hash_table_new(NULL, NULL);
	g_hash_table_insert(arenas->processes, GUINT_TO_POINTER(process), of);
	return of;
}

const SptMallocArenas *spt_arenas_take(SptArenas *arenas, const SptArenaEvent *event)
{
	struct process_arenas *of = process_arenas_find(arenas, event->process);

	if (event->main_start)
		of->main_start = event->main_start;
	marks[event->mark].take(of, event);
	return &of->sums;
}

const SptMallocArenas *spt_arenas_find(const SptArenas *arenas, uint32_t process)
{
	const struct process_arenas *of =
		g_hash_table_lookup(arenas->processes, GUINT_TO_POINTER(process));

	return of ? &of->sums : NULL;
}

void spt_arenas_forget(SptArenas *arenas, uint32_t process)
{
	g_hash_table_remove(arenas->processes, GUINT_TO_POINTER(process));
}

void spt_arenas_each(const SptArenas *arenas,
		     void (*func)(const SptMallocArenas *of, void *data), void *data)
{
	GHashTableIter iter;
	void *of;

	g_hash_table_iter_init(&iter, arenas->processes);
	while (g_hash_table_iter_next(&iter, NULL, &of))
		func(&((const struct process_arenas *)of)->sums, data);
}
