/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folding: chosen stacks with known answers, and laws that hold for any. */
#include "profile/profile.h"

#include <string.h>

#include "captures.h"
#include "profile/stacks.h"

static const SptFunction *function_called(const SptProfile *profile, const char *name)
{
	uint32_t n, at = spt_profile_find(profile, name);
	const SptFunction *functions = spt_profile_functions(profile, &n);

	return at == UINT32_MAX ? NULL : &functions[at];
}

/* even: f0;f1;f1;f2 x10 (thread 1), f0;f1 x3 (thread 3); odd: f2;f0 x5, nothing x1; idle: f3 x2 */
static void add_known(struct fake *fake)
{
	fake_sample(fake, 1, (const unsigned[]){ 0, 1, 1, 2 }, 4, 100, 10);
	fake_sample(fake, 3, (const unsigned[]){ 0, 1 }, 2, 200, 3);
	fake_sample(fake, 2, (const unsigned[]){ 2, 0 }, 2, 300, 5);
	fake_sample(fake, 2, NULL, 0, 400, 1);
	fake_sample(fake, 4, (const unsigned[]){ 3 }, 1, 500, 2);
}

static SptProfile *profile_of(struct fake *fake, SptSymbols **symbols, const SptFilter *filter)
{
	*symbols = spt_symbols_new(fake_capture(fake), NULL);
	return spt_profile_new(&fake->capture, *symbols, NULL, filter);
}

static void test_known_totals(void)
{
	struct fake fake;
	SptSymbols *symbols;

	fake_init(&fake);
	add_known(&fake);

	g_autoptr(SptProfile) profile = profile_of(&fake, &symbols, NULL);
	static const struct {
		const char *name;
		uint64_t self, total;
		bool is_process;
	} expected[] = {
		{ "even", 0, 13, true }, { "odd", 0, 6, true },	 { "[idle]", 0, 2, true },
		{ "f0", 5, 18, false },	 { "f1", 3, 13, false }, { "f2", 10, 15, false },
		{ "f3", 2, 2, false },	 { "[no stack]", 1, 1, false },
	};
	uint64_t selfs = 0;
	uint32_t n;

	g_assert_cmpuint(spt_profile_total(profile), ==, 21);
	g_assert_cmpuint(spt_profile_n_samples(profile), ==, 5);
	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
		const SptFunction *function = function_called(profile, expected[i].name);

		g_assert_nonnull(function);
		g_assert_cmpuint(function->self, ==, expected[i].self);
		g_assert_cmpuint(function->total, ==, expected[i].total);
		g_assert_cmpint(function->is_process, ==, expected[i].is_process);
		g_assert_cmpstr(function->object, ==,
				function->is_process  ? "" :
				function->is_no_stack ? "[no stack]" :
							"[kernel]");
		selfs += function->is_process ? 0 : function->self;
	}
	/* Functions alone add up to all there is, and there is nothing else. */
	g_assert_cmpuint(selfs, ==, spt_profile_total(profile));
	spt_profile_functions(profile, &n);
	for (uint32_t i = 0; i < n; i++)
		selfs -= spt_profile_functions(profile, &n)[i].self;
	g_assert_cmpuint(selfs, ==, 0);
	g_assert_null(function_called(profile, "f4"));
	spt_symbols_free(symbols);
	fake_clear(&fake);
}

static uint64_t edge_to(const SptProfile *profile, GArray *edges, const char *name)
{
	uint32_t function = spt_profile_find(profile, name);
	uint64_t weight = 0;

	for (unsigned i = 0; i < edges->len; i++) {
		if (g_array_index(edges, SptEdge, i).function == function)
			weight += g_array_index(edges, SptEdge, i).weight;
	}
	return weight;
}

static void test_known_edges(void)
{
	struct fake fake;
	SptSymbols *symbols;

	fake_init(&fake);
	add_known(&fake);

	g_autoptr(SptProfile) profile = profile_of(&fake, &symbols, NULL);
	g_autoptr(GArray) callers = spt_profile_callers(profile, spt_profile_find(profile, "f1"));
	g_autoptr(GArray) callees = spt_profile_callees(profile, spt_profile_find(profile, "f1"));
	g_autoptr(GArray) of_f0 = spt_profile_callees(profile, spt_profile_find(profile, "f0"));
	g_autoptr(GArray) below = spt_profile_descendants(profile, spt_profile_find(profile, "f1"));
	const SptTreeNode *nodes = (const SptTreeNode *)below->data;

	g_assert_cmpuint(callers->len, ==, 1);
	g_assert_cmpuint(edge_to(profile, callers, "f0"), ==, 13);
	g_assert_cmpuint(callees->len, ==, 2);
	g_assert_cmpuint(edge_to(profile, callees, "f1"), ==, 10);
	g_assert_cmpuint(edge_to(profile, callees, "f2"), ==, 10);
	g_assert_cmpuint(of_f0->len, ==, 1);
	g_assert_cmpuint(g_array_index(of_f0, SptEdge, 0).self, ==, 3);

	/* f1 (13, self 3) > f1 (10) > f2 (10) */
	g_assert_cmpuint(below->len, ==, 3);
	g_assert_cmpuint(nodes[0].total, ==, 13);
	g_assert_cmpuint(nodes[0].self, ==, 3);
	g_assert_cmpuint(nodes[1].function, ==, nodes[0].function);
	g_assert_cmpuint(nodes[2].self, ==, 10);
	spt_symbols_free(symbols);
	fake_clear(&fake);
}

