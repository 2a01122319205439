/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread a tid was at a time, and when that is certain. */
#include "record/thread-ids.h"

#define SECOND_NS 1000000000ull

static void begin_thread_of(SptThreadIds *ids, uint32_t id, uint32_t pid, uint32_t tid,
			    uint64_t start_ns)
{
	SptProcess process = { .pid = pid };
	const SptThread thread = { .id = id, .tid = tid, .process = &process,
				   .start_time = start_ns };

	spt_thread_ids_stage.thread(ids, &thread);
}

static void begin_thread(SptThreadIds *ids, uint32_t id, uint64_t start_ns)
{
	begin_thread_of(ids, id, 10, 10, start_ns);
}

/* What a program says right after its exec is the program's, however far the source is behind. */
static void test_behind(void)
{
	SptThreadIds *ids = spt_thread_ids_new();
	const uint64_t said_ns = 2 * SECOND_NS;

	begin_thread(ids, 1, SECOND_NS);
	spt_thread_ids_pass(ids, said_ns - 1000);
	g_assert_false(spt_thread_ids_are_ripe(ids, said_ns, said_ns + 5 * SECOND_NS));
	begin_thread(ids, 2, said_ns - 500);
	spt_thread_ids_pass(ids, said_ns + 1);
	/* Of one that is not behind, some CPU's record may still come. */
	g_assert_false(spt_thread_ids_are_ripe(ids, said_ns, said_ns + 1));
	g_assert_true(spt_thread_ids_are_ripe(ids, said_ns, said_ns + 5 * SECOND_NS));
	g_assert_cmpuint(spt_thread_ids_find(ids, 10, said_ns), ==, 2);
	g_assert_cmpuint(spt_thread_ids_find(ids, 10, said_ns - 501), ==, 1);
	g_assert_cmpuint(spt_thread_ids_find(ids, 11, said_ns), ==, 0);
	spt_thread_ids_free(ids);
}

/* Nobody waits for ever. */
static void test_silent(void)
{
	SptThreadIds *ids = spt_thread_ids_new();

	begin_thread(ids, 1, SECOND_NS);
	g_assert_true(spt_thread_ids_are_ripe(ids, 2 * SECOND_NS, 60 * SECOND_NS));
	spt_thread_ids_free(ids);
}

/*
 * Who says that he is thread 21 of process 20 is not one of another process, nor one that an
 * earlier process of that number had.
 */
static void test_in(void)
{
	SptThreadIds *ids = spt_thread_ids_new();

	begin_thread_of(ids, 1, 20, 20, SECOND_NS);
	begin_thread_of(ids, 2, 20, 21, 2 * SECOND_NS);
	begin_thread_of(ids, 3, 30, 30, SECOND_NS);
	g_assert_cmpuint(spt_thread_ids_find_in(ids, 20, 3 * SECOND_NS, 20, 3 * SECOND_NS), ==, 1);
	g_assert_cmpuint(spt_thread_ids_find_in(ids, 20, 3 * SECOND_NS, 21, 3 * SECOND_NS), ==, 2);
	g_assert_cmpuint(spt_thread_ids_find_in(ids, 20, 3 * SECOND_NS, 21, SECOND_NS), ==, 0);
	g_assert_cmpuint(spt_thread_ids_find_in(ids, 20, 3 * SECOND_NS, 30, 3 * SECOND_NS), ==, 0);
	g_assert_cmpuint(spt_thread_ids_find_in(ids, 30, 3 * SECOND_NS, 21, 3 * SECOND_NS), ==, 0);
	g_assert_cmpuint(spt_thread_ids_find_in(ids, 40, 3 * SECOND_NS, 21, 3 * SECOND_NS), ==, 0);
	/* Somebody else gets the number 20. */
	begin_thread_of(ids, 4, 20, 20, 4 * SECOND_NS);
	g_assert_cmpuint(spt_thread_ids_find_in(ids, 20, 5 * SECOND_NS, 21, 3 * SECOND_NS), ==, 0);
	g_assert_cmpuint(spt_thread_ids_find_in(ids, 20, 5 * SECOND_NS, 20, 3 * SECOND_NS), ==, 0);
	g_assert_cmpuint(spt_thread_ids_find_in(ids, 20, 5 * SECOND_NS, 20, 5 * SECOND_NS), ==, 4);
	spt_thread_ids_free(ids);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/thread-ids/behind", test_behind);
	g_test_add_func("/thread-ids/silent", test_silent);
	g_test_add_func("/thread-ids/in", test_in);
	return g_test_run();
}
