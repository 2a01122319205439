/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pass over the samples.  The number of cells is limited to a picture that is drawn quickly. */
#include "picture/heat.h"

#include "profile/profile-private.h"
#include "profile/rows.h"

#define MAX_ROWS 50
#define MIN_ROWS 10

static SptHeat *heat_new_empty(uint64_t begin_ns, uint64_t end_ns)
{
	SptHeat *heat = g_new0(SptHeat, 1);

	heat->begin_ns = begin_ns;
	heat->n_seconds = (MAX(end_ns, begin_ns + 1) - begin_ns + SPT_HEAT_SECOND_NS - 1) /
			  SPT_HEAT_SECOND_NS;
	heat->n_columns = (uint32_t)MIN(heat->n_seconds, SPT_HEAT_MAX_COLUMNS);
	heat->n_rows = CLAMP(SPT_HEAT_MAX_CELLS / heat->n_columns, MIN_ROWS, MAX_ROWS);
	heat->weights = g_new0(uint64_t, (size_t)heat->n_columns * heat->n_rows);
	return heat;
}

static void heat_add(SptHeat *heat, uint64_t time, uint64_t weight)
{
	uint64_t since = time - heat->begin_ns;
	uint64_t second = MIN(since / SPT_HEAT_SECOND_NS, heat->n_seconds - 1);
	uint64_t column = (uint64_t)((double)second * heat->n_columns / (double)heat->n_seconds);
	uint64_t row = since % SPT_HEAT_SECOND_NS * heat->n_rows / SPT_HEAT_SECOND_NS;
	uint64_t *cell = &heat->weights[column * heat->n_rows + row];

	*cell += weight;
	heat->most = MAX(heat->most, *cell);
}

SptHeat *spt_heat_new(const SptProfile *base, uint64_t begin_ns, uint64_t end_ns)
{
	SptHeat *heat = heat_new_empty(begin_ns, end_ns);

	for (uint64_t i = spt_profile_row_at(base, begin_ns);
	     i < base->n_rows && base->sources[i].time <= end_ns; i++)
		heat_add(heat, base->sources[i].time, spt_row_weight(base, i));
	return heat;
}

SptHeat *spt_heat_new_filtered(const SptProfile *base, const SptFilter *filter, uint64_t begin_ns,
			       uint64_t end_ns)
{
	SptHeat *heat = heat_new_empty(begin_ns, end_ns);
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(base, filter);
	SptProfileRow row;

	while (spt_profile_rows_next(rows, &row))
		if (row.time >= begin_ns && row.time <= end_ns)
			heat_add(heat, row.time, row.weight);
	return heat;
}

void spt_heat_free(SptHeat *heat)
{
	if (!heat)
		return;
	g_free(heat->weights);
	g_free(heat);
}

uint64_t spt_heat_time(const SptHeat *heat, uint32_t column, uint32_t row)
{
	/* The first second that is in the column. */
	uint64_t second =
		((uint64_t)column * heat->n_seconds + heat->n_columns - 1) / heat->n_columns;

	return heat->begin_ns + second * SPT_HEAT_SECOND_NS +
	       (uint64_t)row * SPT_HEAT_SECOND_NS / heat->n_rows;
}
