/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is around the views of a window: the timeline and restrictions. */
#include <string.h>

#include "base/words.h"
#include "captures.h"
#include "profile/categories.h"
#include "profile/order.h"
#include "profile/restrictions.h"
#include "profile/timeline.h"

struct fixture {
	struct fake fake;
	SptSymbols *symbols;
	SptProfile *base;
};

/* Six samples: f0 f1, 1 ms apart on CPU 0; four on CPU 1: f2 in "odd". */
static void set_up(struct fixture *fixture)
{
	static const unsigned functions[] = { 0, 1, 2 };
	struct fake *fake = &fixture->fake;

	fake_init(fake);
	for (unsigned i = 0; i < 6; i++)
		fake_sample(fake, 1, functions, 2, 1000000 * (1 + i), 1);
	for (unsigned i = 0; i < 4; i++) {
		fake_sample(fake, 2, functions + 2, 1, 1000000 * (7 + i), 1);
		g_array_index(fake->samples, SptSampleRow, 6 + i).cpu = 1;
	}
	fixture->symbols = spt_symbols_new(fake_capture(fake), NULL);
	fake->capture.host = g_hash_table_new(g_str_hash, g_str_equal);
	g_hash_table_insert(fake->capture.host, "period_ns", "1000000");
	fixture->base = spt_profile_new_base(&fake->capture, fixture->symbols, NULL);
}

static void tear_down(struct fixture *fixture)
{
	spt_profile_free(fixture->base);
	spt_symbols_free(fixture->symbols);
	g_hash_table_unref(fixture->fake.capture.host);
	fake_clear(&fixture->fake);
}

static void assert_busy(const SptTimeline *timeline, uint32_t lane, uint32_t bucket,
			const char *expected)
{
	g_autofree char *text = spt_timeline_busy(timeline, lane, bucket);

	g_assert_cmpstr(text, ==, expected);
}

static void test_timeline(void)
{
	SptLossRow losses[] = {
		{ .first_time = 1000000, .last_time = 4500000, .cpu = 1, .weight = 5 },
		{ .first_time = 90000000, .last_time = 91000000, .cpu = 0, .weight = 7 },
	};
	struct fixture fixture;

	set_up(&fixture);
	fixture.fake.capture.losses = losses;
	fixture.fake.capture.n_losses = 2;

	SptAccountRow accounts[] = {
		{ .time = 5000000, .cpu = 0, .budget = 2 },
		{ .time = 7000000, .cpu = 0, .budget = 2 },
		{ .time = 10500000, .cpu = 0, .budget = 3 },
	};
	const SptTimelineRequest request = {
		.begin_ns = 1000000,
		.end_ns = 11000000,
		.n_buckets = 5,
		.lanes = SPT_GROUP_CPU,
		.function = spt_profile_find(fixture.base, "f1"),
	};

	fixture.fake.capture.accounts = accounts;
	fixture.fake.capture.n_accounts = G_N_ELEMENTS(accounts);

	/* Two periods a bucket. */
	g_autoptr(SptTimeline) timeline = spt_timeline_new(fixture.base, &request);
	static const uint64_t weights[] = { 2, 2, 2, 0, 0, 0, 0, 0, 2, 2 },
			      lost[] = { 0, 0, 0, 0, 0, 2, 3, 0, 0, 0 };
	static const uint64_t lit[] = { 2, 2, 2, 0, 0, 0, 0, 0, 0, 0 },
			      left_out[] = { 0, 0, 2, 0, 1, 0, 0, 0, 0, 0 };

	g_assert_cmpuint(timeline->n_lanes, ==, 2);
	g_assert_cmpmem(timeline->weights, sizeof(weights), weights, sizeof(weights));
	g_assert_cmpmem(timeline->lost, sizeof(lost), lost, sizeof(lost));
	g_assert_cmpmem(timeline->lit, sizeof(lit), lit, sizeof(lit));
	g_assert_cmpuint(timeline->left_out[0] + timeline->left_out[1] + timeline->left_out[2], ==,
			 left_out[2]);
	g_assert_cmpuint(timeline->left_out[3] + timeline->left_out[4], ==, left_out[4]);
	g_assert_cmpfloat(spt_timeline_share(timeline, timeline->weights, 0, 0), ==, 1);
	g_assert_cmpfloat(spt_timeline_share(timeline, timeline->weights, 1, 0), ==, 0);
	g_assert_cmpfloat(spt_timeline_share(timeline, timeline->lost, 1, 0), ==, 1);
	assert_busy(timeline, 0, 0, "100 % busy");
	assert_busy(timeline, 0, 3, "0 % busy");
	/* What was lost is not idle. */
	assert_busy(timeline, 1, 0, "not known, all samples were lost");
	timeline->weights[timeline->n_buckets] = 1;
	assert_busy(timeline, 1, 0, "at least 50 % busy, samples were lost");

	/* A part of it; nothing outside counts, and nothing at all is no trouble. */
	g_autoptr(SptTimeline) part =
		spt_timeline_new(fixture.base, &(SptTimelineRequest){ .begin_ns = 3000000,
								      .end_ns = 3000000,
								      .n_buckets = 1,
								      .lanes = SPT_GROUP_CPU,
								      .function = UINT32_MAX });

	g_assert_cmpuint(part->weights[0], ==, 1);

	/* By process, the heavier one first. */
	g_autoptr(SptTimeline) by_process =
		spt_timeline_new(fixture.base, &(SptTimelineRequest){ .begin_ns = 1000000,
								      .end_ns = 11000000,
								      .n_buckets = 5,
								      .lanes = SPT_GROUP_PROCESS,
								      .function = UINT32_MAX });

	g_assert_cmpuint(by_process->n_lanes, ==, 2);
	g_assert_cmpstr(by_process->groups[0].name, ==, "even");
	g_assert_cmpuint(by_process->groups[1].pid, ==, 11);
	g_assert_cmpmem(by_process->weights, sizeof(weights), weights, sizeof(weights));
	fixture.fake.capture.n_accounts = 0;
	fixture.fake.capture.n_losses = 0;
	tear_down(&fixture);
}

