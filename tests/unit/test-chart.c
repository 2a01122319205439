/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The states of a thread in order of time: known answers, and laws that hold for any recording. */
#include "picture/chart.h"

#include "captures.h"

#define PERIOD 1000000

struct fixture {
	struct fake fake;
	SptSymbols *symbols;
	SptProfile *base;
};

static void fold(struct fixture *fixture)
{
	fixture->symbols = spt_symbols_new(fake_capture(&fixture->fake), NULL);
	fixture->fake.capture.host = g_hash_table_new(g_str_hash, g_str_equal);
	g_hash_table_insert(fixture->fake.capture.host, "period_ns", "1000000");
	fixture->base = spt_profile_new_base(&fixture->fake.capture, fixture->symbols, NULL);
}

static void tear_down(struct fixture *fixture)
{
	spt_profile_free(fixture->base);
	spt_symbols_free(fixture->symbols);
	g_hash_table_unref(fixture->fake.capture.host);
	fake_clear(&fixture->fake);
}

/* f0;f1 twice, f0;f2, a gap, f0;f2, and another thread's in between. */
static void add_known(struct fixture *fixture)
{
	fake_init(&fixture->fake);
	fake_sample(&fixture->fake, 1, (const unsigned[]){ 0, 1 }, 2, 1 * PERIOD, 1);
	fake_sample(&fixture->fake, 1, (const unsigned[]){ 0, 1 }, 2, 2 * PERIOD, 1);
	fake_sample(&fixture->fake, 2, (const unsigned[]){ 5 }, 1, 2 * PERIOD, 1);
	fake_sample(&fixture->fake, 1, (const unsigned[]){ 0, 2 }, 2, 3 * PERIOD, 1);
	fake_sample(&fixture->fake, 1, (const unsigned[]){ 0, 2 }, 2, 8 * PERIOD, 2);
	fold(fixture);
}

static void assert_box(const struct fixture *fixture, const GArray *boxes, unsigned at,
		       const char *name, unsigned depth, unsigned begin, unsigned length)
{
	uint32_t n;
	const SptTreeNode *nodes = spt_profile_tree(fixture->base, &n);
	const SptFunction *functions = spt_profile_functions(fixture->base, &n);
	const SptFlameBox *box = &g_array_index(boxes, SptFlameBox, at);

	g_assert_cmpstr(functions[nodes[box->node].function].name, ==, name);
	g_assert_cmpuint(box->depth, ==, depth);
	g_assert_cmpuint(box->begin, ==, begin * PERIOD);
	g_assert_cmpuint(box->weight, ==, length * PERIOD);
	g_assert_cmpuint(box->n_more, ==, 0);
}

static void test_known(void)
{
	struct fixture fixture;

	add_known(&fixture);

	g_autoptr(GArray) boxes = spt_chart_new(fixture.base, 10, 0, 8 * PERIOD, 0);

	g_assert_cmpuint(boxes->len, ==, 7);
	assert_box(&fixture, boxes, 0, "even", 0, 0, 3);
	assert_box(&fixture, boxes, 1, "even", 0, 6, 2);
	assert_box(&fixture, boxes, 2, "f0", 1, 0, 3);
	assert_box(&fixture, boxes, 3, "f0", 1, 6, 2);
	assert_box(&fixture, boxes, 4, "f1", 2, 0, 2);
	assert_box(&fixture, boxes, 5, "f2", 2, 2, 1);
	assert_box(&fixture, boxes, 6, "f2", 2, 6, 2);

	/* A range of time, and another thread's. */
	g_autoptr(GArray) part = spt_chart_new(fixture.base, 10, 2 * PERIOD, 3 * PERIOD, 0);
	g_autoptr(GArray) nothing = spt_chart_new(fixture.base, 77, 0, 8 * PERIOD, 0);

	g_assert_cmpuint(part->len, ==, 3);
	assert_box(&fixture, part, 2, "f2", 2, 0, 1);
	g_assert_cmpuint(nothing->len, ==, 0);
	tear_down(&fixture);
}

static void assert_gap(const GArray *gaps, unsigned at, unsigned begin, unsigned length)
{
	const SptFlameBox *gap = &g_array_index(gaps, SptFlameBox, at);

	g_assert_cmpuint(gap->begin, ==, begin * PERIOD);
	g_assert_cmpuint(gap->weight, ==, length * PERIOD);
	g_assert_cmpuint(gap->depth, ==, 0);
}

/* Where there is no box: between two, before the first, behind the last, and all of it. */
static void test_gaps(void)
{
	struct fixture fixture;

	add_known(&fixture);

	g_autoptr(GArray) boxes = spt_chart_new(fixture.base, 10, 0, 20 * PERIOD, 0);
	g_autoptr(GArray) gaps = spt_chart_gaps(boxes, 20 * PERIOD, 0);
	g_autoptr(GArray) wide = spt_chart_gaps(boxes, 20 * PERIOD, 4 * PERIOD);
	g_autoptr(GArray) part = spt_chart_new(fixture.base, 10, 4 * PERIOD, 8 * PERIOD, 0);
	g_autoptr(GArray) before = spt_chart_gaps(part, 4 * PERIOD, 0);
	g_autoptr(GArray) nothing = spt_chart_new(fixture.base, 77, 0, 8 * PERIOD, 0);
	g_autoptr(GArray) all = spt_chart_gaps(nothing, 8 * PERIOD, 0);

	g_assert_cmpuint(gaps->len, ==, 2);
	assert_gap(gaps, 0, 3, 3);
	assert_gap(gaps, 1, 8, 12);
	g_assert_cmpuint(wide->len, ==, 1);
	assert_gap(wide, 0, 8, 12);
	g_assert_cmpuint(before->len, ==, 1);
	assert_gap(before, 0, 0, 2);
	g_assert_cmpuint(all->len, ==, 1);
	assert_gap(all, 0, 0, 8);
	tear_down(&fixture);
}