static void test_filters(void)
{
	static const struct {
		SptFilter filter;
		uint64_t total;
	} expected[] = {
		{ { .process = "even" }, 13 },
		{ { .process = "10" }, 10 },
		{ { .process = "[idle]" }, 2 },
		{ { .process = "0" }, 2 },
		{ { .process = "nobody" }, 0 },
		{ { .process = "99999999999999999999" }, 0 },
		{ { .begin_ns = 200 }, 11 },
		{ { .end_ns = 200 }, 10 },
		{ { .begin_ns = 200, .end_ns = 400 }, 8 },
		{ { .process = "odd", .begin_ns = 301 }, 1 },
		{ { .process = "" }, 0 },
	};
	struct fake fake;

	fake_init(&fake);
	add_known(&fake);
	for (unsigned i = 0; i < G_N_ELEMENTS(expected); i++) {
		SptSymbols *symbols;
		g_autoptr(SptProfile) profile = profile_of(&fake, &symbols, &expected[i].filter);

		g_assert_cmpuint(spt_profile_total(profile), ==, expected[i].total);
		spt_symbols_free(symbols);
	}
	fake_clear(&fake);
}

/* Parents before children, children side by side and sorted, totals that add up. */
static void check_tree(const SptTreeNode *nodes, uint32_t n)
{
	uint32_t next = 1;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t sum = nodes[i].self;

		if (nodes[i].n_children > 0)
			g_assert_cmpuint(nodes[i].first_child, ==, next);
		for (uint32_t child = 0; child < nodes[i].n_children; child++, next++) {
			g_assert_cmpuint(nodes[next].parent, ==, i);
			g_assert_cmpuint(next, >, i);
			if (child > 0) {
				g_assert_cmpuint(nodes[next].total, <=, nodes[next - 1].total);
				g_assert_cmpuint(nodes[next].function, !=,
						 nodes[next - 1].function);
			}
			sum += nodes[next].total;
		}
		g_assert_cmpuint(nodes[i].total, ==, sum);
	}
	g_assert_cmpuint(next, ==, n);
}

/* What a function's total and its callees' edges must be, from the raw samples alone. */
static void check_against_samples(const struct fake *fake, const SptProfile *profile,
				  uint32_t function, GArray *callees)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autofree uint64_t *edges = g_new0(uint64_t, n);
	uint64_t total = 0;

	for (unsigned i = 0; i < fake->samples->len; i++) {
		const SptSampleRow *sample = &g_array_index(fake->samples, SptSampleRow, i);
		g_autofree bool *called = g_new0(bool, n);
		uint32_t below = UINT32_MAX;
		bool seen = sample->node == 0 && functions[function].is_no_stack;

		for (uint32_t node = sample->node; node != 0; ) {
			const SptNode *raw = spt_stash_node(fake->stash, node);
			uint32_t at =
				spt_profile_find(profile, fake->texts[raw->frame.offset / 16]);

			seen |= at == function;
			if (at == function && below != UINT32_MAX)
				called[below] = true;
			below = at;
			node = raw->parent;
		}
		total += seen ? sample->weight : 0;
		for (uint32_t callee = 0; callee < n; callee++)
			edges[callee] += called[callee] ? sample->weight : 0;
	}
	g_assert_cmpuint(functions[function].total, ==, total);
	for (unsigned i = 0; i < callees->len; i++) {
		const SptEdge *edge = &g_array_index(callees, SptEdge, i);

		g_assert_cmpuint(edge->weight, ==, edges[edge->function]);
		edges[edge->function] = 0;
	}
	for (uint32_t callee = 0; callee < n; callee++)
		g_assert_cmpuint(edges[callee], ==, 0);
}

