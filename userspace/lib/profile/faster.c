/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time is known from samples: n of them are right to about the square root of n.  A change that
 * is less than twice that of both is said to be no more than chance.
 */
#include "profile/faster.h"

#include <math.h>

#include "base/words.h"
#include "profile/amounts.h"
#include "profile/command.h"
#include "profile/memory-use.h"
#include "profile/wall.h"

#define FEW_SAMPLES 200
/* From this ratio on it is said in times, below that in percent. */
#define MANY_TIMES 2.0
/* Less than this part is 0.0 %. */
#define LEAST_CHANGE 0.0005
#define NO_BREAK "\xc2\xa0"

/* "12 times less", "30 % more" */
static char *tell_change(double before, double after)
{
	bool is_less = after < before;
	double ratio = is_less ? before / after : after / before;

	if (fabs(after - before) <= LEAST_CHANGE * before)
		return g_strdup(spt_words("the same"));
	if (before <= 0 || after <= 0 || !isfinite(ratio))
		return g_strdup(is_less ? spt_words("less") : spt_words("more"));
	if (ratio >= MANY_TIMES)
		return g_strdup_printf(is_less ? spt_words("%.*f times less") :
						 spt_words("%.*f times more"),
				       ratio < 10, ratio);
	return g_strdup_printf(is_less ? spt_words("%.1f %% less") : spt_words("%.1f %% more"),
			       100 * fabs(after - before) / before);
}

/* @is_chance: the two may be the same. */
static void add_values(GPtrArray *said, const char *title, const double *values, SptUnit unit,
		       bool is_chance)
{
	g_autofree char *before = spt_amount_text(values[SPT_BEFORE], unit),
			*after = spt_amount_text(values[SPT_AFTER], unit),
			*change = is_chance ? g_strdup(spt_words("no more than chance")) :
					      tell_change(values[SPT_BEFORE], values[SPT_AFTER]);

	g_ptr_array_add(said, g_strdup_printf(spt_words("%s: %s before, %s after: %s."), title,
					      before, after, change));
}

/* Weights are periods, each of which is a sample if all are, or several. */
static void add_metric(GPtrArray *said, const SptFasterInput *input)
{
	const SptMetric *metric = spt_profile_metric(input->profiles[SPT_BEFORE]);
	double values[SPT_SIDES], variance = 0;

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		double weight = (double)spt_profile_total(input->profiles[side]),
		       n = (double)spt_profile_n_samples(input->profiles[side]);

		values[side] = weight *
			       (double)MAX(spt_metric_worth(metric, input->captures[side]), 1);
		variance += n > 0 ? values[side] * values[side] / n : 0;
	}
	add_values(said, spt_words(metric->title), values, metric->unit,
		   metric->is_cpu && fabs(values[0] - values[1]) < 2 * sqrt(variance));
}

static void add_wall(GPtrArray *said, const SptFasterInput *input)
{
	double values[SPT_SIDES];
	SptWall wall;

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		if (!spt_wall_find(&wall, input->captures[side]))
			return;
		values[side] = (double)wall.wall_ns;
	}
	add_values(said, spt_words("Elapsed time"), values, SPT_UNIT_NS, false);
}

static void add_resident(GPtrArray *said, const SptFasterInput *input)
{
	double values[SPT_SIDES];
	SptMemoryUse use;

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		if (!spt_resident_use(input->captures[side], &use))
			return;
		values[side] = (double)use.most;
	}
	add_values(said, spt_words("Most resident memory"), values, SPT_UNIT_BYTES,
		   false);
}

/* Doubts. */

static void add_few(GPtrArray *said, const SptFasterInput *input)
{
	static const char *const texts[SPT_SIDES][2] = {
		{ SPT_WORDS("The first has only %u events: its percentages are rough."),
		  SPT_WORDS("The first has only %u samples: its percentages are rough.") },
		{ SPT_WORDS("The second has only %u events: its percentages are rough."),
		  SPT_WORDS("The second has only %u samples: its percentages are rough.") },
	};
	bool is_cpu = spt_profile_metric(input->profiles[SPT_BEFORE])->is_cpu;

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		uint64_t n = spt_profile_n_samples(input->profiles[side]);

		if (n < FEW_SAMPLES)
			g_ptr_array_add(said, g_strdup_printf(spt_words(texts[side][is_cpu]),
							      (unsigned)n));
	}
}

static void add_order(GPtrArray *said, const SptFasterInput *input)
{
	uint64_t begins[SPT_SIDES];

	for (unsigned side = 0; side < SPT_SIDES; side++)
		begins[side] = spt_command_fact(input->captures[side], "start_realtime_ns");
	if (begins[SPT_AFTER] && begins[SPT_AFTER] < begins[SPT_BEFORE])
		g_ptr_array_add(said, g_strdup(spt_words("The second was recorded before the first: "
							 "swap them to see what changed since.")));
}

GPtrArray *spt_faster_new(const SptFasterInput *input)
{
	GPtrArray *said = g_ptr_array_new_with_free_func(g_free);

	add_metric(said, input);
	if (input->is_command) {
		add_wall(said, input);
		add_resident(said, input);
	}
	add_few(said, input);
	add_order(said, input);
	return said;
}
