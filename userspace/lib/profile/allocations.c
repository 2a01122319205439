/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of the capture is a block from its allocation to its free, or one of these ends.  Finding
 * blocks that were not freed, or the time of the largest use, takes all rows.
 */
#include "profile/allocations.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "capture/stream-rows.h"
#include "events/facts.h"
#include "profile/events.h"
#include "profile/peak.h"

/* detail: size class, from this bit on the class of the lifetime, and the memory's node. */
#define LIFETIME_AT 8
#define NODE_AT	    16
#define NOT_FREED   255u

enum what { ALLOCATED, FREED, FREED_HERE, LIVE, PEAK, TEMPORARY, ALLOCATIONS };

struct cursor {
	enum what what;
	uint32_t whose; /* one of SPT_ALLOCATION_KERNEL, or MAPPING; 0: malloc() and the like */
	SptStreamReader *reader;
	const SptAllocationRow *row;
	uint32_t n_rows;		/* left; of a peak, the number that was taken */
	const struct all *all;		/* NULL: not needed */
};

/* When the block of an OPEN row was freed. */
struct closed {
	uint64_t handle, time;
};

/* What takes all rows to know. */
struct all {
	GArray *closed;			/* struct closed, by handle */
	bool is_empty;
	SptAllocationSums sums;
	GArray *peak;			/* SptWeightRow: what was in use when that was most */
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
		SPT_WORDS("up to 8 bytes"),
		SPT_WORDS("9 to 16 bytes"),
		SPT_WORDS("17 to 32 bytes"),
		SPT_WORDS("33 to 64 bytes"),
		SPT_WORDS("65 to 128 bytes"),
		SPT_WORDS("129 to 256 bytes"),
		SPT_WORDS("257 to 512 bytes"),
		SPT_WORDS("513 bytes to 1 KiB"),
		SPT_WORDS("1 to 2 KiB"),
		SPT_WORDS("2 to 4 KiB"),
		SPT_WORDS("4 to 8 KiB"),
		SPT_WORDS("8 to 16 KiB"),
		SPT_WORDS("16 to 32 KiB"),
		SPT_WORDS("32 to 64 KiB"),
		SPT_WORDS("64 to 128 KiB"),
		SPT_WORDS("128 to 256 KiB"),
		SPT_WORDS("256 to 512 KiB"),
		SPT_WORDS("512 KiB to 1 MiB"),
		SPT_WORDS("1 to 2 MiB"),
		SPT_WORDS("2 to 4 MiB"),
		SPT_WORDS("4 to 8 MiB"),
		SPT_WORDS("8 to 16 MiB"),
		SPT_WORDS("16 to 32 MiB"),
		SPT_WORDS("32 to 64 MiB"),
		SPT_WORDS("64 to 128 MiB"),
		SPT_WORDS("128 to 256 MiB"),
		SPT_WORDS("256 to 512 MiB"),
		SPT_WORDS("512 MiB to 1 GiB"),
		SPT_WORDS("more than 1 GiB"),
	};
	uint32_t class = detail & ((1u << LIFETIME_AT) - 1);

	return names[MIN(class, G_N_ELEMENTS(names) - 1)];
}

const char *spt_allocation_lifetime_name(uint32_t detail)
{
	static const char *const names[] = {
		SPT_WORDS("less than 1 us"),
		SPT_WORDS("1 to 10 us"),
		SPT_WORDS("10 to 100 us"),
		SPT_WORDS("100 us to 1 ms"),
		SPT_WORDS("1 to 10 ms"),
		SPT_WORDS("10 to 100 ms"),
		SPT_WORDS("100 ms to 1 s"),
		SPT_WORDS("1 to 10 s"),
		SPT_WORDS("10 s and more"),
	};
	uint32_t class = detail >> LIFETIME_AT & 255;

	return class < G_N_ELEMENTS(names) ? names[class] : SPT_WORDS("not freed");
}

uint32_t spt_allocation_node(uint32_t detail)
{
	return detail >> NODE_AT;
}

static uint32_t detail_of(uint64_t bytes, uint32_t memory_node, bool is_freed, uint64_t lifetime_ns)
{
	return size_class(bytes) |
	       (is_freed ? lifetime_class(lifetime_ns) : NOT_FREED) << LIFETIME_AT |
	       MIN(memory_node, UINT16_MAX) << NODE_AT;
}

/* All rows. */

static void note_closed(struct all *all, const SptAllocationRow *row)
{
	const struct closed closed = { row->handle, row->time };

	if (row->flags & SPT_ALLOCATION_CLOSE)
		g_array_append_val(all->closed, closed);
}

struct change {
	uint64_t time;
	int64_t weight;
};

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
			if (spt_allocation_is_whose(&rows[i], whose))
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

