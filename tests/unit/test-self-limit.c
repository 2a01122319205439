/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is lowered when the recorder takes too much of a CPU, and in which order. */
#include "record/self-limit.h"

#include "trace/trace-private.h"

#define SECOND_NS 1000000000ULL
#define MOST	  57344

static uint32_t copied;
static unsigned part;

static bool on_request(G_GNUC_UNUSED SptTrace *trace, G_GNUC_UNUSED const char *comm,
		       uint32_t bytes)
{
	copied = bytes;
	return true;
}

static bool on_slow_down(G_GNUC_UNUSED SptTrace *trace, unsigned to)
{
	part = to;
	return to <= 4;
}

static const struct spt_trace_source source = {
	.services = { .raw_request = on_request, .slow_down = on_slow_down },
};
static SptTrace trace = { .source = &source };

/* Two seconds, in which it runs for some milliseconds; the first call only looks. */
static void pass(SptSelfLimit *limit, unsigned ms)
{
	static uint64_t now, ran;

	now += 2 * SECOND_NS;
	ran += ms * 1000000ULL;
	spt_self_limit_take(limit, now - SECOND_NS, ran);
	spt_self_limit_take(limit, now, ran);
}

static void test_lowered(void)
{
	g_autoptr(SptCopies) copies = spt_copies_new(&trace, MOST, false);
	g_autoptr(SptSelfLimit) limit = spt_self_limit_new(&trace, copies, false);
	SptSelfLimitStatus status;

	spt_copies_begin(copies);
	g_assert_cmpuint(copied, ==, 16384);
	/* However much it took to begin, and what is within the bounds. */
	pass(limit, 1900);
	pass(limit, 59);
	g_assert_cmpuint(copied, ==, 16384);
	pass(limit, 100);
	g_assert_cmpuint(copied, ==, 8192);
	pass(limit, 85);
	g_assert_cmpuint(copied, ==, 4096);
	pass(limit, 75);
	spt_self_limit_status(limit, &status);
	g_assert_cmpuint(status.copy_bytes, ==, 4096);
	g_assert_cmpuint(status.rate_part, ==, 2);
	pass(limit, 65);
	pass(limit, 58);
	spt_self_limit_status(limit, &status);
	g_assert_cmpuint(status.rate_part, ==, 4);
	g_assert_cmpuint(part, ==, 4);
	g_assert_cmpfloat(status.over_limit_pct, ==, 0);
}

/* What does not help is taken back and not done again. */
static void test_no_help(void)
{
	g_autoptr(SptCopies) copies = spt_copies_new(&trace, MOST, false);
	g_autoptr(SptSelfLimit) limit = spt_self_limit_new(&trace, copies, false);
	SptSelfLimitStatus status;

	spt_copies_begin(copies);
	pass(limit, 0);
	pass(limit, 80);
	pass(limit, 80);
	g_assert_cmpuint(copied, ==, 16384);
	g_assert_cmpuint(part, ==, 2);
	pass(limit, 80);
	pass(limit, 80);
	spt_self_limit_status(limit, &status);
	g_assert_cmpuint(status.copy_bytes, ==, 0);
	g_assert_cmpuint(status.rate_part, ==, 1);
	g_assert_cmpuint(part, ==, 1);
	g_assert_cmpfloat_with_epsilon(status.over_limit_pct, 4, 0.01);
}

static void test_kept(void)
{
	g_autoptr(SptCopies) copies = spt_copies_new(&trace, MOST, false);
	g_autoptr(SptSelfLimit) limit = spt_self_limit_new(&trace, copies, true);
	SptSelfLimitStatus status;

	part = 0;
	spt_copies_begin(copies);
	pass(limit, 0);
	pass(limit, 200);
	pass(limit, 100);
	spt_self_limit_status(limit, &status);
	g_assert_cmpuint(copied, ==, 16384);
	g_assert_cmpuint(part, ==, 0);
	g_assert_cmpuint(status.copy_bytes, ==, 0);
	g_assert_cmpuint(status.rate_part, ==, 1);
	g_assert_cmpfloat_with_epsilon(status.over_limit_pct, 10, 0.01);
}

static uint64_t no_cost(G_GNUC_UNUSED void *data)
{
	return 0;
}

/* Within two seconds of a budget of 1 % there are 20 ms. */
static void test_budget(void)
{
	g_autoptr(SptSelfLimit) limit = spt_self_limit_new(&trace, NULL, true);
	SptSelfLimitStatus status;

	part = 0;
	spt_self_limit_budget(limit, 1, 2 * SECOND_NS, no_cost, NULL);
	pass(limit, 900);
	pass(limit, 19);
	g_assert_cmpuint(part, ==, 0);
	pass(limit, 80);
	g_assert_cmpuint(part, ==, 2);
	pass(limit, 41);
	g_assert_cmpuint(part, ==, 4);
	spt_self_limit_status(limit, &status);
	g_assert_cmpfloat_with_epsilon(status.cost_pct, 2.05, 0.01);
	g_assert_false(status.is_over_budget);
	pass(limit, 21);
	/* The source can do no more. */
	g_assert_cmpuint(part, ==, 8);
	spt_self_limit_status(limit, &status);
	g_assert_cmpuint(status.rate_part, ==, 4);
	g_assert_true(status.is_over_budget);
	/* It costs less for long enough, twice, but not much less for the third time. */
	for (unsigned i = 0; i < 6; i++)
		pass(limit, 6);
	g_assert_cmpuint(part, ==, 1);
	pass(limit, 19);
	spt_self_limit_status(limit, &status);
	g_assert_cmpuint(status.rate_part, ==, 1);
	g_assert_false(status.is_over_budget);
}

/* A lower rate that does not help is taken back, and not tried again for a while. */
static void test_budget_no_help(void)
{
	g_autoptr(SptSelfLimit) limit = spt_self_limit_new(&trace, NULL, true);
	SptSelfLimitStatus status;

	spt_self_limit_budget(limit, 1, 2 * SECOND_NS, no_cost, NULL);
	pass(limit, 0);
	pass(limit, 50);
	g_assert_cmpuint(part, ==, 2);
	for (unsigned i = 0; i < 12; i++) {
		pass(limit, 50);
		g_assert_cmpuint(part, ==, 1);
	}
	spt_self_limit_status(limit, &status);
	g_assert_true(status.is_over_budget);
	pass(limit, 50);
	g_assert_cmpuint(part, ==, 2);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/limit/lowered", test_lowered);
	g_test_add_func("/limit/no-help", test_no_help);
	g_test_add_func("/limit/kept", test_kept);
	g_test_add_func("/limit/budget", test_budget);
	g_test_add_func("/limit/budget-no-help", test_budget_no_help);
	return g_test_run();
}
