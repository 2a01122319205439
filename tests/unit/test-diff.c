/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Differences of two profiles: chosen ones with known answers, and laws that hold for any. */
#include "profile/diff.h"

#include <string.h>

#include "captures.h"
#include "profile/stem.h"

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

/* What compilers add to names does not count, what the source has does. */
static void test_stems(void)
{
	static const char *const stems[][2] = {
		{ "f", "f" },
		{ "f.isra.0", "f" },
		{ "f.constprop.12.isra.3", "f" },
		{ "f.part.2.cold", "f" },
		{ "f.cold.17", "f" },
		{ "f.lto_priv.0.lto_priv.1", "f" },
		{ "f.localalias", "f" },
		{ "f.llvm.1234567890123456789", "f" },
		{ "f.llvm.9F03B2A1C", "f" },
		{ "f.__uniq.12345.llvm.6", "f" },
		{ "n::f<int>(int) [clone .isra.0]", "n::f<int>(int)" },
		{ "n::f(int) [clone .constprop.0.cold] [clone .llvm.7]", "n::f(int)" },
		{ "core::slice::sort::merge.llvm.77", "core::slice::sort::merge" },
		/* Regions and closures of a function; names of it. */
		{ "f._omp_fn.0", "f._omp_fn.0" },
		{ "n::f() [clone ._omp_fn.1]", "n::f() [clone ._omp_fn.1]" },
		{ "main.main.func1.2", "main.main.func1.2" },
		{ "main.part", "main.part" },
		{ "f.actor", "f.actor" },
		{ ".cold", ".cold" },
		{ ".isra.0", ".isra.0" },
		{ " [clone .isra.0]", " [clone .isra.0]" },
		{ "x [clone ]", "x [clone ]" },
		{ "", "" },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(stems); i++)
		g_assert_cmpstr(spt_stem(stems[i][0]), ==, stems[i][1]);
	g_assert_cmpstr(spt_stem_without_number("f.12"), ==, "f");
	g_assert_cmpstr(spt_stem_without_number("f12"), ==, "f12");
	g_assert_cmpstr(spt_stem_without_number(".12"), ==, ".12");
	g_assert_cmpstr(spt_stem_without_number("12"), ==, "12");
	g_assert_cmpstr(spt_stem_of_object("bench-0123456789abcdef"), ==, "bench");
	g_assert_cmpstr(spt_stem_of_object("libstd-0123456789abcdef.so"), ==, "libstd.so");
	g_assert_cmpstr(spt_stem_of_object("ld-linux-x86-64.so.2"), ==, "ld-linux-x86-64.so.2");
	g_assert_cmpstr(spt_stem_of_object("x-0123456789abcdef0"), ==, "x-0123456789abcdef0");
}

/*
 * The same program, compiled twice.  A total is that of the outermost of those that are one.
 * Numbers that may be the only difference are dropped only where they make one pair.
 */
