/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Switches of a CPU (module/sources/lane-buffer.h) in user space, with a clock that steps back. */
#include <glib.h>

#include "shim.h"

#include "lane-buffer.h"

void shim_step(void)
{
}

u64 ktime_get_mono_fast_ns(void)
{
	return 0;
}

/* The kernel's fast clock may step back when it is adjusted: no later switch is moved by that. */
static void test_clock(void)
{
	static const u64 times[] = { 1000, 1500, 1499, 1400, 1600, 1600, 900, 2000 };
	struct sysprof_lane_buffer buffer = { .begin = 1000, .last = 1000, .until = G_MAXUINT64 };
	struct task_struct task = { .pid = 77 };
	u64 at = buffer.begin, latest = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(times); i++) {
		sysprof_lane_put(&buffer, times[i], SYSPROF_STATE_SLEEP, &task);
		at += buffer.entries[i] >> SYSPROF_LANE_NS_SHIFT;
		latest = MAX(latest, times[i]);
		g_assert_cmpuint(at, ==, latest);
		g_assert_cmpuint(buffer.entries[i] & SYSPROF_LANE_TID_MASK, ==, 77);
	}
	g_assert_cmpuint(buffer.n, ==, G_N_ELEMENTS(times));
}

/* The last one that there is room for says so. */
static void test_full(void)
{
	struct sysprof_lane_buffer buffer = { .until = G_MAXUINT64 };
	struct task_struct task = { .pid = 1 };

	for (unsigned i = 0; i < SYSPROF_LANE_ENTRIES_MAX; i++) {
		g_assert_cmpuint(buffer.until, ==, G_MAXUINT64);
		sysprof_lane_put(&buffer, i, SYSPROF_STATE_SLEEP, &task);
	}
	g_assert_cmpuint(buffer.until, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/lane-buffer/clock", test_clock);
	g_test_add_func("/lane-buffer/full", test_full);
	return g_test_run();
}
