/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The range of a share: values of the literature, and how often the truth is in it. */
#include "profile/chance.h"

#include <math.h>

#define RECORDINGS 20000

static void is_near(double value, double expected)
{
	g_assert_cmpfloat(fabs(value - expected), <, 0.0005);
}

/* As other programs compute Wilson's interval. */
static void test_known(void)
{
	SptRange half = spt_chance_range(0.5, 10), none = spt_chance_range(0, 10),
		 few = spt_chance_range(0.2, 1000), all = spt_chance_range(1, 50);

	is_near(half.low, 0.2366);
	is_near(half.high, 0.7634);
	is_near(none.low, 0);
	is_near(none.high, 0.2775);
	is_near(few.low, 0.1764);
	is_near(few.high, 0.2259);
	is_near(all.low, 0.9287);
	is_near(all.high, 1);
}

static void test_nothing(void)
{
	SptRange range = spt_chance_range(0, 0);

	is_near(range.low, 0);
	is_near(range.high, 1);
}

/* In 19 of 20 recordings of a known program the true share is in the range. */
static void test_covers(void)
{
	static const double shares[] = { 0.01, 0.1, 0.3, 0.5, 0.97 };
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);

	for (unsigned i = 0; i < G_N_ELEMENTS(shares); i++) {
		unsigned n_in = 0;

		for (unsigned k = 0; k < RECORDINGS; k++) {
			unsigned n = 300, found = 0;
			SptRange range;

			for (unsigned tick = 0; tick < n; tick++)
				found += g_rand_double(rand) < shares[i];
			range = spt_chance_range((double)found / n, n);
			n_in += range.low <= shares[i] && shares[i] <= range.high;
		}
		g_test_message("share %g: in %.2f %%", shares[i], 100.0 * n_in / RECORDINGS);
		g_assert_cmpfloat((double)n_in / RECORDINGS, >, 0.93);
		g_assert_cmpfloat((double)n_in / RECORDINGS, <, 0.98);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/chance/known", test_known);
	g_test_add_func("/chance/nothing", test_nothing);
	g_test_add_func("/chance/covers", test_covers);
	return g_test_run();
}
