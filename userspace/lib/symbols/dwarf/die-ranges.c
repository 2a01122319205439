/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collected, sorted and cut into intervals once. */
#include "symbols/dwarf/die-ranges.h"

#include "base/sort.h"

/* Far more than LLVM has; a damaged file can refer to one list again and again. */
#define RANGES_MAX (1u << 24)

struct die_range {
	uint64_t start, end;
	uint32_t owner;
};

bool spt_die_ranges_add_span(struct spt_die_ranges *ranges, uint64_t start, uint64_t end,
			     uint32_t number)
{
	struct die_range range = { start, end, number };

	if (!ranges->ranges)
		ranges->ranges = g_array_new(FALSE, FALSE, sizeof(struct die_range));
	if (start >= end || ranges->ranges->len >= RANGES_MAX)
		return false;
	g_array_append_val(ranges->ranges, range);
	return true;
}

bool spt_die_ranges_add(struct spt_die_ranges *ranges, Dwarf_Die *die, uint32_t number)
{
	Dwarf_Addr base, start, end;
	bool any = false;
	ptrdiff_t at = 0;

	while ((!ranges->ranges || ranges->ranges->len < RANGES_MAX) &&
	       (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		any |= spt_die_ranges_add_span(ranges, start, end, number);
	return any;
}

void spt_die_ranges_finish(struct spt_die_ranges *ranges)
{
	uint32_t n = ranges->ranges ? ranges->ranges->len : 0;
	struct spt_item *items = g_new(struct spt_item, MAX(n, 1)),
			*spare = g_new(struct spt_item, MAX(n, 1));
	g_autofree SptRange *sorted = g_new(SptRange, MAX(n, 1));
	g_autofree uint32_t *owners = g_new(uint32_t, MAX(n, 1));

	for (uint32_t i = 0; i < n; i++)
		items[i] =
			(struct spt_item){ g_array_index(ranges->ranges, struct die_range, i).start,
					   i };
	/* Keeps the order of ranges that begin at the same address. */
	spt_sort_items(&items, &spare, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct die_range *range =
			&g_array_index(ranges->ranges, struct die_range, items[i].index);

		sorted[i] = (SptRange){ range->start, range->end - range->start };
		owners[i] = range->owner;
	}
	ranges->intervals = spt_intervals_new(sorted, n);
	spt_intervals_rename(ranges->intervals, owners);
	g_clear_pointer(&ranges->ranges, g_array_unref);
	g_free(items);
	g_free(spare);
}

uint32_t spt_die_ranges_find(const struct spt_die_ranges *ranges, uint64_t address)
{
	return spt_intervals_find(ranges->intervals, address);
}

void spt_die_ranges_clear(struct spt_die_ranges *ranges)
{
	g_clear_pointer(&ranges->ranges, g_array_unref);
	g_clear_pointer(&ranges->intervals, spt_intervals_free);
}
