// SPDX-License-Identifier: GPL-2.0-only
/* One copy of an address space's index: a sorted array, edited while no reader uses it. */
#include <linux/mm.h>
#include <linux/string.h>

#include "ranges.h"
#include "sysprof.h"

void sysprof_ranges_insert(struct ranges *ranges, u32 at, const struct code_range *range)
{
	memmove(&ranges->range[at + 1], &ranges->range[at], (ranges->n - at) * sizeof(*range));
	ranges->range[at] = *range;
	ranges->counted += range->counted;
	if (range->base)
		WRITE_ONCE(ranges->objects,
			   ranges->objects | sysprof_ranges_bit((range->start + range->base) >>
								SYSPROF_FRAME_OBJECT_SHIFT));
	ranges->n++;
}

static void remove(struct ranges *ranges, u32 at, u32 end)
{
	u32 i;

	for (i = at; i < end; i++)
		ranges->counted -= ranges->range[i].counted;
	memmove(&ranges->range[at], &ranges->range[end],
		(ranges->n - end) * sizeof(ranges->range[0]));
	ranges->n -= end - at;
}

static void shrink(struct ranges *ranges, u32 at, u64 start, u64 end)
{
	struct code_range *range = &ranges->range[at];

	range->start = start;
	range->end = end;
	if (!range->counted)
		return;
	ranges->counted -= range->counted;
	range->counted = (end - start) >> PAGE_SHIFT;
	ranges->counted += range->counted;
}

void sysprof_ranges_replace(struct ranges *ranges, u64 start, u64 end, const struct code_range *new)
{
	u32 at = sysprof_ranges_first_behind(ranges, start), last;

	if (at < ranges->n && ranges->range[at].start < start) {
		/* A range that continues behind the end is split in two. */
		if (ranges->range[at].end > end)
			sysprof_ranges_insert(ranges, at, &ranges->range[at]);
		shrink(ranges, at, ranges->range[at].start, start);
		at++;
	}
	for (last = at; last < ranges->n && ranges->range[last].end <= end; last++)
		;
	if (last < ranges->n && ranges->range[last].start < end)
		shrink(ranges, last, end, ranges->range[last].end);
	remove(ranges, at, last);
	if (new)
		sysprof_ranges_insert(ranges, at, new);
}

void sysprof_ranges_copy(struct ranges *to, const struct ranges *from)
{
	memcpy(to->range, from->range, from->n * sizeof(from->range[0]));
	to->counted = from->counted;
	WRITE_ONCE(to->objects, from->objects);
	to->stamp = from->stamp;
	WRITE_ONCE(to->n, from->n);
}

void sysprof_ranges_clear(struct ranges *ranges)
{
	WRITE_ONCE(ranges->n, 0);
	ranges->counted = 0;
	WRITE_ONCE(ranges->objects, 0);
	ranges->stamp = 0;
}
