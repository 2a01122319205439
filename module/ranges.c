// SPDX-License-Identifier: GPL-2.0-only
/* One copy of an address space's index: a sorted array, edited while nobody reads it. */
#include <linux/mm.h>
#include <linux/string.h>

#include "ranges.h"

void sysprof_ranges_insert(struct ranges *ranges, u32 at, const struct code_range *range)
{
	memmove(&ranges->range[at + 1], &ranges->range[at], (ranges->n - at) * sizeof(*range));
	ranges->range[at] = *range;
	ranges->n++;
}

static void shrink(struct code_range *range, u64 start, u64 end)
{
	range->start = start;
	range->end = end;
	if (range->counted)
		range->counted = (end - start) >> PAGE_SHIFT;
}

void sysprof_ranges_replace(struct ranges *ranges, u64 start, u64 end, const struct code_range *new)
{
	u32 at = sysprof_ranges_first_behind(ranges, start), last;
	struct code_range left;

	if (at < ranges->n && ranges->range[at].start < start) {
		left = ranges->range[at];
		shrink(&left, left.start, start);
		/* Where it goes on behind the end, it becomes two. */
		if (ranges->range[at].end > end)
			sysprof_ranges_insert(ranges, at, &left);
		else
			ranges->range[at] = left;
		at++;
	}
	for (last = at; last < ranges->n && ranges->range[last].end <= end; last++)
		;
	if (last < ranges->n && ranges->range[last].start < end)
		shrink(&ranges->range[last], end, ranges->range[last].end);
	memmove(&ranges->range[at], &ranges->range[last], (ranges->n - last) * sizeof(*new));
	ranges->n -= last - at;
	if (new)
		sysprof_ranges_insert(ranges, at, new);
}

u64 sysprof_ranges_count(const struct ranges *ranges)
{
	u64 pages = 0;
	u32 i;

	for (i = 0; i < ranges->n; i++)
		pages += ranges->range[i].counted;
	return pages;
}