static void check_function(const struct fake *fake, const SptProfile *profile, uint32_t function)
{
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autoptr(GArray) callers = spt_profile_callers(profile, function);
	g_autoptr(GArray) callees = spt_profile_callees(profile, function);
	g_autoptr(GArray) below = spt_profile_descendants(profile, function);
	uint64_t sum = 0, self = 0;

	g_assert_cmpuint(functions[function].self, <=, functions[function].total);
	g_assert_cmpuint(functions[function].total, <=, spt_profile_total(profile));
	check_tree((const SptTreeNode *)below->data, below->len);
	g_assert_cmpuint(g_array_index(below, SptTreeNode, 0).total, ==, functions[function].total);
	for (unsigned i = 0; i < below->len; i++) {
		const SptTreeNode *node = &g_array_index(below, SptTreeNode, i);

		self += node->function == function ? node->self : 0;
	}
	g_assert_cmpuint(self, ==, functions[function].self);
	if (functions[function].is_process)
		return;
	for (unsigned i = 0; i < callers->len; i++)
		sum += g_array_index(callers, SptEdge, i).weight;
	g_assert_cmpuint(sum, ==, functions[function].total);
	check_against_samples(fake, profile, function, callees);
}

static void test_laws(void)
{
	for (unsigned round = 0; round < 30; round++) {
		struct fake fake;
		SptSymbols *symbols;
		uint64_t weight = 0, self = 0;
		uint32_t n;

		fake_init(&fake);
		fake_random(&fake, 1 + round * 5);

		g_autoptr(SptProfile) profile = profile_of(&fake, &symbols, NULL);
		const SptFunction *functions = spt_profile_functions(profile, &n);
		const SptTreeNode *tree;

		for (unsigned i = 0; i < fake.samples->len; i++)
			weight += g_array_index(fake.samples, SptSampleRow, i).weight;
		g_assert_cmpuint(spt_profile_total(profile), ==, weight);
		for (uint32_t i = 0; i < n; i++) {
			self += functions[i].self;
			check_function(&fake, profile, i);
		}
		g_assert_cmpuint(self, ==, weight);
		tree = spt_profile_tree(profile, &n);
		g_assert_cmpuint(tree[0].function, ==, UINT32_MAX);
		check_tree(tree, n);
		spt_symbols_free(symbols);
		fake_clear(&fake);
	}
}

/* Names along the tree in its order: what a view would show. */
static char *describe(const SptProfile *profile)
{
	uint32_t n_nodes, n;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n_nodes);
	const SptFunction *functions = spt_profile_functions(profile, &n);
	g_autofree uint32_t *order = spt_profile_order(profile, true);
	GString *text = g_string_new(NULL);

	for (uint32_t i = 1; i < n_nodes; i++)
		g_string_append_printf(text, "%u %s %u %u\n", nodes[i].parent,
				       functions[nodes[i].function].name, (unsigned)nodes[i].self,
				       (unsigned)nodes[i].total);
	for (uint32_t i = 0; i < n; i++)
		g_string_append_printf(text, "%s\n", functions[order[i]].name);
	return g_string_free(text, FALSE);
}

static void test_order_of_samples_does_not_matter(void)
{
	for (unsigned round = 0; round < 20; round++) {
		struct fake fake;
		SptSymbols *symbols, *again_symbols;

		fake_init(&fake);
		fake_random(&fake, 100);

		g_autoptr(SptProfile) profile = profile_of(&fake, &symbols, NULL);
		g_autofree char *text = describe(profile);

		for (unsigned i = fake.samples->len - 1; i > 0; i--) {
			SptSampleRow *rows = (SptSampleRow *)fake.samples->data;
			unsigned other = g_test_rand_int_range(0, i + 1);
			SptSampleRow row = rows[i];

			rows[i] = rows[other];
			rows[other] = row;
		}

		g_autoptr(SptProfile) again = profile_of(&fake, &again_symbols, NULL);
		g_autofree char *again_text = describe(again);

		g_assert_cmpstr(text, ==, again_text);
		spt_symbols_free(symbols);
		spt_symbols_free(again_symbols);
		fake_clear(&fake);
	}
}

static void test_nothing(void)
{
	struct fake fake;
	SptSymbols *symbols;
	uint32_t n;

	fake_init(&fake);

	g_autoptr(SptProfile) profile = profile_of(&fake, &symbols, NULL);

	g_assert_cmpuint(spt_profile_total(profile), ==, 0);
	spt_profile_functions(profile, &n);
	g_assert_cmpuint(n, ==, 0);
	spt_profile_tree(profile, &n);
	g_assert_cmpuint(n, ==, 1);
	spt_symbols_free(symbols);
	fake_clear(&fake);
}

/*
 * A stack of a million frames is no stack; one of the deepest that is shown must not overflow
 * anything.
 */
