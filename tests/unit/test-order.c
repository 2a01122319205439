/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of functions: each order against a plain comparison of what it promises, and searches with
 * known answers.
 */
#include "profile/order.h"

#include <string.h>

#include "captures.h"
#include "profile/summary.h"
#include "profile/tree.h"

struct fixture {
	struct fake fake;
	SptSymbols *symbols;
	SptProfile *profile;
	SptOrder *order;
	const SptFunction *functions;
	uint32_t n;
};

static void set_up(struct fixture *fixture, unsigned n_samples)
{
	fake_init(&fixture->fake);
	fake_random(&fixture->fake, n_samples);
	fixture->symbols = spt_symbols_new(fake_capture(&fixture->fake), NULL);
	fixture->profile = spt_profile_new(&fixture->fake.capture, fixture->symbols, NULL, NULL);
	fixture->order = spt_order_new(fixture->profile);
	fixture->functions = spt_profile_functions(fixture->profile, &fixture->n);
}

static void tear_down(struct fixture *fixture)
{
	spt_order_free(fixture->order);
	spt_profile_free(fixture->profile);
	spt_symbols_free(fixture->symbols);
	fake_clear(&fixture->fake);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By the key alone, ascending. */
static int compare_by_key(const SptFunction *a, const SptFunction *b, SptOrderKey key)
{
	switch (key) {
	case SPT_ORDER_NAME:
		return spt_function_compare(a, b);
	case SPT_ORDER_OBJECT:
		return strcmp(a->object, b->object);
	case SPT_ORDER_SELF:
		return compare_numbers(a->self, b->self);
	default:
		return compare_numbers(a->total, b->total);
	}
}

/*
 * What the header promises, in the direction one looks for first: the largest weights, the
 * alphabet's start.
 */
static int compare(const SptFunction *a, const SptFunction *b, SptOrderKey key)
{
	int result = 0;

	if (key == SPT_ORDER_OBJECT)
		result = compare_by_key(a, b, key);
	else if (key != SPT_ORDER_NAME)
		result = -compare_by_key(a, b, key);
	if (result == 0 && key >= SPT_ORDER_SELF)
		result = -compare_by_key(a, b,
					 key == SPT_ORDER_SELF ? SPT_ORDER_TOTAL : SPT_ORDER_SELF);
	return result ? result : spt_function_compare(a, b);
}

static void test_orders(void)
{
	for (unsigned round = 0; round < 40; round++) {
		struct fixture fixture;

		set_up(&fixture, round * 3);
		for (unsigned i = 0; i < 8; i++) {
			SptOrderKey key = (SptOrderKey)(i / 2);
			bool is_reverse = i % 2, descending = is_reverse != (key >= SPT_ORDER_SELF);
			g_autofree bool *seen = g_new0(bool, MAX(fixture.n, 1));
			g_autofree uint32_t *list = NULL;
			uint32_t n;

			list = spt_order_list(fixture.order, key, descending, NULL, &n);
			g_assert_cmpuint(n, ==, fixture.n);
			for (uint32_t at = 0; at < n; at++) {
				g_assert_false(seen[list[at]]);
				seen[list[at]] = true;
				if (at > 0)
					g_assert_cmpint(compare(&fixture.functions[list[at - 1]],
								&fixture.functions[list[at]], key) *
								(is_reverse ? -1 : 1),
							<, 0);
			}
		}
		tear_down(&fixture);
	}
}

static void check_search(const struct fixture *fixture, const char *search,
			 const char *const *names)
{
	uint32_t n;
	g_autofree uint32_t *list =
		spt_order_list(fixture->order, SPT_ORDER_NAME, false, search, &n);

	g_assert_cmpuint(n, ==, g_strv_length((char **)names));
	for (uint32_t i = 0; i < n; i++)
		g_assert_cmpstr(fixture->functions[list[i]].name, ==, names[i]);
}

#define CHECK(fixture, search, ...)                                                                \
	check_search(fixture, search, (const char *const[]){ __VA_ARGS__, NULL })

static void test_search(void)
{
	struct fixture fixture;

	fake_init(&fixture.fake);
	fake_sample(&fixture.fake, 1, (const unsigned[]){ 0, 1, 10, 11 }, 4, 100, 10);
	fixture.symbols = spt_symbols_new(fake_capture(&fixture.fake), NULL);
	fixture.profile = spt_profile_new(&fixture.fake.capture, fixture.symbols, NULL, NULL);
	fixture.order = spt_order_new(fixture.profile);
	fixture.functions = spt_profile_functions(fixture.profile, &fixture.n);

	CHECK(&fixture, "", "even", "f0", "f1", "f10", "f11");
	CHECK(&fixture, " \t", "even", "f0", "f1", "f10", "f11");
	CHECK(&fixture, "1", "f1", "f10", "f11");
	CHECK(&fixture, "F1", "f1", "f10", "f11");
	CHECK(&fixture, "1 0", "f10");
	CHECK(&fixture, "kernel  f0", "f0");
	CHECK(&fixture, "KERNEL", "f0", "f1", "f10", "f11");
	CHECK(&fixture, "f2", NULL);
	CHECK(&fixture, "f1 nothing", NULL);
	tear_down(&fixture);
}

/* The account was made between the two samples, and knows of the first. */
static void test_cpu_summary(const SptCpuSummary *cpu)
{
	g_assert_cmpuint(cpu->account->time, ==, 500);
	g_assert_cmpuint(cpu->weight, ==, 1);
	g_assert_cmpuint(cpu->weight_after, ==, 2);
	g_assert_cmpint(spt_cpu_summary_missing(cpu), ==, 0);
}

static void test_summary(void)
{
	SptSummary summary;
	struct fake fake;
	SptAccountRow accounts[] = {
		{ .time = 400, .cpu = 0, .lost = { 1 } },
		{ .time = 500, .cpu = 0, .delivered = 1, .lost = { 3, 1 } },
		{ .time = 950, .cpu = 1, .lost = { 2 } },
	};
	SptLossRow loss = { .first_time = 100, .last_time = 120, .weight = 7 };

	fake_init(&fake);
	fake_sample(&fake, 1, (const unsigned[]){ 0 }, 1, 100, 1);
	fake_sample(&fake, 1, (const unsigned[]){ 0 }, 1, 700, 2);
	fake_capture(&fake);
	fake.capture.host = g_hash_table_new(g_str_hash, g_str_equal);
	fake.capture.losses = &loss;
	fake.capture.n_losses = 1;

	spt_summary_init(&summary, &fake.capture);
	spt_summary_count_cpus(&summary, &fake.capture);
	g_assert_cmpuint(summary.samples, ==, 2);
	g_assert_cmpuint(summary.lost, ==, 7);
	g_assert_cmpuint(summary.end_ns - summary.start_ns, ==, 600);
	g_assert_cmpuint(summary.cpus->len, ==, 0);
	spt_summary_clear(&summary);

	fake.capture.accounts = accounts;
	fake.capture.n_accounts = 3;
	g_hash_table_insert(fake.capture.host, (char *)"start_time", (char *)"50");
	spt_summary_init(&summary, &fake.capture);
	spt_summary_count_cpus(&summary, &fake.capture);
	g_assert_cmpuint(summary.lost, ==, 6);
	g_assert_cmpuint(summary.end_ns - summary.start_ns, ==, 900);
	g_assert_cmpuint(summary.n_cpus, ==, 2);
	g_assert_cmpuint(summary.cpus->len, ==, 2);
	test_cpu_summary(&g_array_index(summary.cpus, SptCpuSummary, 0));
	spt_summary_clear(&summary);
	g_hash_table_unref(fake.capture.host);
	fake_clear(&fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/order/orders", test_orders);
	g_test_add_func("/order/search", test_search);
	g_test_add_func("/order/summary", test_summary);
	return g_test_run();
}
