/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is lowered when the recorder takes too much of a CPU, and in which order. */
#include "record/thrift.h"

#include "trace/trace-private.h"

#define SECOND_NS 1000000000ULL
#define MOST 57344

static uint32_t copied;
static unsigned part;

static bool on_wish(G_GNUC_UNUSED SptTrace *trace, G_GNUC_UNUSED const char *comm, uint32_t bytes)
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
	.services = { .raw_wish = on_wish, .slow_down = on_slow_down },
};
static SptTrace trace = { .source = &source };

/* Two seconds, in which it runs for some milliseconds; the first call only looks. */
static void pass(SptThrift *thrift, unsigned ms)
{
	static uint64_t now, ran;

	now += 2 * SECOND_NS;
	ran += ms * 1000000ULL;
	spt_thrift_take(thrift, now - SECOND_NS, ran);
	spt_thrift_take(thrift, now, ran);
}

static void test_lowered(void)
{
	g_autoptr(SptCopies) copies = spt_copies_new(&trace, MOST, false);
	g_autoptr(SptThrift) thrift = spt_thrift_new(&trace, copies, false);
	SptThriftStatus status;

	spt_copies_begin(copies);
	g_assert_cmpuint(copied, ==, 16384);
	/* However much it took to begin, and what is within the bounds. */
	pass(thrift, 1900);
	pass(thrift, 59);
	g_assert_cmpuint(copied, ==, 16384);
	pass(thrift, 100);
	g_assert_cmpuint(copied, ==, 8192);
	pass(thrift, 85);
	g_assert_cmpuint(copied, ==, 4096);
	pass(thrift, 75);
	spt_thrift_status(thrift, &status);
	g_assert_cmpuint(status.copy_bytes, ==, 4096);
	g_assert_cmpuint(status.rate_part, ==, 2);
	pass(thrift, 65);
	pass(thrift, 58);
	spt_thrift_status(thrift, &status);
	g_assert_cmpuint(status.rate_part, ==, 4);
	g_assert_cmpuint(part, ==, 4);
	g_assert_cmpfloat(status.dear_pct, ==, 0);
}

/* What does not help is taken back and not done again. */
static void test_no_help(void)
{
	g_autoptr(SptCopies) copies = spt_copies_new(&trace, MOST, false);
	g_autoptr(SptThrift) thrift = spt_thrift_new(&trace, copies, false);
	SptThriftStatus status;

	spt_copies_begin(copies);
	pass(thrift, 0);
	pass(thrift, 80);
	pass(thrift, 80);
	g_assert_cmpuint(copied, ==, 16384);
	g_assert_cmpuint(part, ==, 2);
	pass(thrift, 80);
	pass(thrift, 80);
	spt_thrift_status(thrift, &status);
	g_assert_cmpuint(status.copy_bytes, ==, 0);
	g_assert_cmpuint(status.rate_part, ==, 1);
	g_assert_cmpuint(part, ==, 1);
	g_assert_cmpfloat_with_epsilon(status.dear_pct, 4, 0.01);
}

static void test_kept(void)
{
	g_autoptr(SptCopies) copies = spt_copies_new(&trace, MOST, false);
	g_autoptr(SptThrift) thrift = spt_thrift_new(&trace, copies, true);
	SptThriftStatus status;

	part = 0;
	spt_copies_begin(copies);
	pass(thrift, 0);
	pass(thrift, 200);
	pass(thrift, 100);
	spt_thrift_status(thrift, &status);
	g_assert_cmpuint(copied, ==, 16384);
	g_assert_cmpuint(part, ==, 0);
	g_assert_cmpuint(status.copy_bytes, ==, 0);
	g_assert_cmpuint(status.rate_part, ==, 1);
	g_assert_cmpfloat_with_epsilon(status.dear_pct, 10, 0.01);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/thrift/lowered", test_lowered);
	g_test_add_func("/thrift/no-help", test_no_help);
	g_test_add_func("/thrift/kept", test_kept);
	return g_test_run();
}
