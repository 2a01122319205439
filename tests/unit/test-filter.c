/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters: expressions, patterns, categories; and that a refiltered profile is what folding anew
 * would have made.
 */
#include "profile/arrange.h"
#include "profile/categories.h"
#include "profile/where-expression.h"
#include "profile/glob.h"
#include "profile/profile.h"

#include <string.h>

#include "captures.h"

static void test_globs(void)
{
	static const struct {
		const char *pattern, *text;
		bool matches;
	} cases[] = {
		{ "", "", true },
		{ "", "a", false },
		{ "*", "", true },
		{ "*", "abc", true },
		{ "a*", "abc", true },
		{ "*c", "abc", true },
		{ "*b", "abc", false },
		{ "a?c", "abc", true },
		{ "a?c", "ac", false },
		{ "*alloc*", "my_realloc_all", true },
		{ "**x**", "aaxaa", true },
		{ "a*b*c", "a__b__b__c", true },
		{ "a*b*c", "a__c__b", false },
		{ "abc", "abc", true },
		{ "[a]", "[a]", true },
		{ "?", "", false },
		{ "map<...>::at(...)", "map<int, long>::at(int const&)", true },
		{ "map<...>::at(...)", "map<int, long>::put(int const&)", false },
		{ "printf(char const*, ...)", "printf(char const*, ...)", true },
		{ "map<...>::at(...)", "map<int, long>::at(int const&) const", true },
		{ "map<...>::at", "map<int, long>::at(int const&)", true },
		{ "map<...>::at", "map<int, long>::attach(int const&)", false },
		{ "...", "", true },
		{ "..", "..", true },
	};
	g_autofree char *pattern = g_strnfill(60, '*'), *text = g_strnfill(100000, 'a');

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++)
		g_assert_cmpint(spt_glob_match(cases[i].pattern, cases[i].text), ==,
				cases[i].matches);
	g_assert_true(spt_glob_is_pattern("map<...>::at"));
	g_assert_false(spt_glob_is_pattern("printf"));
	g_assert_true(spt_glob_is_called("parse", "parse"));
	g_assert_true(spt_glob_is_called("parse(int)", "parse"));
	g_assert_true(spt_glob_is_called("parse(int)", "parse(int)"));
	g_assert_false(spt_glob_is_called("parse_line", "parse"));
	g_assert_false(spt_glob_is_called("parse", "parse("));
	/* "*a*a*a...b" must not take for ever. */
	for (unsigned i = 1; i < 59; i += 2)
		pattern[i] = 'a';
	pattern[58] = 'b';
	g_assert_false(spt_glob_match(pattern, text));
}

/* f0;f1 x1, f0;f1;f2 x2, f0;f2 x4, f3 x8, nothing x16 */
static void add_known(struct fake *fake)
{
	fake_init(fake);
	fake_sample(fake, 1, (const unsigned[]){ 0, 1 }, 2, 100, 1);
	fake_sample(fake, 1, (const unsigned[]){ 0, 1, 2 }, 3, 200, 2);
	fake_sample(fake, 2, (const unsigned[]){ 0, 2 }, 2, 300, 4);
	fake_sample(fake, 3, (const unsigned[]){ 3 }, 1, 400, 8);
	fake_sample(fake, 4, NULL, 0, 500, 16);
}

