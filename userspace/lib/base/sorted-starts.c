/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * There are at most as many steps as starts, so that a step has one or two of them if they are
 * spread evenly.
 */
#include "base/sorted-starts.h"

static uint64_t start_at(const struct spt_sorted_starts *starts, uint32_t index)
{
	return *(const uint64_t *)(const void *)((const uint8_t *)starts->rows +
						 index * starts->row_bytes);
}

void spt_sorted_starts_init(struct spt_sorted_starts *starts, void *rows, size_t row_bytes,
			    uint32_t n)
{
	uint64_t start, last;
	uint32_t at = 0;

	*starts = (struct spt_sorted_starts){ .rows = rows, .row_bytes = row_bytes, .n = n };
	if (n == 0)
		return;
	start = start_at(starts, 0);
	last = start_at(starts, n - 1) - start;
	while (last >> starts->shift >= n)
		starts->shift++;
	starts->n_steps = (uint32_t)(last >> starts->shift) + 1;
	starts->first = g_new(uint32_t, starts->n_steps + 1);
	for (uint32_t step = 0; step < starts->n_steps; step++) {
		while (at < n && (start_at(starts, at) - start) >> starts->shift < step)
			at++;
		starts->first[step] = at;
	}
	starts->first[starts->n_steps] = n;
}

void spt_sorted_starts_clear(struct spt_sorted_starts *starts)
{
	g_clear_pointer(&starts->rows, g_free);
	g_clear_pointer(&starts->first, g_free);
}

uint32_t spt_sorted_starts_until(const struct spt_sorted_starts *starts, uint64_t place)
{
	uint32_t low, high;
	uint64_t step;

	if (starts->n == 0 || place < start_at(starts, 0))
		return 0;
	step = (place - start_at(starts, 0)) >> starts->shift;
	if (step >= starts->n_steps)
		return starts->n;
	low = starts->first[step];
	high = starts->first[step + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (start_at(starts, middle) <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
