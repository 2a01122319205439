/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/malloc-arenas.h"

#include <string.h>

#include "capture/declared.h"
#include "profile/selection.h"

#define MARKS "libc:memory_"

/* An event of a mark; @number and @bytes by the mark. */
struct arena_event {
	uint64_t time, number, bytes;
	uint32_t process, thread;
	unsigned mark;
};

struct process_arenas {
	SptMallocArenas sums;
	GHashTable *heaps;		/* address -> bytes */
	GHashTable *arenas;		/* address -> set of threads */
};

static void take_heap(struct process_arenas *of, const struct arena_event *event, uint64_t bytes)
{
	uint64_t before = (uint64_t)(uintptr_t)g_hash_table_lookup(
		of->heaps, GSIZE_TO_POINTER(event->number));

	of->sums.heap_bytes += bytes - MIN(before, of->sums.heap_bytes + bytes);
	of->sums.heap_most = MAX(of->sums.heap_most, of->sums.heap_bytes);
	if (bytes)
		g_hash_table_insert(of->heaps, GSIZE_TO_POINTER(event->number),
				    GSIZE_TO_POINTER(bytes));
	else
		g_hash_table_remove(of->heaps, GSIZE_TO_POINTER(event->number));
}

static void heap_new(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.heaps_made++;
	take_heap(of, event, event->bytes);
}

static void heap_free(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.heaps_freed++;
	take_heap(of, event, 0);
}

/* It has @bytes now. */
static void heap_resized(struct process_arenas *of, const struct arena_event *event)
{
	take_heap(of, event, event->bytes);
}

static void sbrk_more(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.sbrk_calls++;
	of->sums.sbrk_bytes += (int64_t)event->bytes;
	of->sums.sbrk_most = MAX(of->sums.sbrk_most, of->sums.sbrk_bytes);
}

static void sbrk_less(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.sbrk_calls++;
	of->sums.sbrk_bytes -= (int64_t)event->bytes;
}

static void take_arena(struct process_arenas *of, const struct arena_event *event)
{
	GHashTable *threads = g_hash_table_lookup(of->arenas, GSIZE_TO_POINTER(event->number));

	if (!threads) {
		threads = g_hash_table_new(NULL, NULL);
		g_hash_table_insert(of->arenas, GSIZE_TO_POINTER(event->number), threads);
	}
	g_hash_table_add(threads, GUINT_TO_POINTER(event->thread));
	of->sums.threads = MAX(of->sums.threads, g_hash_table_size(threads));
}

static void arena_new(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.made++;
	take_arena(of, event);
}

static void arena_reused(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.reused++;
	take_arena(of, event);
}

static void arena_from_free(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.from_free++;
	arena_reused(of, event);
}

static void arena_waited(struct process_arenas *of,
			 G_GNUC_UNUSED const struct arena_event *event)
{
	of->sums.waits++;
}

static void arena_retried(struct process_arenas *of,
			  G_GNUC_UNUSED const struct arena_event *event)
{
	of->sums.retries++;
}

static void thresholds_changed(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.changes++;
	of->sums.mmap_threshold = event->number;
	of->sums.trim_threshold = event->bytes;
}

static void mmap_threshold_set(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.changes++;
	of->sums.mmap_threshold = event->number;
}

static void trim_threshold_set(struct process_arenas *of, const struct arena_event *event)
{
	of->sums.changes++;
	of->sums.trim_threshold = event->number;
}

static const struct {
	const char *name, *number, *bytes;	/* fields; NULL: not looked at */
	void (*take)(struct process_arenas *of, const struct arena_event *event);
} marks[] = {
	{ "heap_new", "heap", "bytes", heap_new },
	{ "heap_free", "heap", NULL, heap_free },
	{ "heap_more", "heap", "bytes", heap_resized },
	{ "heap_less", "heap", "bytes", heap_resized },
	{ "sbrk_more", NULL, "bytes", sbrk_more },
	{ "sbrk_less", NULL, "bytes", sbrk_less },
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
};

