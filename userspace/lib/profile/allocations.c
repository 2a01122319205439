/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of the capture is a block from its allocation to its free, or one of these ends.  Who wants
 * to know what was not freed, or when most was in use, has to have seen all rows first.
 */
#include "profile/allocations.h"

#include <string.h>

#include "base/words.h"
#include "capture/stream-rows.h"
#include "profile/events.h"
#include "sysprof-event.h"

/* detail: size class, from this bit on that of the lifetime, and the memory's node. */
#define LIFETIME_AT 8
#define NODE_AT	    16
#define NOT_FREED   255u

enum what { ALLOCATED, FREED, FREED_HERE, LIVE, PEAK, TEMPORARY, ALLOCATIONS };

struct cursor {
	enum what what;
	uint32_t whose;			/* of SPT_ALLOCATION_KERNEL: whose rows; 0: programs' */
	SptStreamReader *reader;
	const SptAllocationRow *row;
	uint32_t n_rows;
	GHashTable *closed;		/* handle of an OPEN row -> when its block was freed */
	uint64_t peak_time;
};

/* Names. */

static uint32_t size_class(uint64_t bytes)
{
	return bytes <= 8 ? 0 : (uint32_t)(64 - __builtin_clzll(bytes - 1)) - 3;
}

static uint32_t lifetime_class(uint64_t ns)
{
	uint32_t class = 0;

	for (uint64_t most = 1000; ns >= most && class < 8; most *= 10)
		class++;
	return class;
}

const char *spt_allocation_size_name(uint32_t detail)
{
	static const char *const names[] = {
		"up to 8 bytes",	 "9 to 16 bytes",	"17 to 32 bytes",
		"33 to 64 bytes",	 "65 to 128 bytes",	"129 to 256 bytes",
		"257 to 512 bytes",	 "513 bytes to 1 KiB",	"1 to 2 KiB",
		"2 to 4 KiB",		 "4 to 8 KiB",		"8 to 16 KiB",
		"16 to 32 KiB",		 "32 to 64 KiB",	"64 to 128 KiB",
		"128 to 256 KiB",	 "256 to 512 KiB",	"512 KiB to 1 MiB",
		"1 to 2 MiB",		 "2 to 4 MiB",		"4 to 8 MiB",
		"8 to 16 MiB",		 "16 to 32 MiB",	"32 to 64 MiB",
		"64 to 128 MiB",	 "128 to 256 MiB",	"256 to 512 MiB",
		"512 MiB to 1 GiB",	 "more than 1 GiB",
	};
	uint32_t class = detail & ((1u << LIFETIME_AT) - 1);

	return names[MIN(class, G_N_ELEMENTS(names) - 1)];
}

const char *spt_allocation_lifetime_name(uint32_t detail)
{
	static const char *const names[] = {
		"less than 1 us", "1 to 10 us",	      "10 to 100 us", "100 us to 1 ms",
		"1 to 10 ms",	  "10 to 100 ms",     "100 ms to 1 s", "1 to 10 s",
		"10 s and more",
	};
	uint32_t class = detail >> LIFETIME_AT & 255;

	return class < G_N_ELEMENTS(names) ? names[class] : "not freed";
}

uint32_t spt_allocation_node(uint32_t detail)
{
	return detail >> NODE_AT;
}

static uint32_t detail_of(const SptAllocationRow *row, bool is_freed, uint64_t lifetime_ns)
{
	return size_class(row->bytes) |
	       (is_freed ? lifetime_class(lifetime_ns) : NOT_FREED) << LIFETIME_AT |
	       MIN(row->memory_node, UINT16_MAX) << NODE_AT;
}

/* All rows. */

static void note_closed(struct cursor *cursor, const SptAllocationRow *row)
{
	if (row->flags & SPT_ALLOCATION_CLOSE)
		g_hash_table_insert(cursor->closed, g_memdup2(&row->handle, sizeof(row->handle)),
				    g_memdup2(&row->time, sizeof(row->time)));
}

struct change {
	uint64_t time;
	int64_t weight;
};

