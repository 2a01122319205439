/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The range of a share: values of the literature, and how often the truth is in it, by throws of a
 * die and by recordings of known programs.
 */
#include "profile/confidence.h"

#include <math.h>

#include "captures.h"

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

#define TICKS 600
#define TICK_NS 1000000u
#define TRUTHS 3

static const double truths[TRUTHS] = { 0.5, 0.3, 0.2 };

static unsigned function_at(double part)
{
	return part < truths[0] ? 0 : part < truths[0] + truths[1] ? 1 : 2;
}

/* A program of three functions, and how it was recorded. */
struct known {
	const char *name;
	unsigned n_cpus;		/* which do the same at the same time */
	uint32_t heavy;			/* periods of each tenth sample */
	unsigned phase_ticks;		/* of a round through the functions; 0: they alternate */
	double least, most;		/* independent samples for each tick */
};

static void record(struct fake *fake, const struct known *known, GRand *rand)
{
	double begin = g_rand_double(rand);

	fake_init(fake);
	for (unsigned tick = 0; tick < TICKS; tick++) {
		double part = known->phase_ticks ?
				      fmod(begin + (double)tick / known->phase_ticks, 1) :
				      g_rand_double(rand);
		unsigned function = function_at(part);
		uint32_t weight = g_rand_int_range(rand, 0, 10) ? 1 : known->heavy;

		for (unsigned cpu = 0; cpu < known->n_cpus; cpu++)
			fake_sample(fake, 1 + cpu, &function, 1,
				    (uint64_t)(1 + tick) * TICK_NS + 100 * cpu, weight);
	}
}

/* Adds to @n_in the functions whose true shares are in the ranges. */
static double judge(const struct known *known, GRand *rand, unsigned *n_in)
{
	struct fake fake;
	double n;

	record(&fake, known, rand);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) base = spt_profile_new_reread(&fake.capture, symbols, NULL, NULL);

	n = spt_chance_samples(base, NULL, TICK_NS);
	for (unsigned i = 0; i < TRUTHS; i++) {
		uint32_t n_functions, function = spt_profile_find(base, fake.texts[i]);
		uint64_t self = spt_profile_functions(base, &n_functions)[function].self;
		SptRange range =
			spt_chance_range((double)self / (double)spt_profile_total(base), n);

		*n_in += range.low <= truths[i] && truths[i] <= range.high;
	}
	fake_clear(&fake);
	return n / TICKS;
}

/*
 * 95 of 100 recordings are right, where with as many throws as samples 66, 62 and 38 of 100 were
 * for the last three.
 */
static void test_known_programs(void)
{
	static const struct known programs[] = {
		{ "alternating", 1, 1, 0, 0.8, 1.01 },
		{ "in long phases", 1, 1, 100, 0.8, 1.01 },
		{ "the same on all CPUs", 4, 1, 0, 0.8, 1.3 },
		{ "a tenth stands for many", 1, 20, 0, 0.1, 0.4 },
		{ "both", 3, 20, 0, 0.1, 0.5 },
	};
	const unsigned n = 300;
	g_autoptr(GRand) rand = g_rand_new_with_seed(1);

	for (unsigned i = 0; i < G_N_ELEMENTS(programs); i++) {
		unsigned n_in = 0;
		double independent = 0;

		for (unsigned k = 0; k < n; k++)
			independent += judge(&programs[i], rand, &n_in) / n;
		g_test_message("%s: in %.1f %%, %.2f independent samples for each tick",
			       programs[i].name, 100.0 * n_in / (n * TRUTHS), independent);
		g_assert_cmpfloat((double)n_in / (n * TRUTHS), >, 0.93);
		g_assert_cmpfloat(independent, >, programs[i].least);
		g_assert_cmpfloat(independent, <, programs[i].most);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/confidence/known", test_known);
	g_test_add_func("/confidence/nothing", test_nothing);
	g_test_add_func("/confidence/covers", test_covers);
	g_test_add_func("/confidence/known-programs", test_known_programs);
	return g_test_run();
}