static void test_expressions(void)
{
	static const struct {
		const char *text;
		uint64_t total;
	} cases[] = {
		{ "f0", 7 },
		{ "f1", 3 },
		{ "f2", 6 },
		{ "not f0", 24 },
		{ "f0 and f2", 6 },
		{ "f0 and not f2", 1 },
		{ "f1 or f3", 11 },
		{ "f0 and (f1 or f3)", 3 },
		{ "(f0 and f1) or f3", 11 },
		{ "f3 or f0 and f1", 11 },
		{ "not not f0", 7 },
		{ "not (f0 or f3)", 16 },
		{ "f?", 15 },
		{ "f* and not \"f0\"", 8 },
		{ "\"f*\"", 0 },
		{ "  (  ( f0 ) )  ", 7 },
		{ "even", 0 },
		{ "\"f\\0\"", 7 },
		{ "not f1 and f2", 4 },
		{ "not nothing", 31 },
		{ "android", 0 },
		{ "notf0", 0 },
	};
	struct fake fake;

	add_known(&fake);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(&fake.capture, symbols, NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(SptExpression) expression = spt_expression_parse(cases[i].text, &error);
		const SptFilter filter = { .where = expression };
		g_autoptr(SptProfile) folded = NULL;
		g_autoptr(SptProfile) again = NULL;

		g_assert_no_error(error);
		folded = spt_profile_new(&fake.capture, symbols, NULL, &filter);
		again = spt_profile_refilter(base, &filter, NULL);
		g_test_message("%s", cases[i].text);
		g_assert_cmpuint(spt_profile_total(folded), ==, cases[i].total);
		g_assert_cmpuint(spt_profile_total(again), ==, cases[i].total);
	}
	fake_clear(&fake);
}

static void test_what_is_no_expression(void)
{
	static const char *const cases[] = {
		"",	  " ",		 "(",
		")",	  "()",		 "f0 f1",
		"f0 and", "and f0",	 "or",
		"not",	  "f0 or or f1", "(f0",
		"f0)",	  "\"f0",	 "f0 and (f1 or",
		"f0(",	  "\"a\"\"b\"",
	};
	g_autoptr(GString) deep = g_string_new(NULL);
	g_autoptr(GString) many = g_string_new("f0");
	g_autoptr(GString) inverted = g_string_new(NULL);
	g_autoptr(GError) too_deep = NULL;
	g_autoptr(GError) too_many = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		g_test_message("%s", cases[i]);
		g_assert_null(spt_expression_parse(cases[i], &error));
		g_assert_error(error, SPT_EXPRESSION_ERROR, SPT_EXPRESSION_ERROR_SYNTAX);
		g_assert_nonnull(strstr(error->message, "is no expression"));
	}
	for (unsigned i = 0; i < 100000; i++)
		g_string_append_c(deep, '(');
	g_assert_null(spt_expression_parse(deep->str, &too_deep));
	g_assert_error(too_deep, SPT_EXPRESSION_ERROR, SPT_EXPRESSION_ERROR_TOO_LARGE);
	for (unsigned i = 0; i < SPT_EXPRESSION_MAX_NAMES; i++)
		g_string_append(many, " or f0");
	g_assert_null(spt_expression_parse(many->str, &too_many));
	g_assert_error(too_many, SPT_EXPRESSION_ERROR, SPT_EXPRESSION_ERROR_TOO_LARGE);
	for (unsigned i = 0; i < 100000; i++)
		g_string_append(inverted, "not ");
	g_string_append(inverted, "f0");
	spt_expression_free(spt_expression_parse(inverted->str, NULL));
}

static void test_quoting(void)
{
	static const char *const names[] = { "a", "operator new(unsigned long)", "say \"x\\y\"",
					     "and", "" };

	for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *quoted = spt_expression_quote(names[i]);
		g_autoptr(SptExpression) expression = spt_expression_parse(quoted, NULL);
		const SptFunction functions[] = { { .name = names[i] }, { .name = "other" } };
		const SptTreeNode nodes[] = { { .function = UINT32_MAX },
					      { .function = 0 },
					      { .function = 1 } };
		g_autofree bool *holds = spt_expression_holds(expression, nodes, 3, functions, 2);

		g_assert_false(holds[0]);
		g_assert_true(holds[1]);
		g_assert_false(holds[2]);
	}
}

