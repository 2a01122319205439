/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plays the rows to an address space; mappings that it loses have ended. */
#include "capture/maps.h"

#include <stdlib.h>

#include "capture/format.h"

struct SptMapIndex {
	const SptCapture *capture;
	const SptMapRow **rows;		/* by process, then time, then offset in the file */
};

static int maps_compare_rows(const void *a, const void *b)
{
	const SptMapRow *x = *(const SptMapRow *const *)a, *y = *(const SptMapRow *const *)b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x < y ? -1 : x > y;
}

SptMapIndex *spt_map_index_new(const SptCapture *capture)
{
	SptMapIndex *index = g_new0(SptMapIndex, 1);

	index->capture = capture;
	index->rows = g_new(const SptMapRow *, MAX(capture->n_maps, 1));
	for (uint64_t i = 0; i < capture->n_maps; i++)
		index->rows[i] = &capture->maps[i];
	qsort(index->rows, capture->n_maps, sizeof(*index->rows), maps_compare_rows);
	return index;
}

void spt_map_index_free(SptMapIndex *index)
{
	if (!index)
		return;
	g_free(index->rows);
	g_free(index);
}

/* The index of the first row of @process, or where it would be. */
static uint64_t first_row(const SptMapIndex *index, uint32_t process)
{
	uint64_t low = 0, high = index->capture->n_maps;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (index->rows[middle]->process < process)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void on_gone(uint64_t process, const SptMap *part, uint64_t time, bool is_replaced,
		    void *spans)
{
	(void)process;
	g_array_append_val(spans, ((SptMapSpan){ *part, time, !is_replaced }));
}

static int compare_spans(const void *a, const void *b)
{
	const SptMap *x = &((const SptMapSpan *)a)->map, *y = &((const SptMapSpan *)b)->map;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->start < y->start ? -1 : x->start > y->start;
}

static void play(SptSpaces *spaces, const SptMapRow *row)
{
	SptMap map = {
		.start = row->start,
		.end = row->start + row->bytes,
		.offset = row->offset,
		.object = row->object,
		.is_seen = row->how == SPT_MAP_SEEN,
	};

	if (row->how == SPT_MAP_GONE)
		spt_spaces_unmap(spaces, row->process, row->time, map.start, map.end);
	else
		spt_spaces_map(spaces, row->process, row->time, &map, false);
}

/* Whether row @at belongs to the process, before its @end (0: not seen). */
static bool maps_is_of(const SptMapIndex *index, uint64_t at, uint32_t process, uint64_t end)
{
	return at < index->capture->n_maps && index->rows[at]->process == process &&
	       (!end || index->rows[at]->time <= end);
}

GArray *spt_map_index_spans(const SptMapIndex *index, uint32_t process, bool *ret_is_cut)
{
	GArray *spans = g_array_new(FALSE, FALSE, sizeof(SptMapSpan));
	g_autoptr(SptSpaces) spaces = spt_spaces_new();
	uint64_t end = index->capture->processes[process].end_time;
	uint64_t at = first_row(index, process);
	const SptSpace *space;
	const SptMap *left = NULL;
	unsigned n = 0;

	spt_spaces_listen(spaces, &(SptSpacesListener){ .gone = on_gone, .data = spans });
	for (; n < SPT_MOST_MAPS && maps_is_of(index, at, process, end); n++)
		play(spaces, index->rows[at++]);
	*ret_is_cut = maps_is_of(index, at, process, end);
	n = 0;
	space = spt_spaces_get(spaces, process);
	if (space)
		left = spt_space_maps(space, &n);
	for (unsigned i = 0; i < n; i++)
		g_array_append_val(spans, ((SptMapSpan){ left[i], end ? end : UINT64_MAX, end }));
	g_array_sort(spans, compare_spans);
	return spans;
}
