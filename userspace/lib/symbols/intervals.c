/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cut once, a flat array that one binary search answers from. */
#include "symbols/intervals.h"

#define NO_RANGE UINT32_MAX

struct interval {
	uint64_t start;
	uint32_t range;			/* NO_RANGE: a gap */
};

/* Where the memory ends, so does a range. */
static uint64_t end_of(const SptRange *range)
{
	return range->bytes > UINT64_MAX - range->start ? UINT64_MAX : range->start + range->bytes;
}

/* Ends the ranges on @open that end at or before @until, each end beginning an interval of the one below it. */
static void close_until(GArray *intervals, const SptRange *ranges, GArray *open, uint64_t until)
{
	while (open->len > 0) {
		uint64_t end = end_of(&ranges[g_array_index(open, uint32_t, open->len - 1)]);
		struct interval interval = { .start = end, .range = NO_RANGE };

		if (end > until)
			return;
		g_array_set_size(open, open->len - 1);
		while (open->len > 0) {
			uint32_t below = g_array_index(open, uint32_t, open->len - 1);

			if (end_of(&ranges[below]) > end) {
				interval.range = below;
				break;
			}
			g_array_set_size(open, open->len - 1);
		}
		g_array_append_val(intervals, interval);
	}
}

GArray *spt_intervals_new(const SptRange *ranges, uint32_t n)
{
	GArray *intervals = g_array_sized_new(FALSE, FALSE, sizeof(struct interval), n);
	g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = 0; i < n; i++) {
		struct interval interval = { .start = ranges[i].start, .range = i };

		close_until(intervals, ranges, open, interval.start);
		g_array_append_val(intervals, interval);
		g_array_append_val(open, i);
	}
	close_until(intervals, ranges, open, UINT64_MAX);
	return intervals;
}

uint32_t spt_intervals_find(const GArray *array, uint64_t place)
{
	const struct interval *intervals = (const struct interval *)array->data;
	unsigned low = 0, high = array->len;

	/* The last interval that begins at or before the place is intervals[low - 1]. */
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (intervals[middle].start <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 ? NO_RANGE : intervals[low - 1].range;
}
