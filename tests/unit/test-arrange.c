/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other arrangements of the same samples: nothing is lost or counted twice, and what is reported
 * twice is the same.
 */
#include "profile/arrange.h"

#include "captures.h"

static void check_sums(const SptProfile *base, const SptProfile *arranged)
{
	uint32_t n, n_base;
	const SptFunction *functions = spt_profile_functions(arranged, &n),
			  *before = spt_profile_functions(base, &n_base);

	g_assert_cmpuint(spt_profile_total(arranged), ==, spt_profile_total(base));
	g_assert_cmpuint(spt_profile_n_samples(arranged), ==, spt_profile_n_samples(base));
	for (uint32_t i = 0; i < n_base; i++) {
		if (functions[i].is_process)
			continue;
		g_assert_cmpuint(functions[i].self, ==, before[i].self);
		g_assert_cmpuint(functions[i].total, ==, before[i].total);
	}
}

/* Each root has the weight of its group. */
static void check_roots(const SptProfile *base, const SptProfile *arranged, const SptFilter *filter,
			SptRoots kind)
{
	g_autoptr(GArray) groups =
		spt_groups_new(base, filter, (SptGroupKind)(kind - SPT_ROOTS_GROUPS));
	uint32_t n, found = 0;
	const SptFunction *functions = spt_profile_functions(arranged, &n);

	for (uint32_t i = 0; i < n; i++) {
		SptRoots roots;
		const SptGroupRow *root = spt_profile_root(arranged, i, &roots);

		g_assert_cmpuint(roots, ==, kind);
		if (!root || functions[i].total == 0)
			continue;
		for (uint32_t k = 0; k < groups->len; k++) {
			const SptGroupRow *group = &g_array_index(groups, SptGroupRow, k);

			if (group->pid != root->pid || group->tid != root->tid ||
			    group->cpu != root->cpu || g_strcmp0(group->name, root->name))
				continue;
			g_assert_cmpuint(functions[i].total, ==, group->weight);
			found++;
		}
	}
	g_assert_cmpuint(found, ==, groups->len);
}

static void test_roots(void)
{
	static const SptFilter filters[] = { { 0 },
					     { .begin_ns = 1100, .end_ns = 1500 },
					     { .process = "even" } };
	struct fake fake;

	fake_init(&fake);
	fake_random_on_cpus(&fake, 800);

	const SptCapture *capture = fake_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);

	for (SptRoots roots = 0;
	     roots < SPT_ROOTS_GROUPS || spt_grouping(roots - SPT_ROOTS_GROUPS); roots++) {
		g_autoptr(SptProfile) arranged =
			spt_profile_arrange(base, &(SptArrangement){ .roots = roots });

		check_sums(base, arranged);
		for (unsigned i = 0; i < G_N_ELEMENTS(filters); i++) {
			g_autoptr(SptProfile) part = spt_profile_refilter(base, &filters[i], NULL);
			g_autoptr(SptProfile) arranged_part =
				spt_profile_refilter(arranged, &filters[i], NULL);

			check_sums(part, arranged_part);
			if (roots >= SPT_ROOTS_GROUPS)
				check_roots(base, arranged_part, &filters[i], roots);
		}
	}
	fake_clear(&fake);
}

/* Without frames of libraries all is the processes' own; a similar name stays. */
static void test_system(void)
{
	static const struct {
		const char *path;
		bool is_system;
	} paths[] = { { "/usr/lib/x86_64-linux-gnu/libfake.so.1", true },
		      { "/opt/libfake.so", false },
		      { "/usr/lib/gcc/cc1", false } };

	for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
		struct fake fake;

		fake_init(&fake);
		fake_random(&fake, 200);
		fake.objects[1] =
			(SptObjectRow){ .id = 1, .kind = SPT_OBJECT_FILE, .path = paths[i].path };

		const SptCapture *capture = fake_capture(&fake);
		g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
		g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);
		g_autoptr(SptProfile) arranged =
			spt_profile_arrange(base, &(SptArrangement){ .hides_system = true });
		uint32_t n, n_nodes;
		const SptFunction *functions = spt_profile_functions(arranged, &n);
		uint64_t of_processes = 0;

		spt_profile_tree(arranged, &n_nodes);
		for (uint32_t k = 0; k < n; k++)
			of_processes += functions[k].is_process || functions[k].is_no_stack ?
						functions[k].self :
						0;
		g_assert_cmpint(of_processes == spt_profile_total(base), ==, paths[i].is_system);
		g_assert_cmpint(n_nodes < 10, ==, paths[i].is_system);
		if (!paths[i].is_system)
			check_sums(base, arranged);
		fake_clear(&fake);
	}
}

static const SptTreeNode *child_of(const GArray *tree, uint32_t function)
{
	const SptTreeNode *root = &g_array_index(tree, SptTreeNode, 0);

	for (uint32_t i = 0; i < root->n_children; i++) {
		const SptTreeNode *child = &g_array_index(tree, SptTreeNode, root->first_child + i);

		if (child->function == function)
			return child;
	}
	return NULL;
}

/* The first level is what the functions have for themselves, and below a function its callers. */
static void test_bottom_up(void)
{
	struct fake fake;

	fake_init(&fake);
	fake_random(&fake, 500);

	const SptCapture *capture = fake_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, NULL);
	g_autoptr(GArray) all = spt_profile_bottom_up(base, UINT32_MAX);
	uint32_t n;
	const SptFunction *functions = spt_profile_functions(base, &n);

	g_assert_cmpuint(g_array_index(all, SptTreeNode, 0).total, ==, spt_profile_total(base));
	for (uint32_t i = 0; i < n; i++) {
		const SptTreeNode *first = child_of(all, i);
		g_autoptr(GArray) ways = spt_profile_bottom_up(base, i),
				  callers = spt_profile_callers(base, i);

		g_assert_cmpuint(first ? first->total : 0, ==, functions[i].self);
		g_assert_cmpuint(g_array_index(ways, SptTreeNode, 0).total, ==, functions[i].total);
		g_assert_cmpuint(g_array_index(ways, SptTreeNode, 0).n_children, ==, callers->len);
		for (unsigned k = 0; k < callers->len; k++) {
			const SptEdge *edge = &g_array_index(callers, SptEdge, k);

			g_assert_cmpuint(child_of(ways, edge->function)->total, ==, edge->weight);
		}
	}
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/arrange/roots", test_roots);
	g_test_add_func("/arrange/system", test_system);
	g_test_add_func("/arrange/bottom-up", test_bottom_up);
	return g_test_run();
}
