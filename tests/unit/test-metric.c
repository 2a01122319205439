/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every metric, and one that is made up: whatever shows it, with whatever conditions, has the sum
 * of the rows of its source; and the parts of a time have what the whole has.
 */
#include "profile/metric.h"

#include <string.h>

#include "base/suggest.h"
#include "captures.h"
#include "exported.h"
#include "profile/arrange.h"

#define FIRST 1000000u
#define LAST  (FIRST + 1000000u)

/* Waits: one for each sample, as long as the tick was late, and beyond 32 bits. */
struct waits {
	const SptSampleRow *samples;
	uint64_t left;
};

static gpointer begin(const SptCapture *capture)
{
	struct waits *waits = g_new(struct waits, 1);

	*waits = (struct waits){ capture->samples, capture->n_samples };
	return waits;
}

static uint32_t next(gpointer cursor, SptWeightRow *rows)
{
	struct waits *waits = cursor;
	uint32_t n = (uint32_t)MIN(waits->left, 100);

	for (uint32_t i = 0; i < n; i++, waits->samples++)
		rows[i] = (SptWeightRow){ .time = waits->samples->time,
					  .duration_ns = waits->samples->delay_ns,
					  .weight = waits->samples->delay_ns * 5000000007u,
					  .thread = waits->samples->thread,
					  .node = waits->samples->node,
					  .detail = waits->samples->weight };
	waits->left -= n;
	return n;
}

static bool is_in(G_GNUC_UNUSED const SptCapture *capture)
{
	return true;
}

static uint64_t count(const SptCapture *capture)
{
	return capture->n_samples;
}

static const SptWeightSource waits_source = {
	.is_in = is_in, .count = count, .begin = begin, .next = next, .end = g_free
};
static const SptMetric waits = {
	.name = "waits", .value = "made up", .unit = SPT_UNIT_NS, .source = &waits_source
};

/* The metrics that @capture has, and then the one that is made up. */
static const SptMetric *metric_at(unsigned i, const SptCapture *capture)
{
	unsigned n = 0;

	for (unsigned row = 0; spt_metric(row); row++)
		if (spt_metric_is_in(spt_metric(row), capture) && n++ == i)
			return spt_metric(row);
	return n == i ? &waits : NULL;
}

static const SptFilter *filters(unsigned i)
{
	static const bool cpus[] = { true };
	static const SptFilter all[] = {
		{ 0 },
		{ .process = "even" },
		{ .begin_ns = FIRST + 10000, .end_ns = FIRST + 500000 },
		{ .thread = "12" },
		{ .cpus = cpus, .n_cpus = 1, .begin_ns = FIRST + 3 },
		{ .object = "[kernel]" },
		{ .side = SPT_SIDE_USER, .process = "odd" },
	};

	return i < G_N_ELEMENTS(all) ? &all[i] : NULL;
}

static const SptCapture *make_capture(struct fake *fake)
{
	fake_init(fake);
	fake_random_on_cpus(fake, 600);
	for (unsigned i = 0; i < fake->samples->len; i++) {
		SptSampleRow *sample = &g_array_index(fake->samples, SptSampleRow, i);

		/* Not in the order of time, and some at no time before. */
		sample->time = FIRST + (uint64_t)g_test_rand_int_range(0, LAST - FIRST);
		sample->delay_ns = (uint64_t)g_test_rand_int_range(0, i % 2 ? 50 : 200000);
	}
	return fake_capture(fake);
}

static uint64_t sum_of_source(const SptMetric *metric, const SptCapture *capture)
{
	g_autoptr(SptWeights) weights = spt_weights_new(capture, metric->source);
	const SptWeightRow *rows;
	uint64_t sum = 0;
	uint32_t n;

	while ((rows = spt_weights_next(weights, &n))) {
		g_assert_cmpuint(n, <=, SPT_WEIGHTS_BATCH);
		for (uint32_t i = 0; i < n; i++)
			sum += rows[i].weight;
	}
	return sum;
}

static void check_functions(const SptProfile *profile)
{
	uint32_t n, n_nodes;
	const SptFunction *functions = spt_profile_functions(profile, &n);
	const SptTreeNode *nodes = spt_profile_tree(profile, &n_nodes);
	uint64_t selfs = 0, node_selfs = 0;

	for (uint32_t i = 0; i < n; i++) {
		g_autoptr(GArray) callers = spt_profile_callers(profile, i);
		uint64_t weight = 0;

		selfs += functions[i].self;
		for (unsigned k = 0; k < callers->len; k++)
			weight += g_array_index(callers, SptEdge, k).weight;
		if (!functions[i].is_process)
			g_assert_cmpuint(weight, ==, functions[i].total);
	}
	for (uint32_t i = 0; i < n_nodes; i++)
		node_selfs += nodes[i].self;
	g_assert_cmpuint(selfs, ==, spt_profile_total(profile));
	g_assert_cmpuint(node_selfs, ==, spt_profile_total(profile));
}

