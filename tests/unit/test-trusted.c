/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files count as root's: as the user who runs this, and, as root, each way in which one is
 * not.
 */
#include "object/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect(const char *path, int problem)
{
	int fd = spt_trusted_open(path), saved = errno;

	g_test_message("%s: %s", path, fd < 0 ? g_strerror(saved) : "trusted");
	g_assert_cmpint(fd < 0 ? saved : 0, ==, problem);
	if (fd >= 0)
		close(fd);
}

static void test_of_anybody(void)
{
	g_autofree char *shell = realpath("/bin/sh", NULL);
	g_autofree char *own = NULL;
	int fd = g_file_open_tmp("trusted-XXXXXX", &own, NULL);

	expect(shell, 0);
	/* Below a directory into which everybody writes. */
	expect(own, EPERM);
	expect("usr/bin/env", EINVAL);
	expect("/usr/../usr/bin/env", EINVAL);
	expect("/usr", EINVAL);
	expect("/dev/null", EPERM);
	expect("/proc/self/exe", ELOOP);
	g_assert_false(spt_trusted_is(shell, fd));
	close(fd);
	fd = open(shell, O_RDONLY | O_CLOEXEC);
	g_assert_true(spt_trusted_is(shell, fd));
	close(fd);
	g_remove(own);
}

/* Not below /tmp, which everybody may write. */
static void test_of_root(void)
{
	char dir[] = "/run/spt-trusted-XXXXXX";
	g_autofree char *below = NULL, *file = NULL, *link = NULL;

	if (geteuid() != 0) {
		g_test_skip("only root has files of root's to change");
		return;
	}
	g_assert_nonnull(g_mkdtemp(dir));
	below = g_build_filename(dir, "below", NULL);
	file = g_build_filename(below, "file", NULL);
	link = g_build_filename(dir, "link", NULL);
	g_assert_cmpint(g_mkdir(below, 0755), ==, 0);
	g_assert_true(g_file_set_contents(file, "content", -1, NULL));
	g_assert_cmpint(symlink("below", link), ==, 0);
	expect(file, 0);
	g_assert_cmpint(chmod(file, 0664), ==, 0);
	expect(file, EPERM);
	g_assert_cmpint(chmod(file, 0644), ==, 0);
	g_assert_cmpint(chown(file, 65534, 0), ==, 0);
	expect(file, EPERM);
	g_assert_cmpint(chown(file, 0, 0), ==, 0);
	g_assert_cmpint(chmod(below, 01777), ==, 0);
	expect(file, EPERM);
	g_assert_cmpint(chmod(below, 0755), ==, 0);
	g_assert_cmpint(chown(below, 65534, 0), ==, 0);
	expect(file, EPERM);
	g_assert_cmpint(chown(below, 0, 0), ==, 0);
	expect(file, 0);
	g_free(file);
	file = g_build_filename(link, "file", NULL);
	expect(file, ELOOP);
	g_free(file);
	file = g_build_filename(below, "file", NULL);
	g_remove(file);
	g_remove(link);
	g_rmdir(below);
	g_rmdir(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/trusted/of-anybody", test_of_anybody);
	g_test_add_func("/trusted/of-root", test_of_root);
	return g_test_run();
}
