/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences of two profiles: chosen ones with known answers, and laws that hold for any. */
#include "profile/diff.h"

#include <string.h>

#include "captures.h"

struct side {
	struct fake fake;
	SptSymbols *symbols;
	SptProfile *profile;
};

static void side_fold(struct side *side)
{
	side->symbols = spt_symbols_new(fake_capture(&side->fake), NULL);
	side->profile = spt_profile_new(&side->fake.capture, side->symbols, NULL, NULL);
}

static void side_clear(struct side *side)
{
	spt_profile_free(side->profile);
	spt_symbols_free(side->symbols);
	fake_clear(&side->fake);
}

static const SptDiffRow *row_called(GArray *rows, const char *name)
{
	for (unsigned i = 0; i < rows->len; i++) {
		if (strcmp(g_array_index(rows, SptDiffRow, i).name, name) == 0)
			return &g_array_index(rows, SptDiffRow, i);
	}
	return NULL;
}

#define assert_share(value, expected) g_assert_cmpfloat_with_epsilon(value, expected, 1e-12)

/*
 * Before: f0 1, f0;f1 3.  After: f0;f1 5, f0;f2 5.  Twice the weight is no difference; a new
 * function is one.
 */
static void add_known(struct side *sides)
{
	fake_init(&sides[SPT_BEFORE].fake);
	fake_init(&sides[SPT_AFTER].fake);
	fake_sample(&sides[SPT_BEFORE].fake, 1, (const unsigned[]){ 0 }, 1, 1, 1);
	fake_sample(&sides[SPT_BEFORE].fake, 1, (const unsigned[]){ 0, 1 }, 2, 1, 3);
	fake_sample(&sides[SPT_AFTER].fake, 1, (const unsigned[]){ 0, 1 }, 2, 1, 5);
	fake_sample(&sides[SPT_AFTER].fake, 3, (const unsigned[]){ 0, 2 }, 2, 1, 5);
	side_fold(&sides[SPT_BEFORE]);
	side_fold(&sides[SPT_AFTER]);
}

static void test_known_functions(void)
{
	struct side sides[SPT_SIDES];

	add_known(sides);

	g_autoptr(GArray) rows =
		spt_diff_functions(sides[SPT_BEFORE].profile, sides[SPT_AFTER].profile);
	g_autofree uint32_t *order = spt_diff_order(rows, false);
	const SptDiffRow *f0 = row_called(rows, "f0"), *f1 = row_called(rows, "f1"),
			 *f2 = row_called(rows, "f2");

	g_assert_cmpuint(rows->len, ==, 4);
	assert_share(f0->self[SPT_BEFORE], 0.25);
	assert_share(f0->self[SPT_AFTER], 0);
	assert_share(f0->total[SPT_BEFORE], 1);
	assert_share(f0->total[SPT_AFTER], 1);
	assert_share(f1->self[SPT_BEFORE], 0.75);
	assert_share(f1->self[SPT_AFTER], 0.5);
	assert_share(f2->self[SPT_BEFORE], 0);
	assert_share(f2->total[SPT_AFTER], 0.5);
	g_assert_true(row_called(rows, "even")->is_process);
	/* f2 +50; of f0 and f1, both -25, f1 has also changed its total. */
	g_assert_cmpstr(g_array_index(rows, SptDiffRow, order[0]).name, ==, "f2");
	g_assert_cmpstr(g_array_index(rows, SptDiffRow, order[1]).name, ==, "f1");
	g_assert_cmpstr(g_array_index(rows, SptDiffRow, order[2]).name, ==, "f0");
	side_clear(&sides[SPT_BEFORE]);
	side_clear(&sides[SPT_AFTER]);
}

static void test_known_paths(void)
{
	struct side sides[SPT_SIDES];

	add_known(sides);

	g_autoptr(GArray) rows =
		spt_diff_paths(sides[SPT_BEFORE].profile, sides[SPT_AFTER].profile);
	const SptDiffRow *f2 = row_called(rows, "f2"),
			 *above = &g_array_index(rows, SptDiffRow, f2->parent);

	g_assert_cmpuint(rows->len, ==, 4);
	g_assert_cmpstr(above->name, ==, "f0");
	g_assert_cmpstr(g_array_index(rows, SptDiffRow, above->parent).name, ==, "even");
	g_assert_cmpuint(g_array_index(rows, SptDiffRow, above->parent).parent, ==, UINT32_MAX);
	assert_share(f2->self[SPT_AFTER], 0.5);
	assert_share(above->total[SPT_BEFORE], 1);
	side_clear(&sides[SPT_BEFORE]);
	side_clear(&sides[SPT_AFTER]);
}

/*
 * Selfs add up to the whole on each side; what is turned round changes its sign; what is the same
 * has no difference.
 */