static int by_time(gconstpointer a, gconstpointer b)
{
	const struct change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static void add_changes(GArray *changes, const SptAllocationRow *row)
{
	struct change made = { row->time, (int64_t)row->weight };
	struct change freed = { row->time + row->duration_ns, -(int64_t)row->weight };

	if (row->flags & SPT_ALLOCATION_CLOSE)
		freed.time = row->time;
	else
		g_array_append_val(changes, made);
	if (!(row->flags & SPT_ALLOCATION_OPEN))
		g_array_append_val(changes, freed);
}

/* When most was in use; 0: nothing was. */
static uint64_t peak_of(GArray *changes)
{
	uint64_t peak_time = 0;
	int64_t now = 0, most = 0;

	g_array_sort(changes, by_time);
	for (unsigned i = 0; i < changes->len; i++) {
		const struct change *change = &g_array_index(changes, struct change, i);

		now += change->weight;
		if (now <= most)
			continue;
		most = now;
		peak_time = change->time;
	}
	return peak_time;
}

static bool is_whose(const SptAllocationRow *row, uint32_t whose)
{
	return (row->flags & SPT_ALLOCATION_KERNEL) == whose;
}

static uint32_t part_of(uint64_t time, uint64_t begin_ns, uint64_t end_ns, uint32_t n)
{
	double at = time > begin_ns ? (double)(time - begin_ns) / (double)(end_ns - begin_ns) : 0;

	return at < 1 ? (uint32_t)(at * n) : n - 1;
}

void spt_allocations_live(const SptCapture *capture, uint32_t whose, uint64_t begin_ns,
			  uint64_t end_ns, uint32_t n, uint64_t *ret)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(struct change));
	g_autofree int64_t *parts = g_new0(int64_t, n);
	const SptAllocationRow *rows;
	int64_t now = 0;
	uint32_t n_rows;

	end_ns = MAX(end_ns, begin_ns + 1);
	while ((rows = spt_stream_reader_next(reader, &n_rows))) {
		g_array_set_size(changes, 0);
		for (uint32_t i = 0; i < n_rows; i++)
			if (is_whose(&rows[i], whose))
				add_changes(changes, &rows[i]);
		for (unsigned i = 0; i < changes->len; i++) {
			const struct change *change = &g_array_index(changes, struct change, i);

			parts[part_of(change->time, begin_ns, end_ns, n)] += change->weight;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		now += parts[i];
		ret[i] = (uint64_t)MAX(now, 0);
	}
}

static void look_at_all(struct cursor *cursor, const SptCapture *capture)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	g_autoptr(GArray) changes = g_array_new(FALSE, FALSE, sizeof(struct change));
	const SptAllocationRow *rows;
	uint32_t n;

	cursor->closed = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	while ((rows = spt_stream_reader_next(reader, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			if (!is_whose(&rows[i], cursor->whose))
				continue;
			note_closed(cursor, &rows[i]);
			if (cursor->what == PEAK)
				add_changes(changes, &rows[i]);
		}
	}
	cursor->peak_time = peak_of(changes);
}

/* The source. */

static uint32_t source_of(uint32_t whose)
{
	return whose == SPT_ALLOCATION_SLAB   ? SYSPROF_SOURCE_SLAB :
	       whose == SPT_ALLOCATION_PAGE   ? SYSPROF_SOURCE_PAGE :
	       whose == SPT_ALLOCATION_PERCPU ? SYSPROF_SOURCE_PERCPU :
						SYSPROF_SOURCE_VMALLOC;
}

