/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A row of the capture is a block from its allocation to its free, or one of these ends.  Finding
 * blocks that were not freed, or the time of the largest use, takes all rows.
 */
#include "profile/allocations.h"

#include <string.h>

#include "base/sort.h"
#include "base/words.h"
#include "capture/stream-rows.h"
#include "profile/events.h"
#include "sysprof-event.h"

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

/* What takes all rows to know. */
struct all {
	GHashTable *closed;		/* handle of an OPEN row -> when its block was freed */
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
	if (row->flags & SPT_ALLOCATION_CLOSE)
		g_hash_table_insert(all->closed, g_memdup2(&row->handle, sizeof(row->handle)),
				    g_memdup2(&row->time, sizeof(row->time)));
}

/* A row, as far as the peak needs it. */
struct block {
	uint64_t made;			/* UINT64_MAX: another row has that */
	uint64_t freed;			/* or, of those that are open, the handle */
	int64_t weight;
	uint64_t bytes;
	uint32_t thread, node;
};

struct change {
	uint64_t time;
	int64_t weight;
};

/* A peak is right before a block is freed, or at the end. */
struct use {
	GArray *freed, *open;		/* struct block: rows that free one, and the others */
};

static void add_use(struct use *use, const SptAllocationRow *row)
{
	bool is_close = row->flags & SPT_ALLOCATION_CLOSE,
	     is_open = row->flags & SPT_ALLOCATION_OPEN;
	struct block block = {
		.made = is_close ? UINT64_MAX : row->time,
		.freed = is_open  ? row->handle :
			 is_close ? row->time :
				    row->time + row->duration_ns,
		.weight = (int64_t)row->weight,
		.bytes = row->bytes,
		.thread = row->thread,
		.node = row->node,
	};

	g_array_append_val(is_open ? use->open : use->freed, block);
}

/* They come nearly in that order. */
static void sort_freed(GArray *freed)
{
	struct block *all = (struct block *)freed->data, *sorted;
	struct spt_item *items, *spare;
	uint32_t n = freed->len, i = 1;

	while (i < n && all[i - 1].freed <= all[i].freed)
		i++;
	if (i >= n)
		return;
	items = g_new(struct spt_item, n);
	spare = g_new(struct spt_item, n);
	sorted = g_new(struct block, n);
	for (i = 0; i < n; i++)
		items[i] = (struct spt_item){ all[i].freed, i };
	spt_sort_items(&items, &spare, n);
	for (i = 0; i < n; i++)
		sorted[i] = all[items[i].index];
	memcpy(all, sorted, n * sizeof(*all));
	g_free(items);
	g_free(spare);
	g_free(sorted);
}

/*
 * The first of @n that was freed after @time: what is freed at a time goes before what is allocated
 * then.  It is not behind @near, and mostly close to it.
 */
