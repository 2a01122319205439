/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks without some functions, with several as one, from one on: known answers, and laws. */
#include "profile/shape.h"

#include "captures.h"
#include "profile/restrictions.h"

/* "even;f0;f1 3" for each stack that has weight of its own, in the order of the tree. */
static char *folded(const SptProfile *profile)
{
	uint32_t n, n_functions;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n);
	const SptFunction *functions = spt_profile_functions(profile, &n_functions);
	GString *text = g_string_new(NULL);

	for (uint32_t i = 1; i < n; i++) {
		g_autofree char *path = NULL;

		if (nodes[i].self == 0)
			continue;
		for (uint32_t at = i; at != 0; at = nodes[at].parent) {
			char *longer = g_strconcat(functions[nodes[at].function].name,
						   path ? ";" : "", path, NULL);

			g_free(path);
			path = longer;
		}
		g_string_append_printf(text, "%s %" G_GUINT64_FORMAT "\n", path, nodes[i].self);
	}
	return g_string_free(text, FALSE);
}

static SptPattern *pattern_of(const char *text)
{
	g_autoptr(GError) error = NULL;
	SptPattern *pattern = spt_pattern_new(text, &error);

	g_assert_no_error(error);
	return pattern;
}

/* Patterns; NULL or false: not asked for. */
struct request {
	const char *hide, *merge, *root;
	bool folds_recursion;
	const char *expected;
};

static void check(struct fake *fake, const struct request *request)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(fake), NULL);
	g_autoptr(SptPattern) hidden = request->hide ? pattern_of(request->hide) : NULL;
	g_autoptr(SptPattern) merged = request->merge ? pattern_of(request->merge) : NULL;
	g_autoptr(SptPattern) root = request->root ? pattern_of(request->root) : NULL;
	const SptPattern *all[] = { merged };
	const SptShape shape = { hidden, all, merged ? 1 : 0, root, request->folds_recursion };
	g_autoptr(SptProfile) plain = spt_profile_new(&fake->capture, symbols, NULL,
						      &(SptFilter){ .root = root });
	g_autoptr(SptProfile) profile = spt_profile_reshape(plain, &shape);
	g_autofree char *seen = folded(profile);

	g_assert_cmpstr(seen, ==, request->expected);
	g_assert_cmpuint(spt_profile_total(profile), ==, spt_profile_total(plain));
	g_assert_cmpuint(spt_profile_n_samples(profile), ==, spt_profile_n_samples(plain));
}

/* Process "even": f0;f1;f1;f2 10, f0;f1 3, f2;f0;f2;f1 4, nothing 1. */
static void test_known(void)
{
	static const struct request requests[] = {
		{ .expected = "even;[no stack] 1\neven;f0;f1 3\neven;f0;f1;f1;f2 10\n"
			      "even;f2;f0;f2;f1 4\n" },
		{ .hide = "f1",
		  .expected = "even;f0 3\neven;[no stack] 1\neven;f0;f2 10\neven;f2;f0;f2 4\n" },
		{ .hide = "f*", .expected = "even 17\neven;[no stack] 1\n" },
		{ .hide = "/^f[12]$/", .expected = "even;f0 17\neven;[no stack] 1\n" },
		{ .merge = "f0|f1",
		  .expected = "even;f0|f1 3\neven;[no stack] 1\neven;f0|f1;f2 10\n"
			      "even;f2;f0|f1;f2;f0|f1 4\n" },
		{ .root = "f1", .expected = "even;f1 7\neven;f1;f1;f2 10\n" },
		{ .root = "f1", .hide = "f1", .expected = "even 7\neven;f2 10\n" },
		{ .root = "f2", .expected = "even;f2 10\neven;f2;f0;f2;f1 4\n" },
		{ .folds_recursion = true,
		  .expected = "even;[no stack] 1\neven;f0;f1 3\neven;f2;f1 4\neven;f0;f1;f2 10\n" },
		{ .root = "none", .expected = "" },
	};
	struct fake fake;

	fake_init(&fake);
	fake_sample(&fake, 1, (const unsigned[]){ 0, 1, 1, 2 }, 4, 100, 10);
	fake_sample(&fake, 1, (const unsigned[]){ 0, 1 }, 2, 200, 3);
	fake_sample(&fake, 1, (const unsigned[]){ 2, 0, 2, 1 }, 4, 300, 4);
	fake_sample(&fake, 1, NULL, 0, 400, 1);
	for (unsigned i = 0; i < G_N_ELEMENTS(requests); i++)
		check(&fake, &requests[i]);
	fake_clear(&fake);
}

