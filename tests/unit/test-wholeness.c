/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line on call stacks that are not whole: when it is there, and what it advises. */
#include "profile/wholeness.h"

static SptCapture capture;

static void set_up(const char *seen, const char *whole, const char *stop, const char *source)
{
	g_clear_pointer(&capture.host, g_hash_table_unref);
	capture.host = g_hash_table_new(g_str_hash, g_str_equal);
	g_hash_table_insert(capture.host, "source", (void *)source);
	if (seen)
		g_hash_table_insert(capture.host, "stacks_seen", (void *)seen);
	if (whole)
		g_hash_table_insert(capture.host, "stacks_whole", (void *)whole);
	if (stop)
		g_hash_table_insert(capture.host, "stacks_stop", (void *)stop);
}

static void says(const char *expected)
{
	g_autofree char *line = spt_wholeness_line(&capture);

	g_assert_cmpstr(line, ==, expected);
}

static void test_lines(void)
{
	set_up("1000", "620", "frame_pointers 310 libm.so.6, libc.so.6", "module");
	says("Call stacks: 62 % complete; 31 % stop in libm.so.6, libc.so.6 (no frame pointers). "
	     "Fix: sudo systemctl enable --now sysprof-tables");
	set_up("1000", "620", "frame_pointers 310 libm.so.6, libc.so.6", "perf");
	says("Call stacks: 62 % complete; 31 % stop in libm.so.6, libc.so.6 (no frame pointers). "
	     "Fix: sudo modprobe sysprof");
	set_up("200", "180", "cut 20 ", "perf");
	says("Call stacks: 90 % complete; 10 % are cut off (the copies are too short). "
	     "Fix: --stacks dwarf,57344");
	g_hash_table_insert(capture.host, "copy_bytes", "8192");
	says("Call stacks: 90 % complete; 10 % are cut off (the copies are too short). Fix: -p PID");
	set_up("200", "100", "run_time 90 ", "perf");
	says("Call stacks: 50 % complete; 45 % stop in code made at run time: no cure yet");
	set_up("200", "100", "no_info 90 libx264.so.164", "perf");
	says("Call stacks: 50 % complete; 45 % stop in libx264.so.164 (no unwind information)");
	set_up("200", "100", "other 90 ", "perf");
	says("Call stacks: 50 % complete; 45 % stop at memory that is no stack");
}

/* Nothing to say, or nothing that can be relied on. */
static void test_none(void)
{
	double pct;

	set_up(NULL, NULL, NULL, "module");
	says(NULL);
	g_assert_false(spt_wholeness(&capture, &pct));
	set_up("1000", "950", "cut 50 ", "module");
	says(NULL);
	g_assert_true(spt_wholeness(&capture, &pct));
	g_assert_cmpfloat(pct, ==, 95);
	set_up("1000", "5000", NULL, "module");
	says(NULL);
	set_up("1000", "many", "boredom 9 a", "module");
	says("Call stacks: 0 % complete");
	set_up("10", "5", "cut 99999", "module");
	says("Call stacks: 50 % complete");
	set_up("10", "5", "cut 99999 ", "module");
	says("Call stacks: 50 % complete; 100 % are cut off (the copies are too short). "
	     "Fix: --stacks dwarf,57344");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/wholeness/lines", test_lines);
	g_test_add_func("/wholeness/none", test_none);
	return g_test_run();
}