static void test_built_twice(void)
{
	struct side sides[SPT_SIDES];
	static const char *const names[SPT_SIDES][6] = {
		{ "g.llvm.111", "x.isra.0", "x.part.0", "in.2345", "l.1", "l.2" },
		{ "g.llvm.222", "x.isra.4", "x.constprop.1", "in.6789", "l.3", "l.2" },
	};

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		struct fake *fake = &sides[side].fake;

		fake_init(fake);
		for (unsigned i = 0; i < G_N_ELEMENTS(names[side]); i++)
			fake->names[i].symbol = names[side][i];
		fake_sample(fake, 1, (const unsigned[]){ 0, 1, 2 }, 3, 1, 4);
		fake_sample(fake, 1, (const unsigned[]){ 1 }, 1, 1, 2);
		fake_sample(fake, 1, (const unsigned[]){ 3 }, 1, 1, 2);
		fake_sample(fake, 1, (const unsigned[]){ 4 }, 1, 1, 1);
		fake_sample(fake, 1, (const unsigned[]){ 5 }, 1, 1, 1);
		if (side == SPT_AFTER)
			fake_sample(fake, 1, (const unsigned[]){ 0 }, 1, 1, 10);
		side_fold(&sides[side]);
	}

	g_autoptr(GArray) rows =
		spt_diff_functions(sides[SPT_BEFORE].profile, sides[SPT_AFTER].profile);
	g_autoptr(GArray) paths =
		spt_diff_paths(sides[SPT_BEFORE].profile, sides[SPT_AFTER].profile);
	const SptDiffRow *g = row_called(rows, "g"), *x = row_called(rows, "x"),
			 *in = row_called(rows, "in");

	g_assert_cmpuint(rows->len, ==, 6);
	assert_share(g->self[SPT_BEFORE], 0);
	assert_share(g->self[SPT_AFTER], 0.5);
	assert_share(g->total[SPT_BEFORE], 0.4);
	assert_share(g->total[SPT_AFTER], 0.7);
	assert_share(x->self[SPT_BEFORE], 0.6);
	assert_share(x->total[SPT_BEFORE], 0.6);
	assert_share(x->total[SPT_AFTER], 0.3);
	assert_share(in->self[SPT_BEFORE], 0.2);
	assert_share(in->self[SPT_AFTER], 0.1);
	/* l.1 and l.3 may be anything. */
	assert_share(row_called(rows, "l")->self[SPT_BEFORE], 0.1);
	assert_share(row_called(rows, "l.2")->self[SPT_BEFORE], 0.1);
	g_assert_null(row_called(rows, "x.isra.0"));
	/* The process, and below it g, g;x, g;x;x, x, in, l, l.2 */
	g_assert_cmpuint(paths->len, ==, 8);
	for (unsigned side = 0; side < SPT_SIDES; side++)
		side_clear(&sides[side]);
}

/* The same function in two programs, a slow one and a fast one. */
static void test_renamed(void)
{
	static const char *const programs[SPT_SIDES] = { "slow", "fast" };
	static const char *const paths[SPT_SIDES] = { "/opt/slow", "/opt/fast" };
	struct side sides[SPT_SIDES];

	for (unsigned side = 0; side < SPT_SIDES; side++) {
		struct fake *fake = &sides[side].fake;

		fake_init(fake);
		fake->objects[1].kind = SPT_OBJECT_FILE;
		fake->objects[1].path = (char *)paths[side];
		fake->processes[1].name = fake->processes[3].name = (char *)programs[side];
		fake_sample(fake, 1, (const unsigned[]){ 0, 1 }, 2, 1, side ? 1 : 3);
		fake_sample(fake, 1, (const unsigned[]){ 0, 2 }, 2, 1, 1);
		side_fold(&sides[side]);
	}

	g_autoptr(GArray) rows =
		spt_diff_functions(sides[SPT_BEFORE].profile, sides[SPT_AFTER].profile);
	const SptDiffRow *f1 = row_called(rows, "f1");

	/* The process, and f0 to f2. */
	g_assert_cmpuint(rows->len, ==, 4);
	assert_share(f1->self[SPT_BEFORE], 0.75);
	assert_share(f1->self[SPT_AFTER], 0.5);
	g_assert_cmpstr(f1->object, ==, "slow, fast");
	assert_share(row_called(rows, "slow, fast")->total[SPT_AFTER], 1);
	for (unsigned side = 0; side < SPT_SIDES; side++)
		side_clear(&sides[side]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/diff/known-functions", test_known_functions);
	g_test_add_func("/diff/known-paths", test_known_paths);
	g_test_add_func("/diff/tree", test_tree);
	g_test_add_func("/diff/stems", test_stems);
	g_test_add_func("/diff/built-twice", test_built_twice);
	g_test_add_func("/diff/renamed", test_renamed);
	g_test_add_func("/diff/laws", test_laws);
	g_test_add_func("/diff/against-nothing", test_against_nothing);
	return g_test_run();
}