static void test_steps(void)
{
	g_assert_cmpuint(spt_timeline_step(10, 11), ==, 1);
	g_assert_cmpuint(spt_timeline_step(305000000, 10), ==, 50000000);
	g_assert_cmpuint(spt_timeline_step(63000000000, 10), ==, 10000000000);
	g_assert_cmpuint(spt_timeline_step(UINT64_MAX, 1), >, 0);
}

static uint64_t total_of(struct fixture *fixture, const SptRestrictions *restrictions)
{
	g_autoptr(SptProfile) profile =
		spt_profile_refilter(fixture->base, spt_restrictions_filter(restrictions), NULL);

	return spt_profile_total(profile);
}

static void test_restrictions(void)
{
	static const struct {
		SptRestriction restriction;
		uint64_t total;		/* of it alone */
		const char *text;
	} cases[] = {
		{ { .kind = SPT_RESTRICT_TIME, .begin_ns = 2000000, .end_ns = 8000000 },
		  6,
		  "0.001 s to 0.007 s" },
		{ { .kind = SPT_RESTRICT_PROCESS, .text = "odd" }, 4, "process odd" },
		{ { .kind = SPT_RESTRICT_THREAD, .text = "10" }, 6, "thread 10" },
		{ { .kind = SPT_RESTRICT_CPU, .number = 1 }, 4, "CPU 1" },
		{ { .kind = SPT_RESTRICT_SIDE, .number = SPT_SIDE_KERNEL }, 10, "in the kernel" },
		{ { .kind = SPT_RESTRICT_SIDE, .number = SPT_SIDE_USER }, 0, "outside the kernel" },
		{ { .kind = SPT_RESTRICT_LANGUAGE, .text = "kernel" }, 10, "language kernel" },
		{ { .kind = SPT_RESTRICT_LANGUAGE, .text = "native" }, 0, "language native" },
		{ { .kind = SPT_RESTRICT_FUNCTION, .text = "f1" }, 6, "with f1" },
		{ { .kind = SPT_RESTRICT_FUNCTION, .text = "f\"" }, 0, "with f\"" },
	};
	g_autoptr(SptRestrictions) none = spt_restrictions_new();
	struct fixture fixture;

	set_up(&fixture);
	g_assert_null(spt_restrictions_filter(none));
	for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(SptRestrictions) one = spt_restrictions_add(none, &cases[i].restriction);
		g_autoptr(SptRestrictions) again = spt_restrictions_add(one, &cases[i].restriction);
		g_autofree char *text =
			spt_restriction_describe(spt_restrictions_get(one, 0), 1000000);

		g_assert_cmpuint(total_of(&fixture, one), ==, cases[i].total);
		g_assert_cmpstr(text, ==, cases[i].text);
		g_assert_cmpuint(spt_restrictions_n(again), ==, 1);
	}
	tear_down(&fixture);
}

