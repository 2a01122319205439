/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of processes that do not answer: a FIFO that nobody writes to acts as a process that
 * holds its lock.
 */
#include "base/proc-files.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fixture {
	char *root;
	SptProcFiles *files;
};

static char *path_of(const struct fixture *fixture, unsigned pid, const char *name)
{
	return g_strdup_printf("%s/%u%s%s", fixture->root, pid, name ? "/" : "", name ? name : "");
}

static void make_file(const struct fixture *fixture, unsigned pid, const char *text, size_t bytes)
{
	g_autofree char *directory = path_of(fixture, pid, NULL),
			*path = path_of(fixture, pid, "cmdline");

	g_assert_cmpint(g_mkdir_with_parents(directory, 0700), ==, 0);
	if (text)
		g_assert_true(g_file_set_contents(path, text, (gssize)bytes, NULL));
	else
		g_assert_cmpint(mkfifo(path, 0600), ==, 0);
}

static void set_up(struct fixture *fixture, const void *data)
{
	(void)data;
	fixture->root = g_dir_make_tmp("proc-XXXXXX", NULL);
	g_assert_nonnull(fixture->root);
	fixture->files = spt_proc_files_new(fixture->root);
	make_file(fixture, 1, "one\0two", 8);
}

static void tear_down(struct fixture *fixture, const void *data)
{
	g_autofree char *command = g_strdup_printf("rm -r '%s'", fixture->root);

	(void)data;
	spt_proc_files_free(fixture->files);
	g_assert_cmpint(system(command), ==, 0);
	g_free(fixture->root);
}

static char *read_of(struct fixture *fixture, unsigned pid, size_t *ret_bytes)
{
	return spt_proc_files_read(fixture->files, pid, "cmdline", 1 << 20, ret_bytes);
}

/* Patience comes back with time. */
static void expect_in_the_end(struct fixture *fixture)
{
	g_autofree char *text = NULL;
	size_t bytes;

	while (!(text = read_of(fixture, 1, &bytes)))
		g_usleep(10000);
	g_assert_cmpmem(text, bytes, "one\0two", 8);
	g_assert_cmpint(text[bytes], ==, '\0');
}

static void test_read(struct fixture *fixture, const void *data)
{
	g_autofree char *large = g_strnfill(100000, 'x'), *text = NULL, *cut = NULL, *empty = NULL,
			*none = NULL;
	size_t bytes;

	(void)data;
	expect_in_the_end(fixture);
	make_file(fixture, 2, large, strlen(large));
	text = read_of(fixture, 2, &bytes);
	g_assert_cmpstr(text, ==, large);
	g_assert_cmpuint(bytes, ==, 100000);
	cut = spt_proc_files_read(fixture->files, 2, "cmdline", 7, &bytes);
	g_assert_cmpstr(cut, ==, "xxxxxxx");
	g_assert_cmpuint(bytes, ==, 7);
	make_file(fixture, 3, "", 0);
	empty = read_of(fixture, 3, &bytes);
	g_assert_null(empty);
	none = read_of(fixture, 4, &bytes);
	g_assert_null(none);
}

/* Lets go of who waits for a FIFO; false: nobody does. */
static bool let_go(const struct fixture *fixture, unsigned pid)
{
	g_autofree char *path = path_of(fixture, pid, "cmdline");
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return false;
	g_assert_cmpint(write(fd, "late", 4), ==, 4);
	close(fd);
	return true;
}

/* Others are read on; what comes late is dropped; and who holds all helpers holds nobody else. */
static void test_held(struct fixture *fixture, const void *data)
{
	unsigned n_held = 0, n_let_go = 0;
	size_t bytes;

	(void)data;
	for (unsigned pid = 10; pid < 10 + 2 * SPT_PROC_HELPERS; pid++) {
		g_autofree char *text = NULL;

		make_file(fixture, pid, NULL, 0);
		text = read_of(fixture, pid, &bytes);
		g_assert_null(text);
		if (pid == 10)
			expect_in_the_end(fixture);
	}
	for (unsigned pid = 10; pid < 10 + 2 * SPT_PROC_HELPERS; pid++)
		n_held += let_go(fixture, pid);
	g_assert_cmpuint(n_held, >, 0);
	g_assert_cmpuint(n_held, <=, SPT_PROC_HELPERS);
	expect_in_the_end(fixture);

	/* Some are held when it is freed. */
	for (unsigned pid = 50; pid < 53; pid++) {
		g_autofree char *text = NULL;

		make_file(fixture, pid, NULL, 0);
		text = read_of(fixture, pid, &bytes);
		g_assert_null(text);
	}
	g_clear_pointer(&fixture->files, spt_proc_files_free);
	for (unsigned pid = 50; pid < 53; pid++)
		n_let_go += let_go(fixture, pid);
	g_assert_cmpuint(n_let_go, <=, 3);
}

