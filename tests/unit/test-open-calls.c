/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls and their returns: nested, recursive, from interrupts, without an end, without a begin. */
#include <glib.h>

#include "record/open-calls.h"

#define RETURNED 8			/* the stack pointer is above the return address then */

static void begin(SptOpenCalls *calls, uint32_t tid, uint32_t function, uint64_t time, uint64_t sp)
{
	const SptOpenCall call = {
		.time = time,
		.sp = sp,
		.function = function,
		.cpu = 1,
		.thread = tid + 100,
		.node = 7,
	};

	spt_open_calls_begin(calls, tid, &call);
}

/* When it began, and what it says of calls within it; -1: it began before. */
static int64_t end(SptOpenCalls *calls, uint32_t tid, uint32_t function, uint64_t time, uint64_t sp,
		   uint64_t *ret_inner_ns)
{
	SptOpenCall call = { .sp = sp + RETURNED, .function = function, .cpu = 1 };

	if (!spt_open_calls_end(calls, tid, time, &call))
		return -1;
	g_assert_cmpuint(call.thread, ==, tid + 100);
	*ret_inner_ns = call.inner_ns;
	return (int64_t)call.time;
}

static void test_nested(void)
{
	SptOpenCalls *calls = spt_open_calls_new();
	uint64_t inner;

	begin(calls, 5, 1, 1000, 0x9000);
	begin(calls, 5, 2, 1100, 0x8f00);
	begin(calls, 6, 1, 1150, 0x19000);
	g_assert_cmpint(end(calls, 5, 2, 1200, 0x8f00, &inner), ==, 1100);
	g_assert_cmpuint(inner, ==, 0);
	begin(calls, 5, 2, 1300, 0x8f00);
	g_assert_cmpint(end(calls, 5, 2, 1350, 0x8f00, &inner), ==, 1300);
	g_assert_cmpint(end(calls, 5, 1, 1500, 0x9000, &inner), ==, 1000);
	g_assert_cmpuint(inner, ==, 150);
	g_assert_cmpint(end(calls, 6, 1, 1600, 0x19000, &inner), ==, 1150);
	g_assert_cmpuint(inner, ==, 0);
	g_assert_cmpuint(spt_open_calls_count(calls), ==, 0);
	spt_open_calls_free(calls);
}

static void test_recursive(void)
{
	SptOpenCalls *calls = spt_open_calls_new();
	uint64_t inner;

	for (unsigned i = 0; i < 100; i++)
		begin(calls, 5, 1, 1000 + i, 0x90000 - i * 64);
	for (unsigned i = 100; i--;) {
		g_assert_cmpint(end(calls, 5, 1, 3000 - i, 0x90000 - i * 64, &inner), ==, 1000 + i);
		g_assert_cmpuint(inner, ==, i == 99 ? 0 : 3000 - (i + 1) - (1000 + i + 1));
	}
	g_assert_cmpuint(spt_open_calls_count(calls), ==, 0);
	spt_open_calls_free(calls);
}

/* The kernel did not follow the innermost ones, and the outermost began before. */
static void test_missed(void)
{
	SptOpenCalls *calls = spt_open_calls_new();
	uint64_t inner;

	begin(calls, 5, 1, 1000, 0x9000);
	begin(calls, 5, 1, 1001, 0x8f00);
	begin(calls, 5, 1, 1002, 0x8e00);
	begin(calls, 5, 2, 1003, 0x8d00);
	g_assert_cmpint(end(calls, 5, 1, 2000, 0x8f00, &inner), ==, 1001);
	g_assert_cmpuint(inner, ==, 0);
	g_assert_cmpint(end(calls, 5, 1, 2001, 0x9000, &inner), ==, 1000);
	g_assert_cmpint(end(calls, 5, 1, 2002, 0x9100, &inner), ==, -1);
	g_assert_cmpint(end(calls, 9, 1, 2002, 0x9000, &inner), ==, -1);
	g_assert_cmpuint(spt_open_calls_count(calls), ==, 2);
	spt_open_calls_free(calls);
}

/* On another stack, above or below: an interrupt, and idle threads that all have tid 0. */
static void test_interrupts(void)
{
	SptOpenCalls *calls = spt_open_calls_new();
	SptOpenCall other = { .sp = 0x9000 + RETURNED, .function = 1, .cpu = 2 };
	uint64_t inner;

	begin(calls, 0, 1, 1000, 0x9000);
	begin(calls, 0, 1, 1010, 0xf0000);
	begin(calls, 0, 1, 1020, 0x100);
	g_assert_false(spt_open_calls_end(calls, 0, 1025, &other));
	g_assert_cmpint(end(calls, 0, 1, 1030, 0x100, &inner), ==, 1020);
	g_assert_cmpint(end(calls, 0, 1, 1040, 0xf0000, &inner), ==, 1010);
	g_assert_cmpuint(inner, ==, 10);
	g_assert_cmpint(end(calls, 0, 1, 1050, 0x9000, &inner), ==, 1000);
	g_assert_cmpuint(inner, ==, 30);
	spt_open_calls_free(calls);
}

/* Texts are the caller's once a call has returned, and freed if it never does: ASan sees both. */
static void test_texts(void)
{
	SptOpenCalls *calls = spt_open_calls_new();
	SptOpenCall call = { .sp = 0x9000, .function = 1, .texts = g_strdup("outer") };
	SptOpenCall inner = { .sp = 0x8000, .function = 2, .texts = g_strdup("never returns") };
	SptOpenCall ret = { .sp = 0x9000 + RETURNED, .function = 1 };

	spt_open_calls_begin(calls, 5, &call);
	spt_open_calls_begin(calls, 5, &inner);
	g_assert_true(spt_open_calls_end(calls, 5, 10, &ret));
	g_assert_cmpstr(ret.texts, ==, "outer");
	g_free(ret.texts);
	inner.texts = g_strdup("at the end");
	spt_open_calls_begin(calls, 5, &inner);
	spt_open_calls_free(calls);
}

/* Nothing ever returns: memory is bounded, and all are counted. */
static void test_without_end(void)
{
	SptOpenCalls *calls = spt_open_calls_new();

	for (unsigned i = 0; i < 300000; i++)
		begin(calls, i + 1, 1, i, 0x9000);
	for (unsigned i = 0; i < 100000; i++)
		begin(calls, 1, 1, i, 0x8000 - i);
	g_assert_cmpuint(spt_open_calls_count(calls), ==, 400000);
	spt_open_calls_free(calls);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/open-calls/nested", test_nested);
	g_test_add_func("/open-calls/recursive", test_recursive);
	g_test_add_func("/open-calls/missed", test_missed);
	g_test_add_func("/open-calls/interrupts", test_interrupts);
	g_test_add_func("/open-calls/without-end", test_without_end);
	g_test_add_func("/open-calls/texts", test_texts);
	return g_test_run();
}