/* The viewer's way to the same stacks: chips, an arrangement, and a filter of that. */
static void check_chips(struct fake *fake, const SptRestriction *items, unsigned n,
			const char *expected)
{
	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(fake), NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(&fake->capture, symbols, NULL);
	g_autoptr(SptRestrictions) chips = spt_restrictions_new();
	g_autoptr(SptProfile) arranged = NULL;
	g_autoptr(SptProfile) profile = NULL;
	g_autofree char *seen = NULL;

	for (unsigned i = 0; i < n; i++) {
		SptRestrictions *more = spt_restrictions_add(chips, &items[i]);

		g_assert_false(i + 1 == n && items[i].kind != SPT_RESTRICT_FUNCTION &&
			       spt_restrictions_have_same_shape(chips, more));
		spt_restrictions_unref(chips);
		chips = more;
	}
	arranged = spt_profile_arrange(
		base, &(SptArrangement){ .shape = *spt_restrictions_shape(chips) });
	profile = spt_profile_refilter(arranged, spt_restrictions_filter(chips), NULL);
	seen = folded(profile);
	g_assert_cmpstr(seen, ==, expected);
}

static void test_chips(void)
{
	const SptRestriction hide_f1 = { .kind = SPT_RESTRICT_HIDDEN, .text = "f1" };
	const SptRestriction hide_f2 = { .kind = SPT_RESTRICT_HIDDEN, .text = "f2" };
	const SptRestriction at_f1 = { .kind = SPT_RESTRICT_ROOT, .text = "f1" };
	const SptRestriction with_f1 = { .kind = SPT_RESTRICT_FUNCTION, .text = "f1" };
	struct fake fake;

	fake_init(&fake);
	fake_sample(&fake, 1, (const unsigned[]){ 0, 1, 1, 2 }, 4, 100, 10);
	fake_sample(&fake, 1, (const unsigned[]){ 0, 2 }, 2, 200, 3);
	fake_sample(&fake, 1, NULL, 0, 400, 1);
	check_chips(&fake, (const SptRestriction[]){ hide_f1, hide_f2 }, 2,
		    "even;f0 13\neven;[no stack] 1\n");
	check_chips(&fake, &at_f1, 1, "even;f1;f1;f2 10\n");
	/* What is hidden is still on the stack for a condition. */
	check_chips(&fake, (const SptRestriction[]){ with_f1, hide_f1 }, 2, "even;f0;f2 10\n");
	check_chips(&fake, (const SptRestriction[]){ at_f1, hide_f1 }, 2, "even;f2 10\n");
	fake_clear(&fake);
}

static void test_patterns(void)
{
	static const struct {
		const char *pattern, *function;
		bool matches;
	} cases[] = {
		{ "malloc|free", "free", true },
		{ "malloc|free", "mallocs", false },
		{ "std::*", "std::sort(int*)", true },
		{ "sort", "sort(int*)", true },
		{ "operator|", "operator|(A, B)", true },
		{ "operator||", "operator||(A, B)", true },
		{ "operator|=|x", "x", true },
		{ "operator||x", "operator||x", true },
		{ "/^x.z$/", "xyz", true },
		{ "/y/", "xyz", true },
		{ "/\\xff/", "a\xff", true },
		{ "/", "/", true },
	};
	static const char *const bad[] = { "", "a|", "|a", "a||b", "/(/" };

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(SptPattern) pattern = pattern_of(cases[i].pattern);

		g_assert_cmpstr(spt_pattern_text(pattern), ==, cases[i].pattern);
		if (spt_pattern_matches(pattern, cases[i].function) != cases[i].matches)
			g_error("%s and %s", cases[i].pattern, cases[i].function);
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(spt_pattern_new(bad[i], &error));
		g_assert_error(error, SPT_PATTERN_ERROR, SPT_PATTERN_ERROR_SYNTAX);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/shape/known", test_known);
	g_test_add_func("/shape/chips", test_chips);
	g_test_add_func("/shape/patterns", test_patterns);
	return g_test_run();
}