static void test_laws(void)
{
	for (unsigned round = 0; round < 20; round++) {
		struct side sides[SPT_SIDES];

		for (unsigned side = 0; side < SPT_SIDES; side++) {
			fake_init(&sides[side].fake);
			fake_random(&sides[side].fake, 1 + g_test_rand_int_range(0, 200));
			side_fold(&sides[side]);
		}
		for (unsigned of_paths = 0; of_paths < 2; of_paths++) {
			GArray *(*diff)(const SptProfile *, const SptProfile *) =
				of_paths ? spt_diff_paths : spt_diff_functions;
			g_autoptr(GArray) rows = diff(sides[0].profile, sides[1].profile);
			g_autoptr(GArray) turned = diff(sides[1].profile, sides[0].profile);
			g_autoptr(GArray) same = diff(sides[0].profile, sides[0].profile);
			double sums[SPT_SIDES] = { 0 };

			g_assert_cmpuint(turned->len, ==, rows->len);
			for (unsigned i = 0; i < rows->len; i++) {
				const SptDiffRow *row = &g_array_index(rows, SptDiffRow, i);

				g_assert_true(row->parent == UINT32_MAX || row->parent < i);
				for (unsigned side = 0; side < SPT_SIDES; side++) {
					g_assert_true(row->self[side] <= row->total[side] + 1e-9 &&
						      row->total[side] <= 1 + 1e-9);
					sums[side] += row->self[side];
				}
			}
			g_assert_cmpfloat_with_epsilon(sums[0], 1, 1e-9);
			g_assert_cmpfloat_with_epsilon(sums[1], 1, 1e-9);
			for (unsigned i = 0; i < same->len; i++) {
				const SptDiffRow *row = &g_array_index(same, SptDiffRow, i);

				assert_share(row->self[0], row->self[1]);
				assert_share(row->total[0], row->total[1]);
			}
		}
		side_clear(&sides[0]);
		side_clear(&sides[1]);
	}
}

static void test_against_nothing(void)
{
	struct side sides[SPT_SIDES];

	fake_init(&sides[0].fake);
	fake_init(&sides[1].fake);
	fake_random(&sides[1].fake, 10);
	side_fold(&sides[0]);
	side_fold(&sides[1]);

	g_autoptr(GArray) rows = spt_diff_functions(sides[0].profile, sides[1].profile);

	for (unsigned i = 0; i < rows->len; i++)
		assert_share(g_array_index(rows, SptDiffRow, i).self[SPT_BEFORE], 0);
	side_clear(&sides[0]);
	side_clear(&sides[1]);
}

static double change_of(const SptDiffTree *tree, const char *name, uint64_t *ret_total)
{
	for (uint32_t i = 1; i < tree->tree->len; i++) {
		const SptTreeNode *node = &g_array_index(tree->tree, SptTreeNode, i);

		*ret_total = node->total;
		if (strcmp(g_array_index(tree->functions, SptFunction, node->function).name,
			   name) == 0)
			return g_array_index(tree->changes, double, i);
	}
	g_assert_not_reached();
}

/* As shares, and with a period of the other one worth half as much. */
static void test_tree(void)
{
	struct side sides[SPT_SIDES];
	const double worth[SPT_SIDES] = { 2, 1 };
	uint64_t total;

	add_known(sides);

	g_autoptr(SptDiffTree) shares =
		spt_diff_tree(sides[SPT_BEFORE].profile, sides[SPT_AFTER].profile, NULL);
	g_autoptr(SptDiffTree) weights =
		spt_diff_tree(sides[SPT_BEFORE].profile, sides[SPT_AFTER].profile, worth);

	g_assert_cmpuint(shares->tree->len, ==, 5);
	assert_share(change_of(shares, "f0", &total), 0);
	g_assert_cmpuint(total, ==,
			 SPT_DIFF_WHOLE / 4 + SPT_DIFF_WHOLE / 4 * 3 + SPT_DIFF_WHOLE / 2);
	assert_share(change_of(shares, "f1", &total), -0.25);
	g_assert_cmpuint(total, ==, SPT_DIFF_WHOLE / 4 * 3);
	assert_share(change_of(shares, "f2", &total), 0.5);
	/* 8 before and 10 after. */
	assert_share(change_of(weights, "f0", &total), 0.2);
	assert_share(change_of(weights, "f1", &total), -0.1);
	side_clear(&sides[SPT_BEFORE]);
	side_clear(&sides[SPT_AFTER]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/diff/known-functions", test_known_functions);
	g_test_add_func("/diff/known-paths", test_known_paths);
	g_test_add_func("/diff/tree", test_tree);
	g_test_add_func("/diff/laws", test_laws);
	g_test_add_func("/diff/against-nothing", test_against_nothing);
	return g_test_run();
}
