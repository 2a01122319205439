/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of the same work: estimates that were computed by hand, and how often chance looks like a
 * change, or hides one.
 */
#include "profile/compare-runs.h"

#include <math.h>
#include <string.h>

#include "captures.h"

#define MOST_RUNS 8

struct run {
	struct fake fake;
	SptSymbols *symbols;
	SptProfile *profile;
};

struct runs {
	struct run all[SPT_SIDES][MOST_RUNS];
	const SptProfile *profiles[SPT_SIDES][MOST_RUNS];
	double worth[MOST_RUNS];
	SptRuns of[SPT_SIDES];
};

/* @counts: samples of f1 and those of f2 that f1 calls. */
static void runs_add(struct runs *runs, unsigned side, unsigned f1, unsigned f2)
{
	static const unsigned stack[] = { 1, 2 };
	unsigned i = runs->of[side].n++;
	struct run *run = &runs->all[side][i];

	fake_init(&run->fake);
	for (unsigned k = 0; k < f1 + f2; k++)
		fake_sample(&run->fake, 1, stack, k < f1 ? 1 : 2, 1 + k, 1);
	run->symbols = spt_symbols_new(fake_capture(&run->fake), NULL);
	run->profile = spt_profile_new(&run->fake.capture, run->symbols, NULL, NULL);
	runs->profiles[side][i] = run->profile;
	runs->worth[i] = 1;
	runs->of[side].profiles = runs->profiles[side];
	runs->of[side].worth = runs->worth;
}

static void runs_clear(struct runs *runs)
{
	for (unsigned side = 0; side < SPT_SIDES; side++) {
		for (unsigned i = 0; i < runs->of[side].n; i++) {
			spt_profile_free(runs->all[side][i].profile);
			spt_symbols_free(runs->all[side][i].symbols);
			fake_clear(&runs->all[side][i].fake);
		}
	}
	memset(runs, 0, sizeof(*runs));
}

static const SptRunsRow *runs_row(const GArray *rows, const char *name)
{
	for (guint i = 0; i < rows->len; i++)
		if (strcmp(g_array_index(rows, SptRunsRow, i).name, name) == 0)
			return &g_array_index(rows, SptRunsRow, i);
	g_assert_not_reached();
}

#define assert_near(value, expected) g_assert_cmpfloat_with_epsilon(value, expected, 0.05)

/* Runs before differ by 40 (variance 1600), those after by nothing: counting has 200. */
static void test_by_hand(void)
{
	static struct runs runs;

	for (unsigned i = 0; i < 3; i++) {
		runs_add(&runs, SPT_BEFORE, 60 + 40 * i, 10);
		runs_add(&runs, SPT_AFTER, 200, 10);
	}

	g_autoptr(GArray) rows = spt_runs_rows(runs.of, false);
	const SptRunsEstimate *f1 = &runs_row(rows, "f1")->self;
	SptRunsEstimate whole = spt_runs_whole(runs.of);

	assert_near(f1->mean[SPT_BEFORE], 100);
	assert_near(f1->mean[SPT_AFTER], 200);
	assert_near(f1->change, 100);
	assert_near(f1->margin, sqrt(1600 / 3. + 200 / 3.) * 4.303);
	g_assert_false(spt_runs_is_sure(f1));
	assert_near(runs_row(rows, "f1")->total.mean[SPT_AFTER], 210);
	assert_near(runs_row(rows, "f2")->total.change, 0);
	assert_near(whole.change, 100);
	runs_clear(&runs);
}

/* One run of each side has the margin of counting; values are in the unit of their worth. */
static void test_single(void)
{
	static struct runs runs;

	runs_add(&runs, SPT_BEFORE, 100, 0);
	runs_add(&runs, SPT_AFTER, 300, 100);
	runs.worth[0] = 0.5;

	g_autoptr(GArray) rows = spt_runs_rows(runs.of, true);
	const SptRunsRow *f1 = runs_row(rows, "f1"), *f2 = runs_row(rows, "f2");
	g_autofree uint32_t *order = spt_runs_order(rows, true);

	assert_near(f1->self.change, 100);
	assert_near(f1->self.margin, 0.5 * sqrt(400) * 1.96);
	g_assert_true(spt_runs_is_sure(&f1->self));
	assert_near(f2->self.change, 50);
	g_assert_true(&g_array_index(rows, SptRunsRow, f2->parent) == f1);
	assert_near(g_array_index(rows, SptRunsRow, order[0]).total.change, 150);
	runs_clear(&runs);
}

/* A number of samples around @mean, in a run that is a little slower or faster as a whole. */
static unsigned draw(GRand *random, double mean, double factor)
{
	double sum = -6;

	for (unsigned i = 0; i < 12; i++)
		sum += g_rand_double(random);
	return (unsigned)MAX(mean * factor + sum * sqrt(mean), 0);
}

/*
 * Of 100 pairs of five runs each: how many have f1 or f2 as changed.  Runs differ by @spread as
 * wholes.
 */
static void count_flagged(double f1_before, double f1_after, double spread, unsigned *ret_f1,
			  unsigned *ret_f2)
{
	static struct runs runs;
	g_autoptr(GRand) random = g_rand_new_with_seed(1000);

	*ret_f1 = *ret_f2 = 0;
	for (unsigned pair = 0; pair < 100; pair++) {
		for (unsigned i = 0; i < 5 * SPT_SIDES; i++) {
			double factor = 1 + spread * (g_rand_double(random) - 0.5);

			runs_add(&runs, i % SPT_SIDES,
				 draw(random, i % SPT_SIDES == SPT_AFTER ? f1_after : f1_before,
				      factor),
				 draw(random, 100, factor));
		}
		g_autoptr(GArray) rows = spt_runs_rows(runs.of, false);

		*ret_f1 += spt_runs_is_sure(&runs_row(rows, "f1")->self);
		*ret_f2 += spt_runs_is_sure(&runs_row(rows, "f2")->self);
		runs_clear(&runs);
	}
}

static void test_chance(void)
{
	unsigned f1, f2;

	count_flagged(200, 200, 0.04, &f1, &f2);
	g_test_message("without a change: %u and %u of 100", f1, f2);
	g_assert_cmpuint(f1 + f2, <=, 10);
	count_flagged(200, 250, 0.04, &f1, &f2);
	g_test_message("with one in f1: %u and %u of 100", f1, f2);
	g_assert_cmpuint(f1, >=, 95);
	g_assert_cmpuint(f2, <=, 9);
}

/* What is slower by a twentieth takes more samples to find. */
static void test_twentieth(void)
{
	unsigned f1, f2;

	count_flagged(4000, 4000, 0.01, &f1, &f2);
	g_test_message("without a change: %u and %u of 100", f1, f2);
	g_assert_cmpuint(f1 + f2, <=, 10);
	count_flagged(4000, 4200, 0.01, &f1, &f2);
	g_test_message("with a twentieth more in f1: %u and %u of 100", f1, f2);
	g_assert_cmpuint(f1, >=, 95);
	g_assert_cmpuint(f2, <=, 9);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/runs/by-hand", test_by_hand);
	g_test_add_func("/runs/single", test_single);
	g_test_add_func("/runs/chance", test_chance);
	g_test_add_func("/runs/twentieth", test_twentieth);
	return g_test_run();
}