static bool has_rows_of(const SptCapture *capture, enum what what, uint32_t whose)
{
	g_autoptr(SptStreamReader) reader = NULL;
	const SptAllocationRow *rows;
	uint32_t n;

	/* A program's rows may be millions: without that source they need not be looked at. */
	if (whose)
		return spt_events_are_in(capture, source_of(whose));
	if (what == FREED_HERE && !spt_capture_host(capture, "memory_free_stacks"))
		return false;
	reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	while ((rows = spt_stream_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			if (is_whose(&rows[i], whose))
				return true;
	return false;
}

static uint64_t count(const SptCapture *capture)
{
	uint64_t n = 0;

	for (uint32_t i = 1; i < capture->n_streams; i++)
		if (spt_stream_type_of(&capture->streams[i]) == &spt_stream_allocations)
			n = MAX(n, capture->streams[i].rows);
	return n;
}

static gpointer begin(const SptCapture *capture, enum what what, uint32_t whose)
{
	struct cursor *cursor = g_new0(struct cursor, 1);

	cursor->what = what;
	cursor->whose = whose;
	cursor->reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	if (what != FREED && what != FREED_HERE && what != TEMPORARY)
		look_at_all(cursor, capture);
	return cursor;
}

static void end(gpointer data)
{
	struct cursor *cursor = data;

	spt_stream_reader_free(cursor->reader);
	g_clear_pointer(&cursor->closed, g_hash_table_unref);
	g_free(cursor);
}

/*
 * Number of calls that a row represents: a whole number, which is right on average.  What is picked
 * by bytes has a weight that is no multiple of its size.
 */
static uint64_t calls_of(const SptAllocationRow *row)
{
	uint64_t share = (row->time ^ row->handle) * 0x9e3779b97f4a7c15ULL >> 32;

	if (!row->bytes || row->weight == row->bytes)
		return 1;
	return (uint64_t)((double)row->weight / (double)row->bytes + (double)share * 0x1p-32);
}

/* When the block of an allocation's row was freed; 0: it was not. */
static uint64_t free_time(const struct cursor *cursor, const SptAllocationRow *row)
{
	const uint64_t *closed;

	if (!(row->flags & SPT_ALLOCATION_OPEN))
		return row->time + row->duration_ns;
	closed = g_hash_table_lookup(cursor->closed, &row->handle);
	return closed ? *closed : 0;
}

/* Whether the metric has something of the row. */
static bool is_of(const struct cursor *cursor, const SptAllocationRow *row, uint64_t freed)
{
	switch (cursor->what) {
	case FREED:
		return !(row->flags & SPT_ALLOCATION_OPEN);
	case FREED_HERE:
		return row->free_node;
	case TEMPORARY:
		return row->flags & SPT_ALLOCATION_TEMPORARY;
	case LIVE:
		return !(row->flags & SPT_ALLOCATION_CLOSE) && !freed;
	case PEAK:
		return !(row->flags & SPT_ALLOCATION_CLOSE) && row->time <= cursor->peak_time &&
		       (!freed || freed > cursor->peak_time);
	default:
		return !(row->flags & SPT_ALLOCATION_CLOSE);
	}
}

static bool make_row(const struct cursor *cursor, const SptAllocationRow *row, SptWeightRow *ret)
{
	bool is_close = row->flags & SPT_ALLOCATION_CLOSE;
	bool is_free = cursor->what == FREED || cursor->what == FREED_HERE;
	uint64_t freed = cursor->closed ? free_time(cursor, row) :
					  row->time + (is_close ? 0 : row->duration_ns);
	uint64_t lifetime_ns = is_close ? row->duration_ns : freed - row->time;

	if (!is_of(cursor, row, freed))
		return false;
	*ret = (SptWeightRow){
		.time = is_free ? freed : row->time,
		.weight = cursor->what == ALLOCATIONS ? calls_of(row) : row->weight,
		.thread = row->thread,
		.node = cursor->what == FREED_HERE ? row->free_node : row->node,
		.detail = detail_of(row, freed, lifetime_ns),
	};
	return true;
}

static uint32_t next(gpointer data, SptWeightRow *rows)
{
	struct cursor *cursor = data;
	uint32_t n = 0;

	while (n < SPT_WEIGHTS_BATCH) {
		if (!cursor->n_rows)
			cursor->row = spt_stream_reader_next(cursor->reader, &cursor->n_rows);
		if (!cursor->n_rows)
			break;
		if (is_whose(cursor->row, cursor->whose))
			n += make_row(cursor, cursor->row, &rows[n]);
		cursor->row++;
		cursor->n_rows--;
	}
	return n;
}

#define SOURCE(name, what, whose)                                            \
	static bool has_##name(const SptCapture *capture)                    \
	{                                                                    \
		return has_rows_of(capture, what, whose);                    \
	}                                                                    \
	static gpointer begin_##name(const SptCapture *capture)              \
	{                                                                    \
		return begin(capture, what, whose);                          \
	}                                                                    \
	const SptWeightSource spt_weights_##name = {                         \
		.is_in = has_##name,                                         \
		.count = count,                                              \
		.begin = begin_##name,                                       \
		.next = next,                                                \
		.end = end,                                                  \
	}

SOURCE(allocated, ALLOCATED, 0);
SOURCE(freed, FREED, 0);
SOURCE(freed_here, FREED_HERE, 0);
SOURCE(live, LIVE, 0);
SOURCE(peak, PEAK, 0);
SOURCE(temporary, TEMPORARY, 0);
SOURCE(allocations, ALLOCATIONS, 0);
SOURCE(kmem, ALLOCATED, SPT_ALLOCATION_SLAB);
SOURCE(kmem_live, LIVE, SPT_ALLOCATION_SLAB);
SOURCE(pages, ALLOCATED, SPT_ALLOCATION_PAGE);
SOURCE(pages_live, LIVE, SPT_ALLOCATION_PAGE);
SOURCE(percpu, ALLOCATED, SPT_ALLOCATION_PERCPU);
SOURCE(percpu_live, LIVE, SPT_ALLOCATION_PERCPU);
SOURCE(vmalloc, ALLOCATED, SPT_ALLOCATION_AREA);
SOURCE(vmalloc_live, LIVE, SPT_ALLOCATION_AREA);
