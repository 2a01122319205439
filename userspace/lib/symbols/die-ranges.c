/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collected, sorted and cut into intervals once. */
#include "symbols/die-ranges.h"

#include "stash/sort.h"
#include "symbols/intervals.h"

/* More than LLVM has by far; a damaged file can refer to one list again and again. */
#define RANGES_MAX (1u << 24)

bool spt_die_ranges_add(struct spt_die_ranges *ranges, Dwarf_Die *die, uint32_t number)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	unsigned before;

	if (!ranges->ranges) {
		ranges->ranges = g_array_new(FALSE, FALSE, sizeof(SptRange));
		ranges->owners = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	}
	before = ranges->ranges->len;
	while (ranges->ranges->len < RANGES_MAX && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		SptRange range = { start, end - start };

		if (start >= end)
			continue;
		g_array_append_val(ranges->ranges, range);
		g_array_append_val(ranges->owners, number);
	}
	return ranges->ranges->len > before;
}

void spt_die_ranges_finish(struct spt_die_ranges *ranges)
{
	uint32_t n = ranges->ranges ? ranges->ranges->len : 0;
	struct spt_item *items = g_new(struct spt_item, MAX(n, 1)), *spare = g_new(struct spt_item, MAX(n, 1));
	g_autofree SptRange *sorted = g_new(SptRange, MAX(n, 1));
	GArray *owners = g_array_sized_new(FALSE, FALSE, sizeof(uint32_t), n);

	for (uint32_t i = 0; i < n; i++)
		items[i] = (struct spt_item){ g_array_index(ranges->ranges, SptRange, i).start, i };
	/* Keeps the order of those that begin at the same place. */
	spt_sort_items(&items, &spare, n);
	for (uint32_t i = 0; i < n; i++) {
		sorted[i] = g_array_index(ranges->ranges, SptRange, items[i].index);
		g_array_append_val(owners, g_array_index(ranges->owners, uint32_t, items[i].index));
	}
	ranges->intervals = spt_intervals_new(sorted, n);
	g_clear_pointer(&ranges->ranges, g_array_unref);
	g_clear_pointer(&ranges->owners, g_array_unref);
	ranges->owners = owners;
	g_free(items);
	g_free(spare);
}

uint32_t spt_die_ranges_find(const struct spt_die_ranges *ranges, uint64_t address)
{
	uint32_t range = spt_intervals_find(ranges->intervals, address);

	return range == UINT32_MAX ? SPT_DIE_NONE : g_array_index(ranges->owners, uint32_t, range);
}

void spt_die_ranges_clear(struct spt_die_ranges *ranges)
{
	g_clear_pointer(&ranges->ranges, g_array_unref);
	g_clear_pointer(&ranges->owners, g_array_unref);
	g_clear_pointer(&ranges->intervals, g_array_unref);
}