/*
 * Number of calls that a row represents: a whole number, which is right on average.  Rows that are
 * picked by bytes have a weight that is no multiple of their size.
 */
static uint64_t calls_of(const SptAllocationRow *row)
{
	uint64_t share = (row->time ^ row->handle) * 0x9e3779b97f4a7c15ULL >> 32;

	if (!row->bytes || row->weight == row->bytes)
		return 1;
	return (uint64_t)((double)row->weight / (double)row->bytes + (double)share * 0x1p-32);
}

static void add_sums(SptAllocationSums *sums, const SptAllocationRow *row)
{
	if (!(row->flags & SPT_ALLOCATION_CLOSE)) {
		sums->bytes += row->weight;
		sums->calls += calls_of(row);
	}
	if (!(row->flags & SPT_ALLOCATION_OPEN))
		sums->freed += row->weight;
	if (row->flags & SPT_ALLOCATION_TEMPORARY)
		sums->temporary += row->weight;
}

static uint64_t count(const SptCapture *capture)
{
	uint64_t n = 0;

	for (uint32_t i = 1; i < capture->n_streams; i++)
		if (spt_stream_type_of(&capture->streams[i]) == &spt_stream_allocations)
			n = MAX(n, capture->streams[i].rows);
	return n;
}

static void all_free(gpointer data)
{
	struct all *all = data;

	g_array_unref(all->closed);
	g_array_unref(all->peak);
	g_free(all);
}

/* When the block of an OPEN row was freed; 0: it was not. */
static uint64_t closed_at(const struct all *all, uint64_t handle)
{
	const struct closed *closed = (const struct closed *)all->closed->data;
	uint32_t low = 0, high = all->closed->len;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (closed[middle].handle <= handle)
			low = middle + 1;
		else
			high = middle;
	}
	return low && closed[low - 1].handle == handle ? closed[low - 1].time : 0;
}

