/* SPDX-License-Identifier: GPL-2.0-or-later */
/* As many steps as there are starts at most, so that a step has one or two of them where they are spread evenly. */
#include "symbols/starts.h"

void spt_starts_init(struct spt_starts *starts, uint64_t *values, uint32_t n)
{
	uint64_t last = n > 0 ? values[n - 1] - values[0] : 0;
	uint32_t at = 0;

	*starts = (struct spt_starts){ .starts = values, .n = n };
	if (n == 0)
		return;
	while (last >> starts->shift >= n)
		starts->shift++;
	starts->n_steps = (uint32_t)(last >> starts->shift) + 1;
	starts->first = g_new(uint32_t, starts->n_steps + 1);
	for (uint32_t step = 0; step < starts->n_steps; step++) {
		while (at < n && (values[at] - values[0]) >> starts->shift < step)
			at++;
		starts->first[step] = at;
	}
	starts->first[starts->n_steps] = n;
}

void spt_starts_clear(struct spt_starts *starts)
{
	g_clear_pointer(&starts->starts, g_free);
	g_clear_pointer(&starts->first, g_free);
}

uint32_t spt_starts_until(const struct spt_starts *starts, uint64_t place)
{
	uint32_t low, high;
	uint64_t step;

	if (starts->n == 0 || place < starts->starts[0])
		return 0;
	step = (place - starts->starts[0]) >> starts->shift;
	if (step >= starts->n_steps)
		return starts->n;
	low = starts->first[step];
	high = starts->first[step + 1];
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (starts->starts[middle] <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