/* What only shows of each root of this arrangement is what the root has. */
static void check_roots(struct fixture *fixture, const char *roots, const char *const *texts,
			const SptCategories *categories)
{
	const SptArrangement arrangement = { .roots = spt_roots_named(roots),
					     .categories = categories };
	g_autoptr(SptProfile) arranged = spt_profile_arrange(fixture->base, &arrangement);
	g_autoptr(SptRestrictions) none = spt_restrictions_new();
	uint32_t n, n_roots = 0;
	const SptFunction *functions = spt_profile_functions(arranged, &n);

	for (uint32_t i = 0; i < n; i++) {
		SptRestriction only;
		SptRoots of;

		if (!spt_profile_root(arranged, i, &of))
			continue;
		g_assert_true(spt_restriction_to(arranged, i, categories, &only));

		g_autoptr(SptRestrictions) one = spt_restrictions_add(none, &only);
		g_autofree char *text = spt_restriction_describe(&only, 0);

		g_assert_true(g_strv_contains(texts, text));
		g_assert_cmpuint(total_of(fixture, one), ==, functions[i].total);
		spt_restriction_clear(&only);
		n_roots++;
	}
	g_assert_cmpuint(n_roots, ==, g_strv_length((char **)texts));
}

static void test_roots(void)
{
	g_autoptr(SptCategories) categories =
		spt_categories_parse("first = f1\nsecond = f7\n", NULL);
	struct fixture fixture;

	set_up(&fixture);
	check_roots(&fixture, "category",
		    (const char *const[]){ "category first", "category other", NULL }, categories);
	check_roots(&fixture, "language", (const char *const[]){ "language kernel", NULL }, NULL);
	check_roots(&fixture, "cpu", (const char *const[]){ "CPU 0", "CPU 1", NULL }, NULL);
	tear_down(&fixture);
}

/* The command that was recorded, in numbers and words. */
static void test_command(void)
{
	g_autoptr(SptRestrictions) none = spt_restrictions_new();
	SptRestriction command;
	struct fixture fixture;

	set_up(&fixture);
	g_assert_false(spt_restriction_to_command(&fixture.fake.capture, &command));
	g_hash_table_insert(fixture.fake.capture.host, "command", "/opt/odd -x");
	g_hash_table_insert(fixture.fake.capture.host, "command_pid", "99999");
	g_assert_false(spt_restriction_to_command(&fixture.fake.capture, &command));
	g_hash_table_insert(fixture.fake.capture.host, "command_pid", "11");
	g_hash_table_insert(fixture.fake.capture.host, "command", "/opt/od d -x");
	g_hash_table_insert(fixture.fake.capture.host, "command_name", "odd");
	g_assert_true(spt_restriction_to_command(&fixture.fake.capture, &command));

	g_autoptr(SptRestrictions) one = spt_restrictions_add(none, &command);
	g_autofree char *text = spt_restriction_describe(spt_restrictions_get(one, 0), 0);

	g_free((char *)command.text);
	g_free((bool *)command.processes);
	g_assert_cmpuint(total_of(&fixture, one), ==, 4);
	g_assert_cmpstr(text, ==, "command odd");
	tear_down(&fixture);
}