static void check_folded(const SptProfile *profile)
{
	const SptMetric *metric = spt_profile_metric(profile);
	uint64_t divisor = metric->is_cpu || metric->unit != SPT_UNIT_NS ? 1 : 1000, sum = 0;
	g_autoptr(GString) text = g_string_new(NULL);
	g_auto(GStrv) lines = NULL;

	append_export(&spt_export_folded, profile, text);
	lines = g_strsplit(text->str, "\n", -1);
	for (char **line = lines; *line; line++)
		if (**line)
			sum += g_ascii_strtoull(strrchr(*line, ' '), NULL, 10);
	g_assert_cmpuint(sum, ==, spt_profile_total(profile) / divisor);
}

static void check_groups(const SptProfile *base, const SptFilter *filter, const SptProfile *profile)
{
	for (unsigned kind = 0; spt_grouping(kind); kind++) {
		g_autoptr(GArray) rows = NULL;
		uint64_t weight = 0, samples = 0;

		if (!spt_grouping_fits(spt_grouping(kind), spt_profile_metric(base)))
			continue;
		rows = spt_groups_new(base, filter, kind);
		for (unsigned i = 0; i < rows->len; i++) {
			weight += g_array_index(rows, SptGroupRow, i).weight;
			samples += g_array_index(rows, SptGroupRow, i).samples;
		}
		g_assert_cmpuint(weight, ==, spt_profile_total(profile));
		g_assert_cmpuint(samples, ==, spt_profile_n_samples(profile));
	}
}

static void check_nodes(const SptCapture *capture, SptSymbols *symbols, const SptMetric *metric,
			const SptFilter *filter, uint64_t wanted)
{
	g_autofree uint64_t *weights = g_new0(uint64_t, capture->n_nodes);
	uint64_t sum = 0;

	spt_profile_weigh_nodes(capture, symbols, metric, filter, weights);
	for (uint32_t i = 0; i < capture->n_nodes; i++)
		sum += weights[i];
	g_assert_cmpuint(sum, ==, wanted);
}

static void test_sums(void)
{
	struct fake fake;
	const SptCapture *capture = make_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	const SptMetric *metric;
	unsigned n = 0;

	for (; (metric = metric_at(n, capture)); n++) {
		g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, metric);
		g_autoptr(SptProfile) arranged = spt_profile_arrange(
			base, &(SptArrangement){ .roots = SPT_ROOTS_BY(SPT_GROUP_THREAD) });

		g_assert_true(spt_profile_metric(base) == metric);
		g_assert_true(spt_profile_metric(arranged) == metric);
		g_assert_cmpuint(spt_profile_total(base), ==, sum_of_source(metric, capture));
		for (unsigned i = 0; filters(i); i++) {
			g_autoptr(SptProfile) left = spt_profile_refilter(base, filters(i), NULL);
			g_autoptr(SptProfile) like =
				spt_profile_refilter(arranged, filters(i), NULL);
			g_autoptr(SptProfile) alone =
				spt_profile_new(capture, symbols, metric, filters(i));
			uint64_t total = spt_profile_total(left);

			g_assert_true(spt_profile_metric(left) == metric);
			g_assert_cmpuint(total, <=, spt_profile_total(base));
			g_assert_cmpuint(spt_profile_total(alone), ==, total);
			g_assert_cmpuint(spt_profile_n_samples(alone), ==,
					 spt_profile_n_samples(left));
			if (i < 5) /* its innermost function may be a root */
				g_assert_cmpuint(spt_profile_total(like), ==, total);
			check_functions(left);
			check_functions(alone);
			check_folded(alone);
			check_groups(base, filters(i), left);
			check_nodes(capture, symbols, metric, filters(i), total);
		}
	}
	g_assert_cmpuint(n, >=, 3);
	fake_clear(&fake);
}

/* A wait that begins in one part and ends in another is shared by both. */
static void test_times(void)
{
	struct fake fake;
	const SptCapture *capture = make_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, &waits);
	uint64_t sum = 0, at = 1;

	while (at < LAST) {
		uint64_t end = at + (uint64_t)g_test_rand_int_range(1, 100000);
		g_autoptr(SptProfile) part =
			spt_profile_refilter(base, &(SptFilter){ .begin_ns = at, .end_ns = end },
					     NULL);

		sum += spt_profile_total(part);
		at = end;
	}
	/* What begins and ends at once is in the part where it is. */
	g_assert_cmpuint(sum, ==, spt_profile_total(base));
	fake_clear(&fake);
}