static void test_deep_stacks(void)
{
	g_autofree unsigned *functions = g_new0(unsigned, 1000000);
	struct fake fake;
	SptSymbols *symbols;

	fake_init(&fake);
	for (unsigned i = 0; i < 1000000; i++)
		functions[i] = i % FAKE_FUNCTIONS;
	fake_sample(&fake, 1, functions, 1000000, 1, 1);
	fake_sample(&fake, 1, functions, 2048, 1, 1);

	g_autoptr(SptProfile) profile = profile_of(&fake, &symbols, NULL);
	const SptFunction *deep = function_called(profile, "[stack too deep]");

	g_assert_cmpuint(spt_profile_total(profile), ==, 2);
	g_assert_nonnull(deep);
	g_assert_cmpuint(deep->self, ==, 1);
	g_assert_cmpuint(function_called(profile, "f0")->total, ==, 1);
	spt_symbols_free(symbols);
	fake_clear(&fake);
}

/* A million distinct stacks, within a time that rules out anything quadratic. */
static void test_a_million_nodes(void)
{
	struct fake fake;
	SptSymbols *symbols;
	gint64 begin;

	fake_init(&fake);
	for (unsigned i = 0; i < 1000000; i++) {
		const unsigned functions[] = { i % 12,	      i / 12 % 12,    i / 144 % 12,
					       i / 1728 % 12, i / 20736 % 12, i / 248832 % 12 };

		fake_sample(&fake, 1 + i % 4, functions, 6, i, 1);
	}
	begin = g_get_monotonic_time();

	g_autoptr(SptProfile) profile = profile_of(&fake, &symbols, NULL);

	g_test_message("a million stacks folded in %d ms",
		       (int)((g_get_monotonic_time() - begin) / 1000));
	g_assert_cmpint(g_get_monotonic_time() - begin, <, 60 * G_USEC_PER_SEC);
	g_assert_cmpuint(spt_profile_total(profile), ==, 1000000);
	spt_symbols_free(symbols);
	fake_clear(&fake);
}

static uint64_t weight_along(const SptProfile *profile, const char *first, const char *second,
			     unsigned *ret_n)
{
	const uint32_t way[] = { spt_profile_find(profile, first),
				 second ? spt_profile_find(profile, second) : 0 };
	g_autoptr(GArray) leaves = spt_profile_stacks(profile, way, second ? 2 : 1);
	uint32_t n;
	const SptTreeNode *nodes = spt_profile_tree(profile, &n);
	uint64_t weight = 0;

	for (unsigned i = 0; i < leaves->len; i++) {
		g_assert_true(i == 0 || nodes[g_array_index(leaves, uint32_t, i - 1)].self >=
						nodes[g_array_index(leaves, uint32_t, i)].self);
		weight += nodes[g_array_index(leaves, uint32_t, i)].self;
	}
	*ret_n = leaves->len;
	return weight;
}

/* As many as a node of the tree below a function counts: ways begin at its outermost call. */
static void test_stacks_along_a_way(void)
{
	static const unsigned straight[] = { 0, 1, 2 }, recursive[] = { 0, 1, 1, 2 },
			      other[] = { 2, 1 };
	struct fake fake;
	SptSymbols *symbols;
	unsigned n;

	fake_init(&fake);
	fake_sample(&fake, 1, straight, 3, 1000, 1);
	fake_sample(&fake, 1, recursive, 4, 1001, 10);
	fake_sample(&fake, 1, recursive, 3, 1002, 100);
	fake_sample(&fake, 2, other, 2, 1003, 1000);

	g_autoptr(SptProfile) profile = profile_of(&fake, &symbols, NULL);

	g_assert_cmpuint(weight_along(profile, "f1", NULL, &n), ==, 1111);
	g_assert_cmpuint(n, ==, 4);
	g_assert_cmpuint(weight_along(profile, "f0", "f1", &n), ==, 111);
	g_assert_cmpuint(weight_along(profile, "f1", "f2", &n), ==, 1);
	g_assert_cmpuint(n, ==, 1);
	g_assert_cmpuint(weight_along(profile, "f1", "f1", &n), ==, 110);
	g_assert_cmpuint(weight_along(profile, "f2", "f0", &n), ==, 0);
	spt_symbols_free(symbols);
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/profile/known-totals", test_known_totals);
	g_test_add_func("/profile/known-edges", test_known_edges);
	g_test_add_func("/profile/filters", test_filters);
	g_test_add_func("/profile/laws", test_laws);
	g_test_add_func("/profile/order-of-samples", test_order_of_samples_does_not_matter);
	g_test_add_func("/profile/nothing", test_nothing);
	g_test_add_func("/profile/stacks-along-a-way", test_stacks_along_a_way);
	g_test_add_func("/profile/deep-stacks", test_deep_stacks);
	g_test_add_func("/profile/a-million-nodes", test_a_million_nodes);
	return g_test_run();
}
