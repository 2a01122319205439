/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line on call stacks that are not whole: when it is there, and what it advises. */
#include "capture/format.h"
#include "profile/wholeness.h"
#include "sysprof.h"

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
	g_autofree char *line = spt_wholeness_line(&capture, NULL);

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
	says("Call stacks: 50 % complete; 45 % stop in code made at run time, which has to keep frame pointers");
	set_up("200", "100", "no_info 90 libx264.so.164", "perf");
	says("Call stacks: 50 % complete; 45 % stop in libx264.so.164 (no unwind table)");
	set_up("200", "100", "other 90 ", "perf");
	says("Call stacks: 50 % complete; 45 % stop at memory that is no stack");
}

/* Nothing to say, or nothing that can be relied on. */
static void test_none(void)
{
	double pct;

	set_up(NULL, NULL, NULL, "module");
	says(NULL);
	g_assert_false(spt_wholeness(&capture, NULL, &pct, NULL));
	set_up("1000", "950", "cut 50 ", "module");
	says(NULL);
	g_assert_true(spt_wholeness(&capture, NULL, &pct, NULL));
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

enum { KERNEL = 1, ANON, LIBC, LIBM, UNKNOWN, OBJECTS };

static void says_of(const SptFilter *filter, const char *expected)
{
	g_autofree char *line = spt_wholeness_line(&capture, filter);

	g_assert_cmpstr(line, ==, expected);
}

/* What is asked for has its own share, and its own reason. */
static void test_parts(void)
{
	SptObjectRow objects[OBJECTS] = {
		[KERNEL] = { .kind = SPT_OBJECT_KERNEL, .path = "[kernel]" },
		[ANON] = { .kind = SPT_OBJECT_ANON, .path = "[anon]" },
		[LIBC] = { .kind = SPT_OBJECT_FILE, .path = "/lib/libc.so.6" },
		[LIBM] = { .kind = SPT_OBJECT_FILE, .path = "/lib/libm.so.6" },
		[UNKNOWN] = { .path = "[stack incomplete]" },
	};
	/* In libm below libc; what libc called in the kernel, below an unknown caller; a JIT. */
	SptNode nodes[] = {
		{ .parent = 0 },
		{ .frame = { .object = LIBC }, .parent = 0 },
		{ .frame = { .object = LIBM }, .parent = 1 },
		{ .frame = { .object = UNKNOWN }, .parent = 0 },
		{ .frame = { .object = LIBC }, .parent = 3 },
		{ .frame = { .object = KERNEL }, .parent = 4 },
		{ .frame = { .object = ANON }, .parent = 3 },
		{ .frame = { .object = KERNEL }, .parent = 0 },
	};
	SptProcessRow processes[] = { { 0 },
				      { .id = 1, .pid = 10, .name = "a" },
				      { .id = 2, .pid = 20, .name = "b" } };
	SptThreadRow threads[] = { { 0 },
				   { .id = 1, .process = 1, .tid = 10, .name = "a" },
				   { .id = 2, .process = 2, .tid = 20, .name = "b" } };
	SptSampleRow samples[] = {
		{ .time = 1, .thread = 1, .node = 2, .weight = 60, .user_end = SYSPROF_END_ROOT },
		{ .time = 2, .thread = 1, .node = 2, .weight = 30,
		  .user_end = SYSPROF_END_ROOT | SPT_END_FRAME_POINTERS },
		{ .time = 3, .thread = 1, .node = 5, .weight = 10, .user_end = SPT_END_NO_INFO },
		{ .time = 4, .thread = 1, .node = 7, .weight = 500, .user_end = SYSPROF_END_NONE },
		{ .time = 5, .thread = 2, .node = 2, .weight = 700, .user_end = SYSPROF_END_ROOT },
		{ .time = 6, .thread = 2, .node = 5, .weight = 100, .user_end = SPT_END_NO_INFO },
		{ .time = 7, .thread = 2, .node = 6, .weight = 200, .user_end = SPT_END_NO_INFO },
	};
	const bool first[] = { false, true, false };
	double pct;

	set_up("1100", "760", "run_time 200 ", "module");
	capture.objects = objects;
	capture.n_objects = OBJECTS;
	capture.nodes = nodes;
	capture.n_nodes = G_N_ELEMENTS(nodes);
	capture.processes = processes;
	capture.n_processes = G_N_ELEMENTS(processes);
	capture.threads = threads;
	capture.n_threads = G_N_ELEMENTS(threads);
	capture.samples = samples;
	capture.n_samples = G_N_ELEMENTS(samples);
	says("Call stacks: 69 % complete; 18 % stop in code made at run time, which has to keep frame pointers");
	says_of(&(SptFilter){ .process = "a" },
		"Call stacks: 60 % complete; 30 % stop in libm.so.6 (no frame pointers). "
		"Fix: sudo systemctl enable --now sysprof-tables");
	says_of(&(SptFilter){ .processes = first },
		"Call stacks: 60 % complete; 30 % stop in libm.so.6 (no frame pointers). "
		"Fix: sudo systemctl enable --now sysprof-tables");
	says_of(&(SptFilter){ .thread = "20" },
		"Call stacks: 70 % complete; 20 % stop in code made at run time, which has to keep frame pointers");
	says_of(&(SptFilter){ .begin_ns = 3, .end_ns = 6 }, NULL);
	says_of(&(SptFilter){ .begin_ns = 5, .end_ns = 7 },
		"Call stacks: 88 % complete; 12 % stop in libc.so.6 (no unwind table)");
	says_of(&(SptFilter){ .begin_ns = 4, .end_ns = 5 }, NULL);
	g_assert_true(spt_wholeness(&capture, &(SptFilter){ .process = "a" }, &pct, NULL));
	g_assert_cmpfloat(pct, ==, 60);
	g_assert_false(spt_wholeness(&capture, &(SptFilter){ .process = "c" }, &pct, NULL));
	/* Where the recorder did not count, the file does not say. */
	set_up(NULL, NULL, NULL, "module");
	says_of(&(SptFilter){ .process = "a" }, NULL);
	capture = (SptCapture){ 0 };
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/wholeness/lines", test_lines);
	g_test_add_func("/wholeness/none", test_none);
	g_test_add_func("/wholeness/parts", test_parts);
	return g_test_run();
}