/* For another metric a box has the length of the event. */
static void test_delays(void)
{
	struct fixture fixture;

	add_known(&fixture);
	for (unsigned i = 0; i < fixture.fake.samples->len; i++)
		g_array_index(fixture.fake.samples, SptSampleRow, i).delay_ns = i * PERIOD / 10;

	g_autoptr(SptProfile) delays = spt_profile_new_base(
		&fixture.fake.capture, fixture.symbols, spt_metric_find("delay"));
	g_autoptr(GArray) boxes = spt_chart_new(delays, 10, 0, 8 * PERIOD, 0);

	g_assert_true(spt_chart_has_lengths(delays));
	/* The first was in time; of each of the others there are three functions. */
	g_assert_cmpuint(boxes->len, ==, 9);
	g_assert_cmpuint(g_array_index(boxes, SptFlameBox, 0).begin, ==, 2 * PERIOD - PERIOD / 10);
	g_assert_cmpuint(g_array_index(boxes, SptFlameBox, 0).weight, ==, PERIOD / 10);
	g_assert_cmpuint(g_array_index(boxes, SptFlameBox, 2).weight, ==, 4 * PERIOD / 10);
	tear_down(&fixture);
}

/*
 * Each tick is at a random instant of its period: those of neighbours are up to two periods apart,
 * and nothing is between them.
 */
static void test_random_ticks(void)
{
	struct fixture fixture;

	fake_init(&fixture.fake);
	for (unsigned i = 1; i <= 100; i++)
		fake_sample(&fixture.fake, 1, (const unsigned[]){ 0, 1 }, 2,
			    i * PERIOD + (i % 2 ? PERIOD - 1 : 0), 1);
	fake_sample(&fixture.fake, 1, (const unsigned[]){ 0, 1 }, 2, 103 * PERIOD, 1);
	fold(&fixture);

	g_autoptr(GArray) boxes = spt_chart_new(fixture.base, 10, 0, 103 * PERIOD, 0);

	g_assert_cmpuint(boxes->len, ==, 6);
	for (unsigned depth = 0; depth < 3; depth++) {
		const SptFlameBox *before = &g_array_index(boxes, SptFlameBox, 2 * depth);

		g_assert_cmpuint(before->depth, ==, depth);
		g_assert_cmpuint(before->begin + before->weight, ==, 100 * PERIOD);
		assert_box(&fixture, boxes, 2 * depth + 1,
			   depth == 0 ? "even" :
			   depth == 1 ? "f0" :
					"f1",
			   depth, 102, 1);
	}
	tear_down(&fixture);
}

/*
 * A function that is interrupted for moments is seen as running, where a pixel has many periods;
 * equal parts of two are neither.
 */
static void test_narrow(void)
{
	struct fixture fixture;

	fake_init(&fixture.fake);
	for (unsigned i = 1; i <= 400; i++)
		fake_sample(&fixture.fake, 1, (const unsigned[]){ 0, i % 10 ? 1 : 2 }, 2,
			    i * PERIOD, 1);
	for (unsigned i = 401; i <= 800; i++)
		fake_sample(&fixture.fake, 1, (const unsigned[]){ 0, 3 + i % 2 }, 2, i * PERIOD, 1);
	fold(&fixture);

	g_autoptr(GArray) boxes = spt_chart_new(fixture.base, 10, 0, 800 * PERIOD, 40 * PERIOD);

	g_assert_cmpuint(boxes->len, ==, 4);
	assert_box(&fixture, boxes, 1, "f0", 1, 0, 800);
	assert_box(&fixture, boxes, 2, "f1", 2, 0, 400);
	g_assert_cmpuint(g_array_index(boxes, SptFlameBox, 3).n_more, ==, 400);
	tear_down(&fixture);
}

/*
 * Boxes of a row do not overlap, and each row's time is at most the one above's; joining loses no
 * time that was there.
 */
static void test_laws(void)
{
	for (unsigned round = 1; round < 12; round++) {
		struct fixture fixture;

		fake_init(&fixture.fake);
		fake_random(&fixture.fake, round * 30);
		for (unsigned i = 0; i < fixture.fake.samples->len; i++)
			g_array_index(fixture.fake.samples, SptSampleRow, i).time =
				(i + 1) * PERIOD;
		fold(&fixture);

		g_autoptr(GArray) boxes = spt_chart_new(fixture.base, 10, 0, G_MAXINT64, 0);
		g_autoptr(GArray) joined =
			spt_chart_new(fixture.base, 10, 0, G_MAXINT64, 10 * PERIOD);

		g_assert_cmpuint(joined->len, <=, boxes->len);
		for (unsigned i = 1; i < boxes->len; i++) {
			const SptFlameBox *box = &g_array_index(boxes, SptFlameBox, i);

			g_assert_cmpuint(box->weight, >, 0);
			if (box->depth == box[-1].depth)
				g_assert_cmpuint(box->begin, >=, box[-1].begin + box[-1].weight);
		}
		tear_down(&fixture);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/chart/known", test_known);
	g_test_add_func("/chart/gaps", test_gaps);
	g_test_add_func("/chart/delays", test_delays);
	g_test_add_func("/chart/random-ticks", test_random_ticks);
	g_test_add_func("/chart/narrow", test_narrow);
	g_test_add_func("/chart/laws", test_laws);
	return g_test_run();
}
