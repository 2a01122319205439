/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/malloc-arenas.h"

#include "capture/declared.h"
#include "profile/selection.h"

struct timed_event {
	uint64_t time;
	SptArenaEvent event;
};

bool spt_malloc_arenas_are_in(const SptCapture *capture)
{
	const SptDeclared *kind;

	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++)
		if (spt_arenas_mark(kind->name) >= 0)
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
	const char *number = spt_arenas_number_field(mark), *bytes = spt_arenas_bytes_field(mark);
	const SptDeclaredRow *rows;
	uint32_t n;

	while ((rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			const SptDeclaredRow *row = &rows[i];
			struct timed_event timed = { .time = row->time };

			timed.event = (SptArenaEvent){
				.number = arena_field(kind, row, number),
				.bytes = arena_field(kind, row, bytes),
				.process = capture->threads[row->thread].process,
				.thread = row->thread,
				.mark = mark,
			};

			if (spt_selection_has_time(selection, row->thread, row->time) &&
			    spt_selection_has_place(selection, row->thread, row->cpu))
				g_array_append_val(events, timed);
		}
}

static int compare_arena_times(gconstpointer a, gconstpointer b)
{
	const struct timed_event *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

static int compare_arenas(gconstpointer a, gconstpointer b)
{
	const SptMallocArenas *x = a, *y = b;
	int64_t first = (int64_t)x->heap_most + x->sbrk_most,
		second = (int64_t)y->heap_most + y->sbrk_most;

	return first != second ? (first < second) - (first > second) :
				 (x->process > y->process) - (x->process < y->process);
}

static void malloc_arenas_append(const SptMallocArenas *of, void *data)
{
	GArray *found = data;

	g_array_append_vals(found, of, 1);
	g_ptr_array_ref(of->arenas);
}

static void malloc_arenas_clear(void *data)
{
	g_ptr_array_unref(((SptMallocArenas *)data)->arenas);
}

GArray *spt_malloc_arenas(const SptCapture *capture, const SptFilter *filter)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(SptMallocArenas));
	g_autoptr(GArray) events = g_array_new(FALSE, FALSE, sizeof(struct timed_event));
	g_autoptr(SptArenas) arenas = spt_arenas_new();
	struct spt_selection selection;
	const SptDeclared *kind;

	g_array_set_clear_func(found, malloc_arenas_clear);
	spt_selection_init(&selection, capture, filter);
	for (unsigned i = 0; (kind = spt_declared(capture, i)); i++) {
		int mark = spt_arenas_mark(kind->name);

		if (mark >= 0)
			read_events(capture, kind, (unsigned)mark, &selection, events);
	}
	spt_selection_clear(&selection);
	/* Heaps grow and shrink by marks of different kinds. */
	g_array_sort(events, compare_arena_times);
	for (unsigned i = 0; i < events->len; i++)
		spt_arenas_take(arenas, &g_array_index(events, struct timed_event, i).event);
	spt_arenas_each(arenas, malloc_arenas_append, found);
	g_array_sort(found, compare_arenas);
	return found;
}
