/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which of the programs that were started did not load the library. */
#include <glib.h>

#include "record/memory-private.h"

#define PID    100
#define NOW_NS (1ULL << 40)
#define US(n)  ((n)*1000ULL)

/* With stamps that are times. */
static SptMemory *expected_new(void)
{
	SptMemory *memory = g_new0(SptMemory, 1);

	memory->expected = spt_memory_expected_new();
	memory->now_stamp = memory->now_ns = NOW_NS;
	memory->stamp_step = 1ULL << 32;
	return memory;
}

static void assert_unconnected(SptMemory *memory, uint64_t n, const char *name)
{
	const char *got;

	g_assert_cmpuint(spt_memory_unconnected(memory, &got), ==, n);
	g_assert_cmpstr(got, ==, name);
	spt_memory_expected_free(memory->expected);
	g_free(memory);
}

/* A shell that becomes env(1), which becomes a program without its environment, all at once. */
static void test_at_once(void)
{
	SptMemory *memory = expected_new();

	spt_memory_exec(memory, PID, US(1000), "sh");
	spt_memory_connected(memory, PID, US(1200));
	spt_memory_exec(memory, PID, US(1300), "env");
	spt_memory_connected(memory, PID, US(1500));
	spt_memory_exec(memory, PID, US(1600), "bare");
	assert_unconnected(memory, 1, "bare");
}

/* The clocks of rings and of the source differ a little. */
static void test_before(void)
{
	SptMemory *memory = expected_new();

	spt_memory_exec(memory, PID, US(1000), "sh");
	spt_memory_connected(memory, PID, US(990));
	spt_memory_exec(memory, PID, US(1400), "env");
	spt_memory_connected(memory, PID, US(1390));
	assert_unconnected(memory, 0, NULL);
}

/* In the order in which rings are found, which is not that of their beginnings. */
static void test_order(void)
{
	SptMemory *memory = expected_new();

	spt_memory_exec(memory, PID, US(1000), "sh");
	spt_memory_exec(memory, PID, US(1300), "env");
	spt_memory_exec(memory, PID, US(1600), "last");
	spt_memory_connected(memory, PID, US(1550));
	spt_memory_connected(memory, PID, US(1800));
	spt_memory_connected(memory, PID, US(1200));
	assert_unconnected(memory, 0, NULL);
}

static void test_middle(void)
{
	SptMemory *memory = expected_new();

	spt_memory_exec(memory, PID, US(1000), "sh");
	spt_memory_connected(memory, PID, US(1200));
	spt_memory_exec(memory, PID, US(5000), "static");
	spt_memory_exec(memory, PID, US(9000), "last");
	spt_memory_connected(memory, PID, US(9200));
	assert_unconnected(memory, 1, "static");
}

/* Another process's ring says nothing of this one. */
static void test_others(void)
{
	SptMemory *memory = expected_new();

	spt_memory_exec(memory, PID, US(1000), "static");
	spt_memory_exec(memory, PID + 1, US(1000), "other");
	spt_memory_connected(memory, PID + 1, US(1200));
	spt_memory_connected(memory, PID + 2, US(1200));
	assert_unconnected(memory, 1, "static");
}

/* A program whose number is not known may be any of them. */
static void test_unknown(void)
{
	SptMemory *memory = expected_new();

	spt_memory_exec(memory, PID, US(1000), "static");
	spt_memory_connected(memory, 0, US(1200));
	assert_unconnected(memory, 0, "static");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/expected/at-once", test_at_once);
	g_test_add_func("/expected/before", test_before);
	g_test_add_func("/expected/order", test_order);
	g_test_add_func("/expected/middle", test_middle);
	g_test_add_func("/expected/others", test_others);
	g_test_add_func("/expected/unknown", test_unknown);
	return g_test_run();
}