static int by_handle(const void *a, const void *b)
{
	const struct closed *x = a, *y = b;

	if (x->handle != y->handle)
		return x->handle < y->handle ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* What was in use at the peak. */
static void add_to_peak(struct all *all, const SptAllocationRow *row)
{
	bool is_open = row->flags & SPT_ALLOCATION_OPEN;
	uint64_t freed = is_open ? closed_at(all, row->handle) : row->time + row->duration_ns;
	SptWeightRow taken = { .time = row->time,
			       .weight = row->weight,
			       .thread = row->thread,
			       .node = row->node,
			       .detail = detail_of(row->bytes, 0, freed, freed - row->time) };

	if (!(row->flags & SPT_ALLOCATION_CLOSE) && row->time <= all->sums.most_time &&
	    (!freed || freed > all->sums.most_time))
		g_array_append_val(all->peak, taken);
}

static void read_peak(struct all *all, const SptCapture *capture, uint32_t whose)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	const SptAllocationRow *rows;
	uint32_t n;

	while (all->sums.most_time && (rows = spt_stream_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			if (spt_allocation_is_whose(&rows[i], whose))
				add_to_peak(all, &rows[i]);
}

static gpointer make_all(const SptCapture *capture, gpointer key)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	g_autoptr(SptPeak) peak = NULL;
	uint32_t whose = GPOINTER_TO_UINT(key) - 1;
	bool is_kernel = whose & SPT_ALLOCATION_KERNEL;
	struct all *all = g_new0(struct all, 1);
	const SptAllocationRow *rows;
	uint32_t n;

	all->is_empty = true;
	all->peak = g_array_new(FALSE, FALSE, sizeof(SptWeightRow));
	all->closed = g_array_new(FALSE, FALSE, sizeof(struct closed));
	while ((rows = spt_stream_reader_next(reader, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			if (!spt_allocation_is_whose(&rows[i], whose))
				continue;
			all->is_empty = false;
			note_closed(all, &rows[i]);
			/* The rest is not known of the kernel. */
			if (is_kernel)
				continue;
			add_sums(&all->sums, &rows[i]);
			/* It takes some megabytes, and most recordings have no allocations. */
			if (!peak)
				peak = spt_peak_new();
			spt_peak_add(peak, &rows[i]);
		}
	}
	if (all->closed->len)
		qsort(all->closed->data, all->closed->len, sizeof(struct closed), by_handle);
	all->sums.live = all->sums.bytes - MIN(all->sums.freed, all->sums.bytes);
	if (peak)
		all->sums.most_time = spt_peak_find(peak, capture, whose, &all->sums.most);
	read_peak(all, capture, whose);
	return all;
}

static const struct all *look_at_all(const SptCapture *capture, uint32_t whose)
{
	return spt_capture_keep(capture, GUINT_TO_POINTER(whose + 1), make_all, all_free);
}

/* The source. */

static const SptEventKind *kind_of(uint32_t whose)
{
	return whose == SPT_ALLOCATION_SLAB   ? &spt_event_slab :
	       whose == SPT_ALLOCATION_PAGE   ? &spt_event_pages :
	       whose == SPT_ALLOCATION_PERCPU ? &spt_event_percpu :
						&spt_event_vmalloc;
}

/*
 * Temporary is what was freed before its thread allocated again, which is not known of a thread of
 * which only some allocations were picked.  Merged recordings have the sizes of all.
 */
static bool knows_temporary(const SptCapture *capture)
{
	const char *mean = spt_capture_host(capture, "memory_mean_bytes");

	return !mean || !mean[strspn(mean, "0, ")];
}

static bool has_rows_of(const SptCapture *capture, enum what what, uint32_t whose)
{
	g_autoptr(SptStreamReader) reader = NULL;
	const SptAllocationRow *rows;
	uint32_t n;

	if (whose == SPT_ALLOCATION_MAPPING)
		return spt_capture_host(capture, "memory_mappings");
	/* A program may have millions of rows: without that source they are skipped. */
	if (whose)
		return spt_events_are_in(capture, kind_of(whose));
	if ((what == FREED_HERE && !spt_capture_host(capture, "memory_free_stacks")) ||
	    (what == TEMPORARY && !knows_temporary(capture)))
		return false;
	reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	while ((rows = spt_stream_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			if (spt_allocation_is_whose(&rows[i], whose))
				return true;
	return false;
}

static gpointer begin(const SptCapture *capture, enum what what, uint32_t whose)
{
	struct cursor *cursor = g_new0(struct cursor, 1);

	cursor->what = what;
	cursor->whose = whose;
	cursor->reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	if (what != FREED && what != FREED_HERE && what != TEMPORARY)
		cursor->all = look_at_all(capture, whose);
	return cursor;
}

static void end(gpointer data)
{
	struct cursor *cursor = data;

	spt_stream_reader_free(cursor->reader);
	g_free(cursor);
}

/* Time at which the block of an allocation's row was freed; 0: it was not. */
static uint64_t free_time(const struct cursor *cursor, const SptAllocationRow *row)
{
	if (!(row->flags & SPT_ALLOCATION_OPEN))
		return row->time + row->duration_ns;
	return closed_at(cursor->all, row->handle);
}

bool spt_allocation_sums(const SptCapture *capture, SptAllocationSums *ret)
{
	const struct all *all = look_at_all(capture, 0);

	*ret = all->sums;
	ret->has_temporary = knows_temporary(capture);
	return !all->is_empty;
}

/* Whether the row has a part in the metric. */
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
	default:
		return !(row->flags & SPT_ALLOCATION_CLOSE);
	}
}

static bool make_row(const struct cursor *cursor, const SptAllocationRow *row, SptWeightRow *ret)
{
	bool is_close = row->flags & SPT_ALLOCATION_CLOSE;
	bool is_free = cursor->what == FREED || cursor->what == FREED_HERE;
	uint64_t freed = cursor->all ? free_time(cursor, row) :
					  row->time + (is_close ? 0 : row->duration_ns);
	uint64_t lifetime_ns = is_close ? row->duration_ns : freed - row->time;

	if (!is_of(cursor, row, freed))
		return false;
	*ret = (SptWeightRow){
		.time = is_free ? freed : row->time,
		.weight = cursor->what == ALLOCATIONS ? calls_of(row) : row->weight,
		.thread = row->thread,
		.node = cursor->what == FREED_HERE ? row->free_node : row->node,
		.detail = detail_of(row->bytes, row->memory_node, freed, lifetime_ns),
	};
	return true;
}

static uint32_t next_of_peak(struct cursor *cursor, SptWeightRow *rows)
{
	const GArray *peak = cursor->all->peak;
	uint32_t n = MIN(peak->len - cursor->n_rows, SPT_WEIGHTS_BATCH);

	if (n)
		memcpy(rows, &g_array_index(peak, SptWeightRow, cursor->n_rows),
		       n * sizeof(*rows));
	cursor->n_rows += n;
	return n;
}

static uint32_t next(gpointer data, SptWeightRow *rows)
{
	struct cursor *cursor = data;
	uint32_t n = 0;

	if (cursor->what == PEAK)
		return next_of_peak(cursor, rows);
	while (n < SPT_WEIGHTS_BATCH) {
		if (!cursor->n_rows)
			cursor->row = spt_stream_reader_next(cursor->reader, &cursor->n_rows);
		if (!cursor->n_rows)
			break;
		if (spt_allocation_is_whose(cursor->row, cursor->whose))
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
SOURCE(mapped, ALLOCATED, SPT_ALLOCATION_MAPPING);
SOURCE(mapped_live, LIVE, SPT_ALLOCATION_MAPPING);
SOURCE(mapped_peak, PEAK, SPT_ALLOCATION_MAPPING);
