/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/confidence.h"

#include <math.h>

#include "profile/rows.h"

/* A normal distribution has 19 of 20 within that many standard deviations. */
#define DEVIATIONS 1.959964
/* Of shares: one function has all. */
#define ROUNDING 1e-9

SptRange spt_chance_range(double share, double n)
{
	double square = DEVIATIONS * DEVIATIONS, all, middle, half;

	if (n <= 0)
		return (SptRange){ 0, 1 };
	all = 1 + square / n;
	middle = (share + square / (2 * n)) / all;
	half = DEVIATIONS * sqrt(share * (1 - share) / n + square / (4 * n * n)) / all;
	return (SptRange){ MAX(middle - half, 0), MIN(middle + half, 1) };
}

/* The samples of one instant. */
struct instant {
	uint64_t begin_ns;
	double weight;
	GArray *functions;		/* uint32_t */
	double *weights;		/* by function */
};

/*
 * The squared distances, summed over all functions, between the weights that they have there and
 * those that their shares of the weight would be; begins the next instant.
 */
static double close_instant(struct instant *instant, const double *shares, double squares)
{
	double distance = instant->weight * instant->weight * squares;

	for (guint i = 0; i < instant->functions->len; i++) {
		uint32_t function = g_array_index(instant->functions, uint32_t, i);
		double weight = instant->weights[function];

		distance += weight * (weight - 2 * instant->weight * shares[function]);
		instant->weights[function] = 0;
	}
	g_array_set_size(instant->functions, 0);
	instant->weight = 0;
	return distance;
}

static void add_to_instant(struct instant *instant, uint32_t function, double weight)
{
	if (instant->weights[function] == 0)
		g_array_append_val(instant->functions, function);
	instant->weights[function] += weight;
	instant->weight += weight;
}

double spt_chance_samples(const SptProfile *base, const SptFilter *filter, uint64_t period_ns)
{
	g_autoptr(SptProfile) part = spt_profile_refilter(base, filter, NULL);
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(base, filter);
	double all = (double)spt_profile_total(part), of_rows = 0, of_instants = 0, squares = 0;
	uint32_t n_functions, n_nodes;
	const SptFunction *functions = spt_profile_functions(part, &n_functions);
	const SptTreeNode *nodes = spt_profile_tree(part, &n_nodes);
	g_autofree double *shares = g_new(double, MAX(n_functions, 1)),
			  *weights = g_new0(double, MAX(n_functions, 1));
	g_autoptr(GArray) there = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	struct instant instant = { .functions = there, .weights = weights };
	SptProfileRow row;

	for (uint32_t i = 0; i < n_functions; i++) {
		shares[i] = all > 0 ? (double)functions[i].self / all : 0;
		squares += shares[i] * shares[i];
	}
	while (spt_profile_rows_next(rows, &row)) {
		if (row.time - instant.begin_ns > period_ns / 2) {
			of_instants += close_instant(&instant, shares, squares);
			instant.begin_ns = row.time;
		}
		of_rows += (double)row.weight * (double)row.weight;
		add_to_instant(&instant, nodes[row.leaf].function, (double)row.weight);
	}
	of_instants += close_instant(&instant, shares, squares);
	/* By the same measure, if each row were alone. */
	of_instants = squares < 1 - ROUNDING ? of_instants / (1 - squares) : 0;
	return of_rows > 0 ? all * all / MAX(of_rows, of_instants) : 0;
}
