/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of threads in a file: the last one, and those before. */
#include <string.h>

#include "written.h"

static void put_renamed(Fixture *fixture, const char *name, const char *former)
{
	spt_capture_writer_process(fixture->writer,
				   &(SptProcessRow){ .id = 1, .pid = 10, .name = name });
	spt_capture_writer_thread(fixture->writer, &(SptThreadRow){ .id = 1,
								    .process = 1,
								    .tid = 10,
								    .name = name,
								    .former = former });
}

static void flush(Fixture *fixture)
{
	g_autoptr(GError) error = NULL;

	g_assert_true(spt_capture_writer_flush(fixture->writer, fixture->stash, &error));
	g_assert_no_error(error);
}

/* A main thread gives itself another name, and with that its process, after a flush. */
static void test_main_thread(void)
{
	Fixture fixture = { 0 };

	begin_file(&fixture, 2);
	put_renamed(&fixture, "first", NULL);
	flush(&fixture);
	put_renamed(&fixture, "second", NULL);
	flush(&fixture);
	put_renamed(&fixture, "third", "first\nsecond\n");
	open_again(&fixture);
	g_assert_cmpstr(fixture.capture->processes[1].name, ==, "third");
	g_assert_cmpstr(fixture.capture->threads[1].name, ==, "third");
	g_assert_cmpstr(fixture.capture->threads[1].former, ==, "first\nsecond\n");
	g_assert_cmpstr(fixture.capture->threads[2].former, ==, "");
	tear_down(&fixture, NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/renamed/main-thread", test_main_thread);
	return g_test_run();
}
