/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a walk are those that a refiltered profile adds up, and come in the order of time. */
#include "profile/rows.h"

#include "captures.h"
#include "profile/where-expression.h"

/* By leaf of the tree. */
static void check_rows(const SptProfile *base, const SptFilter *filter)
{
	g_autoptr(SptProfile) part = spt_profile_refilter(base, filter, NULL);
	g_autoptr(SptProfileRows) rows = spt_profile_rows_new(base, filter);
	uint32_t n_nodes;
	const SptTreeNode *nodes = spt_profile_tree(part, &n_nodes);
	g_autofree uint64_t *selfs = g_new0(uint64_t, n_nodes);
	SptProfileRow row;
	uint64_t n = 0, last = 0;

	for (; spt_profile_rows_next(rows, &row); n++) {
		g_assert_cmpuint(row.time, >=, last);
		last = row.time;
		selfs[row.leaf] += row.weight;
	}
	g_assert_cmpuint(n, ==, spt_profile_n_samples(part));
	for (uint32_t i = 0; i < n_nodes; i++)
		g_assert_cmpuint(selfs[i], ==, nodes[i].self);
	/* After the last one it begins again. */
	g_assert_true(spt_profile_rows_next(rows, &row) == (n > 0));
}

static void test_rows_are_the_profile(void)
{
	const bool cpus[] = { true, false, true };
	g_autoptr(GError) error = NULL;
	g_autoptr(SptExpression) where = spt_expression_parse("f1 and not f2", &error);
	const SptFilter filters[] = {
		{ .begin_ns = 1100, .end_ns = 1500 },
		{ .process = "even" },
		{ .thread = "11", .begin_ns = 1300 },
		{ .cpus = cpus, .n_cpus = G_N_ELEMENTS(cpus) },
		{ .where = where, .process = "even", .end_ns = 1800 },
		{ .side = SPT_SIDE_USER },
	};
	struct fake fake;

	g_assert_no_error(error);
	fake_init(&fake);
	fake_random_on_cpus(&fake, 1000);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(&fake.capture, symbols, NULL);

	check_rows(base, NULL);
	for (unsigned i = 0; i < G_N_ELEMENTS(filters); i++)
		check_rows(base, &filters[i]);
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/rows/are-the-profile", test_rows_are_the_profile);
	return g_test_run();
}
