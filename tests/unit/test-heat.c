/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples in the cells of their second and its part; nothing is lost, however long a recording is.
 */
#include "picture/heat.h"

#include "captures.h"

#define SECOND 1000000000ull
#define BEGIN (5 * SECOND)

static void test_cells(void)
{
	static const uint64_t lengths[] = { 1, SECOND, 3 * SECOND, 1000 * SECOND, 123457 * SECOND };
	const unsigned function = 1;

	for (unsigned i = 0; i < G_N_ELEMENTS(lengths); i++) {
		struct fake fake;
		uint64_t all = 0;

		fake_init(&fake);
		fake_sample(&fake, 1, &function, 1, BEGIN, 1);
		fake_sample(&fake, 1, &function, 1, BEGIN + lengths[i] / 2, 2);
		fake_sample(&fake, 1, &function, 1, BEGIN + lengths[i], 4);

		g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
		g_autoptr(SptProfile) base = spt_profile_new_base(&fake.capture, symbols, NULL);
		g_autoptr(SptHeat) heat = spt_heat_new(base, BEGIN, BEGIN + lengths[i]);

		g_assert_cmpuint(heat->n_columns * heat->n_rows, <=, SPT_HEAT_MAX_CELLS);
		for (uint32_t cell = 0; cell < heat->n_columns * heat->n_rows; cell++)
			all += heat->weights[cell];
		g_assert_cmpuint(all, ==, 7);
		g_assert_cmpuint(heat->weights[0] & 1, ==, 1);
		g_assert_cmpuint(spt_heat_time(heat, 0, 0), ==, BEGIN);
		g_assert_cmpuint(spt_heat_time(heat, heat->n_columns, 0), ==,
				 BEGIN + heat->n_seconds * SECOND);
		fake_clear(&fake);
	}
}

/* The second half of the second second. */
static void test_place(void)
{
	const unsigned function = 1;
	struct fake fake;

	fake_init(&fake);
	fake_sample(&fake, 1, &function, 1, BEGIN + SECOND + SECOND / 2 + 1, 3);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(&fake.capture, symbols, NULL);
	g_autoptr(SptHeat) heat = spt_heat_new(base, BEGIN, BEGIN + 3 * SECOND);

	g_assert_cmpuint(heat->n_columns, ==, 3);
	g_assert_cmpuint(heat->weights[heat->n_rows + heat->n_rows / 2], ==, 3);
	g_assert_cmpuint(heat->most, ==, 3);
	g_assert_cmpuint(spt_heat_time(heat, 1, heat->n_rows / 2), ==, BEGIN + SECOND + SECOND / 2);
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/heat/cells", test_cells);
	g_test_add_func("/heat/place", test_place);
	return g_test_run();
}