static void test_who_and_where(void)
{
	static const bool cpus[] = { false, true };
	static const struct {
		SptFilter filter;
		uint64_t total;
	} cases[] = {
		{ { .thread = "13" }, 16 },
		{ { .thread = "first" }, 3 },
		{ { .thread = "formerly" }, 3 },
		{ { .thread = "former" }, 0 },
		{ { .thread = "nobody" }, 0 },
		{ { .thread = "99" }, 0 },
		{ { .thread = "77" }, 0 },
		{ { .cpus = cpus, .n_cpus = 2 }, 12 },
		{ { .cpus = cpus, .n_cpus = 1 }, 0 },
		{ { .side = SPT_SIDE_KERNEL }, 15 },
		{ { .side = SPT_SIDE_USER }, 0 },
		{ { .object = "[kern*" }, 15 },
		{ { .object = "libc" }, 0 },
		{ { .process = "formerly" }, 3 },
		{ { .process = "even", .thread = "first" }, 3 },
		{ { .process = "odd", .thread = "first" }, 0 },
		{ { .begin_ns = 150, .thread = "first" }, 2 },
	};
	struct fake fake;

	add_known(&fake);
	fake.threads[1].name = "first";
	fake.threads[1].former = "77\nformerly\n";
	g_array_index(fake.samples, SptSampleRow, 2).cpu = 1;
	g_array_index(fake.samples, SptSampleRow, 3).cpu = 1;
	g_array_index(fake.samples, SptSampleRow, 4).cpu = 5;

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(&fake.capture, symbols, NULL);

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(SptProfile) folded =
			spt_profile_new(&fake.capture, symbols, NULL, &cases[i].filter);
		g_autoptr(SptProfile) again = spt_profile_refilter(base, &cases[i].filter, NULL);

		g_assert_cmpuint(spt_profile_total(folded), ==, cases[i].total);
		g_assert_cmpuint(spt_profile_total(again), ==, cases[i].total);
	}
	fake_clear(&fake);
}

static gint compare_lines(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * All that weighs anything, in an order that does not depend on the tree's: "path self total" and
 * "function self total".
 */
static char *describe(const SptProfile *profile)
{
	uint32_t n_nodes, n;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n_nodes);
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(paths, g_strdup(""));
	for (uint32_t i = 1; i < n_nodes; i++) {
		g_ptr_array_add(paths, g_strconcat(paths->pdata[nodes[i].parent], ";",
						   functions[nodes[i].function].name, NULL));
		if (nodes[i].total > 0)
			g_ptr_array_add(lines, g_strdup_printf("%s %u %u", (char *)paths->pdata[i],
							       (unsigned)nodes[i].self,
							       (unsigned)nodes[i].total));
	}
	for (uint32_t i = 0; i < n; i++) {
		if (functions[i].total > 0)
			g_ptr_array_add(lines,
					g_strdup_printf("%s%s %u %u",
							functions[i].is_process ? "process " : "",
							functions[i].name,
							(unsigned)functions[i].self,
							(unsigned)functions[i].total));
	}
	g_ptr_array_sort(lines, compare_lines);
	g_ptr_array_add(lines, NULL);
	return g_strjoinv("\n", (char **)lines->pdata);
}

static void random_filter(SptFilter *filter, SptExpression **where)
{
	static const char *const expressions[] = { "f0", "not f1", "f2 and not (f3 or f1)",
						   "f* and f5" };
	static const bool cpus[] = { true, false, true };

	*filter = (SptFilter){ 0 };
	*where = NULL;
	if (g_test_rand_bit())
		filter->begin_ns = 1000 + g_test_rand_int_range(0, 300);
	if (g_test_rand_bit())
		filter->end_ns = 1000 + g_test_rand_int_range(0, 300);
	if (g_test_rand_bit())
		filter->process = g_test_rand_bit() ? "even" : "11";
	if (g_test_rand_bit()) {
		filter->cpus = cpus;
		filter->n_cpus = 3;
	}
	if (g_test_rand_bit())
		filter->where = *where =
			spt_expression_parse(expressions[g_test_rand_int_range(0, 4)], NULL);
}