/* Together they leave what each of them leaves; taken away again, all is as before. */
static void test_restrictions_together(void)
{
	static const SptRestriction time = { .kind = SPT_RESTRICT_TIME,
					     .begin_ns = 2000000,
					     .end_ns = 4000000 };
	static const SptRestriction function = { .kind = SPT_RESTRICT_FUNCTION, .text = "f0" };
	static const SptRestriction other = { .kind = SPT_RESTRICT_FUNCTION, .text = "f1" };
	g_autoptr(SptRestrictions) none = spt_restrictions_new();
	struct fixture fixture;

	set_up(&fixture);

	g_autoptr(SptRestrictions) one = spt_restrictions_add(none, &function);
	g_autoptr(SptRestrictions) two = spt_restrictions_add(one, &time);
	g_autoptr(SptRestrictions) three = spt_restrictions_add(two, &other);
	g_autoptr(SptRestrictions) back = spt_restrictions_remove(three, 1);
	g_autoptr(SptRestrictions) timeless = spt_restrictions_without(three, SPT_RESTRICT_TIME);
	g_autoptr(SptRestrictions) many = spt_restrictions_ref(none);

	g_assert_cmpuint(spt_restrictions_n(three), ==, 3);
	g_assert_cmpuint(total_of(&fixture, three), ==, 2);
	g_assert_cmpuint(total_of(&fixture, back), ==, 6);
	g_assert_cmpuint(spt_restrictions_n(timeless), ==, 2);
	g_assert_nonnull(spt_restrictions_find(two, SPT_RESTRICT_TIME));
	g_assert_null(spt_restrictions_find(timeless, SPT_RESTRICT_TIME));
	for (unsigned i = 0; i < 2 * SPT_RESTRICTIONS_MAX; i++) {
		g_autofree char *name = g_strdup_printf("g%u", i);
		SptRestrictions *longer =
			spt_restrictions_add(many, &(SptRestriction){ .kind = SPT_RESTRICT_FUNCTION,
								      .text = name });

		spt_restrictions_unref(many);
		many = longer;
	}
	g_assert_cmpuint(spt_restrictions_n(many), ==, SPT_RESTRICTIONS_MAX);
	g_assert_cmpuint(total_of(&fixture, many), ==, 0);
	tear_down(&fixture);
}

/* An order made like another's is the one that would be made anew. */
static void test_order_like(void)
{
	struct fake fake;

	fake_init(&fake);
	fake_random(&fake, 200);

	g_autoptr(SptSymbols) symbols = spt_symbols_new(fake_capture(&fake), NULL);
	g_autoptr(SptProfile) base = spt_profile_new_base(&fake.capture, symbols, NULL);
	g_autoptr(SptProfile) part =
		spt_profile_refilter(base, &(SptFilter){ .begin_ns = 1050, .end_ns = 1060 }, NULL);
	g_autoptr(SptOrder) order = spt_order_new(base);
	g_autoptr(SptOrder) like = spt_order_new_like(order, part, NULL),
			    anew = spt_order_new(part);

	for (SptOrderKey key = SPT_ORDER_NAME; key <= SPT_ORDER_TOTAL; key++) {
		uint32_t n, n_anew;
		g_autofree uint32_t *list = spt_order_list(like, key, false, "f", &n);
		g_autofree uint32_t *expected = spt_order_list(anew, key, false, "f", &n_anew);

		g_assert_cmpmem(list, n * sizeof(*list), expected, n_anew * sizeof(*expected));
		for (uint32_t i = 0; i < n; i++)
			g_assert_cmpuint(spt_profile_functions(part, &n_anew)[list[i]].total, >, 0);
	}
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/timeline/buckets", test_timeline);
	g_test_add_func("/timeline/steps", test_steps);
	g_test_add_func("/restrictions/each", test_restrictions);
	g_test_add_func("/restrictions/roots", test_roots);
	g_test_add_func("/restrictions/command", test_command);
	g_test_add_func("/restrictions/together", test_restrictions_together);
	g_test_add_func("/order/like", test_order_like);
	return g_test_run();
}
