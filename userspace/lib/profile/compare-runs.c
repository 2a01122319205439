/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of each run, as of a comparison with a run of the other side, so that what compilers add to
 * names is no difference; then the sums of values and of their squares for each row.
 */
#include "profile/compare-runs.h"

#include <math.h>

#include "base/pairs.h"
#include "profile/stem.h"

/* Sums over the runs of one side.  counting: the variance that counting samples has. */
struct run_sums {
	double value, square, counting;
};

struct runs_row {
	SptRunsRow row;
	double run_self, run_total;	/* of the run that is being added */
	struct run_sums self[SPT_SIDES], total[SPT_SIDES];
};

struct runs_table {
	GArray *rows;			/* struct runs_row */
	/* (interned name or that of a process with a mark, interned object) -> number */
	struct spt_pairs names;
	struct spt_pairs places;	/* (caller's row + 1, number in names) -> row */
	uint32_t n_names;
};

/*
 * Quantiles of Student's distribution: in 19 of 20 cases a mean is within that many standard
 * errors.  Beyond the table the difference to the normal distribution is 2.4 / freedom.
 */
static double runs_quantile(double freedom)
{
	static const double known[] = {
		12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
		2.201,	2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
		2.080,	2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
	};

	if (freedom < 1)
		return known[0];
	if (freedom < G_N_ELEMENTS(known) + 1)
		return known[(unsigned)freedom - 1];
	return 1.960 + 2.4 / freedom;
}

/* The variance of the mean of @n runs, and the degrees of freedom it was estimated with. */
static double runs_variance(const struct run_sums *sums, unsigned n, double *ret_freedom)
{
	double mean = sums->value / n, counting = sums->counting / n;
	double spread = n > 1 ? MAX(sums->square - n * mean * mean, 0) / (n - 1) : 0;

	*ret_freedom = spread > counting ? n - 1 : INFINITY;
	return MAX(spread, counting) / n;
}

static SptRunsEstimate runs_estimate(const struct run_sums sums[SPT_SIDES],
				     const SptRuns runs[SPT_SIDES])
{
	SptRunsEstimate estimate;
	double variance[SPT_SIDES], freedom[SPT_SIDES], all, inverse = 0;

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		estimate.mean[side] = sums[side].value / runs[side].n;
		variance[side] = runs_variance(&sums[side], runs[side].n, &freedom[side]);
	}
	all = variance[SPT_BEFORE] + variance[SPT_AFTER];
	for (unsigned side = 0; side < SPT_SIDES && all > 0; side++)
		inverse += variance[side] * variance[side] / (all * all) / freedom[side];
	estimate.change = estimate.mean[SPT_AFTER] - estimate.mean[SPT_BEFORE];
	estimate.margin = sqrt(all) * runs_quantile(inverse > 0 ? 1 / inverse : INFINITY);
	return estimate;
}

/* @grain: what one sample is worth.  A sum of n samples has n * grain * grain as its variance. */
static void add_run(struct run_sums *sums, double value, double grain)
{
	sums->value += value;
	sums->square += value * value;
	sums->counting += value * grain;
}

static uint32_t runs_name(struct runs_table *table, const SptDiffRow *row)
{
	/* A process may be called as a function is. */
	const char *name = row->is_process ? g_intern_string(row->name) : spt_stem(row->name),
		   *object = row->is_process ? NULL : spt_stem_of_object(row->object);
	uint32_t *number = spt_pairs_at(&table->names, (uintptr_t)name, (uintptr_t)object);

	if (*number == UINT32_MAX)
		*number = table->n_names++;
	return *number;
}

static uint32_t runs_place(struct runs_table *table, const SptDiffRow *row, uint32_t parent)
{
	uint32_t name = runs_name(table, row);
	uint32_t *place = spt_pairs_at(&table->places, parent + 1, name);

	if (*place == UINT32_MAX) {
		struct runs_row new_row = { .row = { .name = row->name,
						     .object = row->object,
						     .is_process = row->is_process,
						     .parent = parent } };

		*place = table->rows->len;
		g_array_append_val(table->rows, new_row);
	}
	return *place;
}