/* "libc:memory_heap_new#2" is another place of the same mark.  Below 0: of none. */
static int number_of_mark(const char *kind)
{
	const char *name = g_str_has_prefix(kind, MARKS) ? kind + strlen(MARKS) : "";
	size_t n = strcspn(name, "#");

	for (unsigned i = 0; i < G_N_ELEMENTS(marks); i++)
		if (strlen(marks[i].name) == n && strncmp(marks[i].name, name, n) == 0)
			return (int)i;
	return -1;
}

bool spt_malloc_arenas_are_in(const SptCapture *capture)
{
	const SptDeclared *kind;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		if (number_of_mark(kind->name) >= 0)
			return true;
	return false;
}

static uint64_t arena_field(const SptDeclared *kind, const SptDeclaredRow *row, const char *name)
{
	unsigned field;

	return name && spt_declared_find_field(kind, name, &field) ? row->values[field].number : 0;
}

static void read_events(const SptCapture *capture, const SptDeclared *kind, unsigned mark,
			struct spt_selection *selection, GArray *events)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
	const SptDeclaredRow *rows;
	uint32_t n;

	while ((rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			const SptDeclaredRow *row = &rows[i];
			struct arena_event event = {
				.time = row->time,
				.number = arena_field(kind, row, marks[mark].number),
				.bytes = arena_field(kind, row, marks[mark].bytes),
				.thread = row->thread,
				.mark = mark,
			};

			if (!spt_selection_has_time(selection, row->thread, row->time) ||
			    !spt_selection_has_place(selection, row->thread, row->cpu))
				continue;
			event.process = capture->threads[row->thread].process;
			g_array_append_val(events, event);
		}
}

static int compare_arena_times(gconstpointer a, gconstpointer b)
{
	const struct arena_event *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static void process_arenas_free(void *data)
{
	struct process_arenas *of = data;

	g_hash_table_unref(of->heaps);
	g_hash_table_unref(of->arenas);
	g_free(of);
}

static struct process_arenas *process_arenas_find(GHashTable *all, uint32_t process)
{
	struct process_arenas *of = g_hash_table_lookup(all, GUINT_TO_POINTER(process));

	if (of)
		return of;
	of = g_new0(struct process_arenas, 1);
	of->sums.process = process;
	of->heaps = g_hash_table_new(NULL, NULL);
	of->arenas = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_hash_table_unref);
	g_hash_table_insert(all, GUINT_TO_POINTER(process), of);
	return of;
}

static int compare_arenas(gconstpointer a, gconstpointer b)
{
	const SptMallocArenas *x = a, *y = b;
	int64_t first = (int64_t)x->heap_most + x->sbrk_most,
		second = (int64_t)y->heap_most + y->sbrk_most;

	return first != second ? (first < second) - (first > second) :
				 (x->process > y->process) - (x->process < y->process);
}

GArray *spt_malloc_arenas(const SptCapture *capture, const SptFilter *filter)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(SptMallocArenas));
	g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(struct arena_event));
	g_autoptr(GHashTable) all = g_hash_table_new_full(NULL, NULL, NULL, process_arenas_free);
	struct spt_selection selection;
	const SptDeclared *kind;
	GHashTableIter iter;
	void *of;

	spt_selection_init(&selection, capture, filter);
	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++) {
		int mark = number_of_mark(kind->name);

		if (mark >= 0)
			read_events(capture, kind, (unsigned)mark, &selection, events);
	}
	spt_selection_clear(&selection);
	/* Heaps grow and shrink by marks of different kinds. */
	g_array_sort(events, compare_arena_times);
	for (unsigned i = 0; i < events->len; i++) {
		const struct arena_event *event = &g_array_index(events, struct arena_event, i);

		marks[event->mark].take(process_arenas_find(all, event->process), event);
	}
	g_hash_table_iter_init(&iter, all);
	while (g_hash_table_iter_next(&iter, NULL, &of))
		g_array_append_val(found, ((struct process_arenas *)of)->sums);
	g_array_sort(found, compare_arenas);
	return found;
}
