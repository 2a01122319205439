/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges are cut once into a flat array, which is searched. */
#include "base/intervals.h"

#include "base/sorted-starts.h"

#define NO_RANGE UINT32_MAX

struct interval {
	uint64_t start;
	uint32_t range;			/* NO_RANGE: a gap */
};

struct SptIntervals {
	struct spt_sorted_starts starts; /* struct interval */
};

/* Where the memory ends, so does a range. */
static uint64_t intervals_end_of(const SptRange *range)
{
	return range->bytes > UINT64_MAX - range->start ? UINT64_MAX : range->start + range->bytes;
}

/*
 * Ends the ranges on @open that end at or before @until.  Each end begins an interval of the range
 * below.
 */
static void close_until(GArray *intervals, const SptRange *ranges, GArray *open, uint64_t until)
{
	while (open->len > 0) {
		uint64_t end =
			intervals_end_of(&ranges[g_array_index(open, uint32_t, open->len - 1)]);
		struct interval interval = { .start = end, .range = NO_RANGE };

		if (end > until)
			return;
		g_array_set_size(open, open->len - 1);
		while (open->len > 0) {
			uint32_t below = g_array_index(open, uint32_t, open->len - 1);

			if (intervals_end_of(&ranges[below]) > end) {
				interval.range = below;
				break;
			}
			g_array_set_size(open, open->len - 1);
		}
		g_array_append_val(intervals, interval);
	}
}

SptIntervals *spt_intervals_new(const SptRange *ranges, uint32_t n)
{
	SptIntervals *intervals = g_new0(SptIntervals, 1);
	GArray *cut = g_array_sized_new(FALSE, FALSE, sizeof(struct interval), n);
	g_autoptr(GArray) open = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint32_t n_cut;

	for (uint32_t i = 0; i < n; i++) {
		struct interval interval = { .start = ranges[i].start, .range = i };

		close_until(cut, ranges, open, interval.start);
		g_array_append_val(cut, interval);
		g_array_append_val(open, i);
	}
	close_until(cut, ranges, open, UINT64_MAX);
	n_cut = cut->len;
	spt_sorted_starts_init(&intervals->starts,
			       g_realloc(g_array_free(cut, FALSE), n_cut * sizeof(struct interval)),
			       sizeof(struct interval), n_cut);
	return intervals;
}

void spt_intervals_free(SptIntervals *intervals)
{
	if (!intervals)
		return;
	spt_sorted_starts_clear(&intervals->starts);
	g_free(intervals);
}

uint32_t spt_intervals_find(const SptIntervals *intervals, uint64_t place)
{
	uint32_t before = spt_sorted_starts_until(&intervals->starts, place);

	return before == 0 ? NO_RANGE :
			     ((const struct interval *)intervals->starts.rows)[before - 1].range;
}

void spt_intervals_gap(const SptIntervals *intervals, uint64_t place, uint64_t *ret_start,
		       uint64_t *ret_end)
{
	const struct interval *rows = intervals->starts.rows;
	uint32_t after = spt_sorted_starts_until(&intervals->starts, place), before = after;

	/* Adjacent gaps become one. */
	while (before > 0 && rows[before - 1].range == NO_RANGE)
		before--;
	while (after < intervals->starts.n && rows[after].range == NO_RANGE)
		after++;
	*ret_start = before < after ? rows[before].start : 0;
	*ret_end = after < intervals->starts.n ? rows[after].start : UINT64_MAX;
}

void spt_intervals_around(const SptIntervals *intervals, uint64_t place, uint64_t *ret_start,
			  uint64_t *ret_end)
{
	const struct interval *rows = intervals->starts.rows;
	uint32_t after = spt_sorted_starts_until(&intervals->starts, place);

	*ret_start = after > 0 ? rows[after - 1].start : 0;
	*ret_end = after < intervals->starts.n ? rows[after].start : UINT64_MAX;
}

void spt_intervals_rename(SptIntervals *intervals, const uint32_t *names)
{
	struct interval *rows = intervals->starts.rows;

	for (uint32_t i = 0; i < intervals->starts.n; i++)
		if (rows[i].range != NO_RANGE)
			rows[i].range = names[rows[i].range];
}