static double runs_grain(const SptRuns *runs, unsigned i)
{
	uint64_t n = spt_profile_n_samples(runs->profiles[i]);

	return n ? (double)spt_profile_total(runs->profiles[i]) * runs->worth[i] / (double)n : 0;
}

static void add_rows(struct runs_table *table, const SptRuns *runs, unsigned side, unsigned i,
		     const GArray *rows)
{
	double all = (double)spt_profile_total(runs->profiles[i]) * runs->worth[i];
	double grain = runs_grain(runs, i);
	g_autofree uint32_t *places = g_new(uint32_t, rows->len + 1);

	for (uint32_t k = 0; k < rows->len; k++) {
		const SptDiffRow *row = &g_array_index(rows, SptDiffRow, k);
		uint32_t parent = row->parent == UINT32_MAX ? UINT32_MAX : places[row->parent];
		struct runs_row *place;

		places[k] = runs_place(table, row, parent);
		place = &g_array_index(table->rows, struct runs_row, places[k]);
		place->run_self += row->self[side] * all;
		place->run_total += row->total[side] * all;
	}
	for (guint k = 0; k < table->rows->len; k++) {
		struct runs_row *place = &g_array_index(table->rows, struct runs_row, k);

		add_run(&place->self[side], place->run_self, grain);
		add_run(&place->total[side], place->run_total, grain);
		place->run_self = place->run_total = 0;
	}
}

GArray *spt_runs_rows(const SptRuns runs[SPT_SIDES], bool are_paths)
{
	GArray *ret = g_array_new(FALSE, FALSE, sizeof(SptRunsRow));
	struct runs_table table = { .rows = g_array_new(FALSE, FALSE, sizeof(struct runs_row)) };

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		for (unsigned i = 0; i < runs[side].n; i++) {
			const SptProfile *one = runs[side].profiles[i],
					 *other = runs[!side].profiles[0],
					 *before = side == SPT_BEFORE ? one : other,
					 *after = side == SPT_BEFORE ? other : one;
			g_autoptr(GArray) rows = are_paths ? spt_diff_paths(before, after) :
							     spt_diff_functions(before, after);

			add_rows(&table, &runs[side], side, i, rows);
		}
	}
	for (guint i = 0; i < table.rows->len; i++) {
		struct runs_row *row = &g_array_index(table.rows, struct runs_row, i);

		row->row.self = runs_estimate(row->self, runs);
		row->row.total = runs_estimate(row->total, runs);
		g_array_append_val(ret, row->row);
	}
	g_array_unref(table.rows);
	spt_pairs_clear(&table.names);
	spt_pairs_clear(&table.places);
	return ret;
}

SptRunsEstimate spt_runs_whole(const SptRuns runs[SPT_SIDES])
{
	struct run_sums sums[SPT_SIDES] = { 0 };

	for (unsigned side = 0; side < SPT_SIDES; side++)
		for (unsigned i = 0; i < runs[side].n; i++)
			add_run(&sums[side],
				(double)spt_profile_total(runs[side].profiles[i]) *
					runs[side].worth[i],
				runs_grain(&runs[side], i));
	return runs_estimate(sums, runs);
}

struct runs_order {
	const GArray *rows;
	bool by_total;
};

static double runs_change(const struct runs_order *order, uint32_t i)
{
	const SptRunsRow *row = &g_array_index(order->rows, SptRunsRow, i);

	return fabs(order->by_total ? row->total.change : row->self.change);
}

static int compare_runs(const void *a, const void *b, void *data)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	double of_x = runs_change(data, x), of_y = runs_change(data, y);

	return of_x != of_y ? (of_x < of_y ? 1 : -1) : (x > y) - (x < y);
}

uint32_t *spt_runs_order(const GArray *rows, bool by_total)
{
	uint32_t *order = g_new(uint32_t, rows->len + 1);
	struct runs_order how = { rows, by_total };

	for (uint32_t i = 0; i < rows->len; i++)
		order[i] = i;
	g_qsort_with_data(order, (int)rows->len, sizeof(*order), compare_runs, &how);
	return order;
}