/* One base, one result that is used again and again; rows out of the order of time. */
static void test_refiltering_is_folding_anew(void)
{
	for (unsigned round = 0; round < 20; round++) {
		struct fake fake;

		fake_init(&fake);
		fake_random(&fake, 300);
		for (unsigned i = 0; i < fake.samples->len; i++) {
			SptSampleRow *row = &g_array_index(fake.samples, SptSampleRow, i);

			row->cpu = i % 4;
			row->time += g_test_rand_int_range(0, 5);
		}

		g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
		g_autoptr(SptProfile) base = spt_profile_new_base(&fake.capture, symbols, NULL);
		g_autofree char *whole = describe(base);
		g_autoptr(SptProfile) again = NULL;

		for (unsigned turn = 0; turn < 30; turn++) {
			SptExpression *where;
			SptFilter filter;

			random_filter(&filter, &where);
			again = spt_profile_refilter(base, &filter, again);

			g_autoptr(SptProfile) folded =
				spt_profile_new(&fake.capture, symbols, NULL, &filter);
			g_autofree char *expected = describe(folded);
			g_autofree char *found = describe(again);

			g_assert_cmpstr(found, ==, expected);
			g_assert_cmpuint(spt_profile_n_samples(again), ==,
					 spt_profile_n_samples(folded));
			g_assert_cmpuint(spt_profile_total(again), ==, spt_profile_total(folded));
			spt_expression_free(where);
		}
		again = spt_profile_refilter(base, NULL, again);

		g_autofree char *unfiltered = describe(again);

		g_assert_cmpstr(unfiltered, ==, whole);
		fake_clear(&fake);
	}
}

/* Siblings stay sorted when an expression has taken samples away. */
static void test_order_behind_an_expression(void)
{
	g_autoptr(SptExpression) where = spt_expression_parse("not f2", NULL);
	const SptFilter filter = { .where = where };
	struct fake fake;
	uint32_t n;

	fake_init(&fake);
	fake_sample(&fake, 1, (const unsigned[]){ 0, 2 }, 2, 1, 100);
	fake_sample(&fake, 1, (const unsigned[]){ 0 }, 1, 1, 1);
	fake_sample(&fake, 1, (const unsigned[]){ 1 }, 1, 1, 5);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(&fake.capture, symbols, NULL, &filter);
	const SptTreeNode *nodes = spt_profile_tree(profile, &n);
	const SptFunction *functions = spt_profile_functions(profile, &n);

	g_assert_cmpuint(nodes[1].n_children, ==, 2);
	g_assert_cmpstr(functions[nodes[nodes[1].first_child].function].name, ==, "f1");
	g_assert_cmpuint(spt_profile_find(profile, "f2"), ==, UINT32_MAX);
	fake_clear(&fake);
}

static uint64_t weight_of(const GArray *weights, const char *name)
{
	for (unsigned i = 0; i < weights->len; i++) {
		if (strcmp(g_array_index(weights, SptCategoryWeight, i).name, name) == 0)
			return g_array_index(weights, SptCategoryWeight, i).weight;
	}
	g_assert_not_reached();
}

/* Arranged by category there is a root for each that has a weight, with that weight. */
static void check_roots_are(const SptCategories *categories, const struct fake *fake,
			    SptSymbols *symbols, const GArray *weights)
{
	const SptArrangement by = { .roots = spt_roots_named("category"),
				    .categories = categories };
	g_autoptr(SptProfile) base = spt_profile_new_base(&fake->capture, symbols, NULL);
	g_autoptr(SptProfile) arranged = spt_profile_arrange(base, &by);
	uint32_t n, n_roots = 0, n_weights = 0;
	const SptFunction *functions = spt_profile_functions(arranged, &n);

	g_assert_cmpstr(spt_roots_name(by.roots), ==, "category");
	g_assert_cmpuint(spt_profile_total(arranged), ==, spt_profile_total(base));
	for (uint32_t i = 0; i < n; i++) {
		SptRoots roots;

		if (!spt_profile_root(arranged, i, &roots))
			continue;
		g_assert_cmpstr(functions[i].object, ==, "(category)");
		g_assert_cmpuint(functions[i].total, ==, weight_of(weights, functions[i].name));
		n_roots++;
	}
	for (uint32_t i = 0; i < weights->len; i++)
		n_weights += g_array_index(weights, SptCategoryWeight, i).weight > 0;
	g_assert_cmpuint(n_roots, ==, n_weights);
	g_assert_cmpstr(spt_category_name(categories, 1), ==, "second one");
	g_assert_null(spt_category_name(categories, 5));
}

