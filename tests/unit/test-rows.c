/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a walk are those that a refiltered profile adds up, and come in the order of time.
 * They are the same where a base keeps them as where it reads the recording again.
 */
#include "profile/rows.h"

#include "captures.h"
#include "profile/arrange.h"
#include "profile/row-walk.h"
#include "profile/timeline.h"
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

static void check_same_row(const SptProfileRow *row, const SptProfileRow *expected)
{
	g_assert_cmpuint(row->time, ==, expected->time);
	g_assert_cmpuint(row->duration_ns, ==, expected->duration_ns);
	g_assert_cmpuint(row->weight, ==, expected->weight);
	g_assert_cmpuint(row->thread, ==, expected->thread);
	g_assert_cmpuint(row->cpu, ==, expected->cpu);
	g_assert_cmpuint(row->leaf, ==, expected->leaf);
}

static void check_same_rows(const SptProfile *kept, const SptProfile *reread,
			    const SptFilter *filter)
{
	g_autoptr(SptProfileRows) expected = spt_profile_rows_new(kept, filter),
				  rows = spt_profile_rows_new(reread, filter);
	g_autoptr(SptProfile) expected_part = spt_profile_refilter(kept, filter, NULL),
			      part = spt_profile_refilter(reread, filter, NULL);
	SptProfileRow one, other;
	bool has_more = true;

	while (has_more) {
		has_more = spt_profile_rows_next(expected, &one);
		g_assert_true(spt_profile_rows_next(rows, &other) == has_more);
		if (has_more)
			check_same_row(&other, &one);
	}
	g_assert_cmpuint(spt_profile_n_samples(part), ==, spt_profile_n_samples(expected_part));
	g_assert_cmpmem(part->tree->data, part->tree->len * sizeof(SptTreeNode),
			expected_part->tree->data, expected_part->tree->len * sizeof(SptTreeNode));
}

static void check_same_timeline(const SptProfile *kept, const SptProfile *reread)
{
	const SptTimelineRequest request = { .begin_ns = 3000,
					     .end_ns = 8000,
					     .n_buckets = 50,
					     .lanes = SPT_GROUP_CPU,
					     .function = UINT32_MAX };
	g_autoptr(SptTimeline) expected = spt_timeline_new(kept, &request),
			       timeline = spt_timeline_new(reread, &request);
	size_t n = sizeof(uint64_t) * expected->n_lanes * expected->n_buckets;

	g_assert_cmpmem(timeline->weights, n, expected->weights, n);
	g_assert_cmpmem(timeline->user, n, expected->user, n);
}

/* Rows at most @far from their places, which some of equal time keep. */
static void put_out_of_order(struct fake *fake, uint32_t far)
{
	SptSampleRow *rows = (SptSampleRow *)fake->samples->data;

	for (guint i = 0; i < fake->samples->len; i++)
		rows[i].time = 1000 + i / 3;
	for (guint i = 0; i + far < fake->samples->len && far; i++) {
		guint other = i + (guint)g_test_rand_int_range(0, (gint32)far);
		SptSampleRow row = rows[i];

		rows[i] = rows[other];
		rows[other] = row;
	}
}

/* @far: how much the recording is out of order. */
static void check_reread(uint32_t far)
{
	const unsigned n = 3 * SPT_REREAD_ROWS + 17, n_deep = SPT_STACK_MAX_FRAMES + 10;
	g_autofree unsigned *deep = g_new0(unsigned, n_deep);
	g_autoptr(SptPattern) pattern = spt_pattern_new("f1", NULL);
	const SptFilter filters[] = {
		{ .begin_ns = 3000, .end_ns = 7000 },
		{ .process = "even" },
		{ .side = SPT_SIDE_USER, .thread = "11" },
	};
	struct fake fake;

	fake_init(&fake);
	fake_random_on_cpus(&fake, 1000);
	while (fake.samples->len < n) {
		SptSampleRow row =
			g_array_index(fake.samples, SptSampleRow, fake.samples->len % 1000);

		g_array_append_val(fake.samples, row);
	}
	fake_sample(&fake, 2, deep, n_deep, 5000, 3);
	put_out_of_order(&fake, far);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) kept = spt_profile_new_base(&fake.capture, symbols, NULL);
	g_autoptr(SptProfile) reread = spt_profile_new_reread(&fake.capture, symbols, NULL, NULL);
	const SptArrangement arrangement = { .shape = { .hidden = pattern } };
	g_autoptr(SptProfile) arranged = spt_profile_arrange(kept, &arrangement);
	g_autoptr(SptProfile) again = spt_profile_arrange(reread, &arrangement);

	g_assert_nonnull(reread->reread);
	g_assert_null(reread->rows);
	check_rows(reread, NULL);
	check_same_rows(kept, reread, NULL);
	check_same_rows(arranged, again, NULL);
	check_same_rows(arranged, again, &filters[0]);
	for (unsigned i = 0; i < G_N_ELEMENTS(filters); i++)
		check_same_rows(kept, reread, &filters[i]);
	check_same_timeline(kept, reread);
	fake_clear(&fake);
}

static void test_reads_again(void)
{
	check_reread(0);
	check_reread(100);
	check_reread(2 * SPT_REREAD_ROWS);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/rows/are-the-profile", test_rows_are_the_profile);
	g_test_add_func("/rows/reads-again", test_reads_again);
	return g_test_run();
}