static uint32_t freed_after(const struct block *all, uint32_t near, uint64_t time)
{
	uint32_t high = near, step = 1, low;

	while (high >= step && all[high - step].freed > time) {
		high -= step;
		step *= 2;
	}
	low = high >= step ? high - step + 1 : 0;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (all[middle].freed > time)
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

/* What was allocated between two frees, and when last. */
struct gap {
	int64_t made;
	uint64_t last;
};

static void add_to_gap(struct gap *gap, uint64_t time, int64_t weight)
{
	gap->made += weight;
	if (weight)
		gap->last = MAX(gap->last, time);
}

/* The time of the largest use, and its size; 0: nothing was in use. */
static uint64_t peak_of(const struct use *use, uint64_t *ret_most)
{
	const struct block *freed = (const struct block *)use->freed->data;
	const struct block *open = (const struct block *)use->open->data;
	uint32_t n = use->freed->len;
	g_autofree struct gap *gaps = g_new0(struct gap, (size_t)n + 1);
	uint64_t peak_time = 0;
	int64_t now = 0, most = 0;

	sort_freed(use->freed);
	for (uint32_t i = 0; i < n; i++) {
		/* One that was freed at once is behind all that were freed then. */
		uint32_t near = freed[i].made == freed[i].freed ? n : i;

		if (freed[i].made != UINT64_MAX)
			add_to_gap(&gaps[freed_after(freed, near, freed[i].made)], freed[i].made,
				   freed[i].weight);
	}
	for (uint32_t i = 0; i < use->open->len; i++)
		add_to_gap(&gaps[freed_after(freed, n, open[i].made)], open[i].made,
			   open[i].weight);
	for (uint32_t i = 0; i <= n; i++) {
		now += gaps[i].made;
		if (now > most) {
			most = now;
			peak_time = gaps[i].last;
		}
		now -= i < n ? freed[i].weight : 0;
	}
	*ret_most = (uint64_t)most;
	return peak_time;
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

static bool is_whose(const SptAllocationRow *row, uint32_t whose)
{
	return (row->flags & (SPT_ALLOCATION_KERNEL | SPT_ALLOCATION_MAPPING)) == whose;
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

	g_hash_table_unref(all->closed);
	g_array_unref(all->peak);
	g_free(all);
}

static void add_to_peak(struct all *all, const struct block *block, uint64_t freed)
{
	SptWeightRow row = { .time = block->made,
			     .weight = (uint64_t)block->weight,
			     .thread = block->thread,
			     .node = block->node,
			     .detail = detail_of(block->bytes, 0, freed, freed - block->made) };

	if (block->made <= all->sums.most_time && (!freed || freed > all->sums.most_time))
		g_array_append_val(all->peak, row);
}

static void find_peak(struct all *all, const struct use *use)
{
	all->sums.most_time = peak_of(use, &all->sums.most);
	for (uint32_t i = 0; i < use->freed->len; i++) {
		const struct block *block = &g_array_index(use->freed, struct block, i);

		if (block->freed > all->sums.most_time)
			add_to_peak(all, block, block->freed);
	}
	for (uint32_t i = 0; i < use->open->len; i++) {
		const struct block *block = &g_array_index(use->open, struct block, i);
		const uint64_t *closed = g_hash_table_lookup(all->closed, &block->freed);

		add_to_peak(all, block, closed ? *closed : 0);
	}
}

static gpointer make_all(const SptCapture *capture, gpointer key)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	uint32_t whose = GPOINTER_TO_UINT(key) - 1;
	bool is_kernel = whose & SPT_ALLOCATION_KERNEL;
	struct use use = {
		g_array_sized_new(FALSE, FALSE, sizeof(struct block),
				  is_kernel ? 0 : (unsigned)MIN(count(capture), G_MAXINT32)),
		g_array_new(FALSE, FALSE, sizeof(struct block)),
	};
	struct all *all = g_new0(struct all, 1);
	const SptAllocationRow *rows;
	uint32_t n;

	all->is_empty = true;
	all->peak = g_array_new(FALSE, FALSE, sizeof(SptWeightRow));
	all->closed = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	while ((rows = spt_stream_reader_next(reader, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			if (!is_whose(&rows[i], whose))
				continue;
			all->is_empty = false;
			note_closed(all, &rows[i]);
			/* The rest is not known of the kernel. */
			if (is_kernel)
				continue;
			add_sums(&all->sums, &rows[i]);
			add_use(&use, &rows[i]);
		}
	}
	all->sums.live = all->sums.bytes - MIN(all->sums.freed, all->sums.bytes);
	find_peak(all, &use);
	g_array_unref(use.freed);
	g_array_unref(use.open);
	return all;
}

static const struct all *look_at_all(const SptCapture *capture, uint32_t whose)
{
	return spt_capture_keep(capture, GUINT_TO_POINTER(whose + 1), make_all, all_free);
}

/* The source. */

static uint32_t source_of(uint32_t whose)
{
	return whose == SPT_ALLOCATION_SLAB   ? SYSPROF_SOURCE_SLAB :
	       whose == SPT_ALLOCATION_PAGE   ? SYSPROF_SOURCE_PAGE :
	       whose == SPT_ALLOCATION_PERCPU ? SYSPROF_SOURCE_PERCPU :
						SYSPROF_SOURCE_VMALLOC;
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
		return spt_events_are_in(capture, source_of(whose));
	if ((what == FREED_HERE && !spt_capture_host(capture, "memory_free_stacks")) ||
	    (what == TEMPORARY && !knows_temporary(capture)))
		return false;
	reader = spt_stream_reader_new(capture, SPT_ROW_ALLOCATION);
	while ((rows = spt_stream_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++)
			if (is_whose(&rows[i], whose))
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
	const uint64_t *closed;

	if (!(row->flags & SPT_ALLOCATION_OPEN))
		return row->time + row->duration_ns;
	closed = g_hash_table_lookup(cursor->all->closed, &row->handle);
	return closed ? *closed : 0;
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
SOURCE(mapped, ALLOCATED, SPT_ALLOCATION_MAPPING);
SOURCE(mapped_live, LIVE, SPT_ALLOCATION_MAPPING);
SOURCE(mapped_peak, PEAK, SPT_ALLOCATION_MAPPING);