/* Requests a FIFO's text, until a helper has begun to wait for it. */
static void request_late(struct fixture *fixture, unsigned pid)
{
	bool is_awaited = false;
	size_t bytes;

	make_file(fixture, pid, NULL, 0);
	while (!is_awaited) {
		g_assert_null(spt_proc_files_request(fixture->files, pid, "cmdline", 100, &bytes));
		g_assert_null(
			spt_proc_files_fetch(fixture->files, pid, &is_awaited, &bytes));
		/* Patience comes back. */
		g_usleep(2 * SPT_PROC_WAIT_MS * 1000);
	}
}

/* What did not come in time is there later, for the process that it was requested of. */
static void test_late(struct fixture *fixture, const void *data)
{
	g_autofree char *text = NULL;
	bool is_awaited;
	size_t bytes;

	(void)data;
	request_late(fixture, 60);
	g_assert_null(spt_proc_files_fetch(fixture->files, 1, &is_awaited, &bytes));
	g_assert_false(is_awaited);
	while (!let_go(fixture, 60))
		g_usleep(1000);
	while (!(text = spt_proc_files_fetch(fixture->files, 60, &is_awaited, &bytes)))
		g_assert_true(is_awaited);
	g_assert_cmpmem(text, bytes, "late", 4);
	g_assert_false(is_awaited);
	g_assert_null(spt_proc_files_fetch(fixture->files, 60, &is_awaited, &bytes));
	/* Another program by now; and another process. */
	request_late(fixture, 61);
	let_go(fixture, 61);
	spt_proc_files_forget(fixture->files, 61);
	g_assert_null(spt_proc_files_fetch(fixture->files, 61, &is_awaited, &bytes));
	g_assert_false(is_awaited);
	/* That of another process stays. */
	request_late(fixture, 62);
	request_late(fixture, 63);
	g_assert_null(spt_proc_files_fetch(fixture->files, 62, &is_awaited, &bytes));
	g_assert_true(is_awaited);
	while (!let_go(fixture, 62) || !let_go(fixture, 63))
		g_usleep(1000);
	for (unsigned pid = 62; pid < 64; pid++) {
		g_clear_pointer(&text, g_free);
		while (!(text = spt_proc_files_fetch(fixture->files, pid, &is_awaited, &bytes)))
			g_assert_true(is_awaited);
		g_assert_cmpmem(text, bytes, "late", 4);
	}
}

/*
 * Nobody waits once patience is used up, or all helpers are held.  What was requested comes all the
 * same.
 */
static void test_crowded(struct fixture *fixture, const void *data)
{
	unsigned first = 100, behind = first + SPT_PROC_HELPERS + 4;
	g_autofree char *text = NULL;
	bool is_awaited;
	int64_t begin;
	size_t bytes;

	(void)data;
	for (unsigned pid = first; pid < behind; pid++) {
		make_file(fixture, pid, NULL, 0);
		g_assert_null(
			spt_proc_files_request(fixture->files, pid, "cmdline", 100, &bytes));
	}
	make_file(fixture, behind, "known", 5);
	begin = g_get_monotonic_time();
	text = spt_proc_files_request(fixture->files, behind, "cmdline", 100, &bytes);
	g_assert_null(text);
	g_assert_cmpint(g_get_monotonic_time() - begin, <, SPT_PROC_WAIT_MS * 1000);
	for (unsigned n = 0; n < SPT_PROC_HELPERS + 4;) {
		for (unsigned pid = first; pid < behind; pid++)
			n += let_go(fixture, pid);
		g_usleep(1000);
	}
	while (!(text = spt_proc_files_fetch(fixture->files, behind, &is_awaited, &bytes)))
		g_assert_true(is_awaited);
	g_assert_cmpmem(text, bytes, "known", 5);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add("/proc-files/read", struct fixture, NULL, set_up, test_read, tear_down);
	g_test_add("/proc-files/held", struct fixture, NULL, set_up, test_held, tear_down);
	g_test_add("/proc-files/late", struct fixture, NULL, set_up, test_late, tear_down);
	g_test_add("/proc-files/crowded", struct fixture, NULL, set_up, test_crowded, tear_down);
	return g_test_run();
}