static void test_part(void)
{
	struct fake fake;
	const unsigned function = 1;
	SptFilter filter = { .begin_ns = FIRST, .end_ns = FIRST + 100 };

	fake_init(&fake);
	fake_sample(&fake, 1, &function, 1, FIRST + 75, 1);
	fake_sample(&fake, 1, &function, 1, FIRST + 200, 1);
	fake_sample(&fake, 1, &function, 1, FIRST + 300, 1);
	g_array_index(fake.samples, SptSampleRow, 0).delay_ns = 100;
	g_array_index(fake.samples, SptSampleRow, 1).delay_ns = 400;
	g_array_index(fake.samples, SptSampleRow, 2).delay_ns = 200;

	const SptCapture *capture = fake_capture(&fake);
	g_autoptr(SptSymbols) symbols = spt_symbols_new(capture, NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(capture, symbols, &waits);
	g_autoptr(SptProfile) part = spt_profile_refilter(base, &filter, NULL);

	/* Of the first its end, of the second its middle, of the third nothing. */
	g_assert_cmpuint(spt_profile_total(part), ==, (75 + 100) * 5000000007u);
	g_assert_cmpuint(spt_profile_n_samples(part), ==, 2);
	fake_clear(&fake);
}

static void test_table(void)
{
	g_autoptr(GHashTable) host = g_hash_table_new(g_str_hash, g_str_equal);
	const SptCapture perf = { .path = "file", .host = host };
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GError) error = NULL;
	const SptMetric *metric;

	g_hash_table_insert(host, (gpointer) "source", (gpointer) "perf");
	g_hash_table_insert(host, (gpointer) "period_ns", (gpointer) "250");
	for (unsigned i = 0; (metric = spt_metric(i)); i++) {
		g_assert_true(g_hash_table_add(names, (gpointer)metric->name));
		g_assert_true(spt_metric_find(metric->name) == metric);
		g_assert_nonnull(metric->value);
		g_assert_true(!metric->source == !metric->title);
	}
	g_assert_null(spt_metric_find("cp"));
	g_assert_true(SPT_METRIC_CPU == spt_metric_find("cpu"));
	g_assert_cmpuint(spt_metric_worth(SPT_METRIC_CPU, &perf), ==, 250);
	g_assert_cmpuint(spt_metric_worth(spt_metric_find("delay"), &perf), ==, 1);
	g_assert_true(spt_metric_check(SPT_METRIC_CPU, &perf, &error));
	g_assert_false(spt_metric_check(spt_metric_find("delay"), &perf, &error));
	g_assert_cmpstr(
		error->message, ==,
		"file has no metric \"delay\"; record with --source module to have it");
}

static void test_fits(void)
{
	static const char *const of_cpu[] = { "process", "thread",  "cpu", "object",
					      "comm",	 "client",  "mark", "host",    "context",
					      "language", NULL };
	SptGroupKind state;

	for (unsigned kind = 0; spt_grouping(kind); kind++)
		g_assert_true(spt_grouping_fits(spt_grouping(kind), SPT_METRIC_CPU) ==
			      g_strv_contains(of_cpu, spt_grouping(kind)->name));
	g_assert_true(spt_grouping_find("state", &state));
	g_assert_true(spt_grouping_fits(spt_grouping(state), spt_metric_find("wall")));
	g_assert_false(spt_grouping_fits(spt_grouping(SPT_GROUP_CPU), &waits));
	g_assert_true(spt_grouping_fits(spt_grouping(SPT_GROUP_THREAD), &waits));
}

static void test_near(void)
{
	static const struct {
		const char *word, *name;
		unsigned mistakes; /* UINT_MAX: too many */
	} cases[] = {
		{ "delay", "delay", 0 },
		{ "dealy", "delay", 1 },
		{ "dely", "delay", 1 },
		{ "dellay", "delay", 1 },
		{ "delta", "delay", UINT_MAX },
		{ "cpus", "cpu", 1 },
		{ "blokced", "blocked", 1 },
		{ "bloked", "blocked", 1 },
		{ "", "cpu", UINT_MAX },
		{ "a very long word that is none at all", "cpu", UINT_MAX },
	};

	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		unsigned least = UINT_MAX;

		g_assert_true(spt_is_nearer(cases[i].word, cases[i].name, &least) ==
			      (cases[i].mistakes != UINT_MAX));
		g_assert_cmpuint(least, ==, cases[i].mistakes);
		g_assert_false(spt_is_nearer(cases[i].word, cases[i].name, &least));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/metric/sums", test_sums);
	g_test_add_func("/metric/times", test_times);
	g_test_add_func("/metric/part", test_part);
	g_test_add_func("/metric/table", test_table);
	g_test_add_func("/metric/fits", test_fits);
	g_test_add_func("/metric/near", test_near);
	return g_test_run();
}