static void test_categories(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCategories) categories = spt_categories_parse(
		"# rules\n\nsecond one = f2\n  first=f0 @ [kernel]  \nnever = f1 @ libc*\nlate = f2\n\tfirst = operator= \n",
		&error);
	struct fake fake;

	g_assert_no_error(error);
	add_known(&fake);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(&fake.capture, symbols, NULL, NULL);
	g_autoptr(GArray) weights = spt_categories_weigh(categories, profile);

	g_assert_cmpuint(weights->len, ==, 5);
	g_assert_cmpuint(weight_of(weights, "second one"), ==, 6);
	g_assert_cmpuint(weight_of(weights, "first"), ==, 1);
	g_assert_cmpuint(weight_of(weights, "never"), ==, 0);
	g_assert_cmpuint(weight_of(weights, "late"), ==, 0);
	g_assert_cmpuint(weight_of(weights, "other"), ==, 24);
	g_assert_cmpstr(g_array_index(weights, SptCategoryWeight, 0).name, ==, "second one");
	g_assert_cmpstr(g_array_index(weights, SptCategoryWeight, 4).name, ==, "other");
	check_roots_are(categories, &fake, symbols, weights);
	fake_clear(&fake);
}

static void test_what_is_no_rule(void)
{
	static const char *const cases[] = { "memory", "= f0", "memory =", "memory = f0 @ ",
					     "a = b\n\nmemory malloc" };
	static const char *const lines[] = { "line 1", "line 1", "line 1", "line 1", "line 3" };

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(SptCategories) categories = spt_categories_parse(cases[i], &error);

		g_assert_null(categories);
		g_assert_error(error, SPT_CATEGORIES_ERROR, SPT_CATEGORIES_ERROR_SYNTAX);
		g_assert_nonnull(strstr(error->message, lines[i]));
	}
}

static void test_several_functions(void)
{
	struct fake fake;
	uint64_t self, total, sum = 0;

	add_known(&fake);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) profile = spt_profile_new(&fake.capture, symbols, NULL, NULL);
	const uint32_t both[] = { spt_profile_find(profile, "f1"),
				  spt_profile_find(profile, "f2") };
	g_autoptr(GArray) callers = spt_profile_callers_of(profile, both, 2);
	g_autoptr(GArray) callees = spt_profile_callees_of(profile, both, 2);
	g_autoptr(GArray) matched = spt_profile_match(profile, "f*");

	spt_profile_sums_of(profile, both, 2, &self, &total);
	g_assert_cmpuint(self, ==, 7);
	g_assert_cmpuint(total, ==, 7);
	g_assert_cmpuint(callers->len, ==, 1);
	g_assert_cmpuint(g_array_index(callers, SptEdge, 0).function, ==,
			 spt_profile_find(profile, "f0"));
	g_assert_cmpuint(g_array_index(callers, SptEdge, 0).weight, ==, 7);
	g_assert_cmpuint(callees->len, ==, 1);
	g_assert_cmpuint(g_array_index(callees, SptEdge, 0).weight, ==, 2);

	/*
	 * Every function at once: called by the processes alone, and all but what has no function
	 * at all.
	 */
	g_assert_cmpuint(matched->len, ==, 4);
	g_clear_pointer(&callers, g_array_unref);
	callers = spt_profile_callers_of(profile, (const uint32_t *)matched->data, matched->len);
	for (unsigned i = 0; i < callers->len; i++)
		sum += g_array_index(callers, SptEdge, i).weight;
	g_assert_cmpuint(sum, ==, 15);
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/filter/globs", test_globs);
	g_test_add_func("/filter/expressions", test_expressions);
	g_test_add_func("/filter/no-expressions", test_what_is_no_expression);
	g_test_add_func("/filter/quoting", test_quoting);
	g_test_add_func("/filter/who-and-where", test_who_and_where);
	g_test_add_func("/filter/refilter", test_refiltering_is_folding_anew);
	g_test_add_func("/filter/order", test_order_behind_an_expression);
	g_test_add_func("/filter/categories", test_categories);
	g_test_add_func("/filter/no-rules", test_what_is_no_rule);
	g_test_add_func("/filter/several-functions", test_several_functions);
	return g_test_run();
}
