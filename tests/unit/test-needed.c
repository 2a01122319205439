/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this very program is going to map, and what stands in a script's first line. */
#include "object/needed.h"

#include <glib/gstdio.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool has(const GPtrArray *files, const char *part)
{
	for (unsigned i = 0; i < files->len; i++)
		if (strstr(g_ptr_array_index(files, i), part))
			return true;
	return false;
}

static void test_program(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL), *maps = NULL;
	g_autoptr(GPtrArray) files = spt_needed_files(self);

	g_assert_cmpuint(files->len, >=, 4);
	g_assert_cmpstr(g_ptr_array_index(files, 0), ==, self);
	/* What libraries need, too: glib does that of its own. */
	g_assert_true(has(files, "/libglib-2.0.so"));
	g_assert_true(has(files, "/libpcre"));
	g_assert_true(has(files, "/libc.so"));
	g_assert_true(has(files, "/ld-linux"));
	/* Each is mapped here, and none of another kind of machine, by another name perhaps. */
	g_assert_true(g_file_get_contents("/proc/self/maps", &maps, NULL, NULL));
	for (unsigned i = 0; i < files->len; i++) {
		char whole[PATH_MAX];

		g_assert_nonnull(realpath(g_ptr_array_index(files, i), whole));
		g_assert_nonnull(strstr(maps, whole));
	}
}

static void test_script(void)
{
	static const char *const first[] = { "#!/bin/sh\n", "#! /usr/bin/env -S sh -e\n" };
	g_autofree char *path = NULL, *shell = g_find_program_in_path("sh");
	int fd = g_file_open_tmp("needed-XXXXXX", &path, NULL);

	g_assert_cmpint(fd, >=, 0);
	g_close(fd, NULL);
	for (unsigned i = 0; i < G_N_ELEMENTS(first); i++) {
		g_autoptr(GPtrArray) files = NULL;

		g_assert_true(g_file_set_contents(path, first[i], -1, NULL));
		files = spt_needed_files(path);
		g_assert_cmpuint(files->len, >=, 2);
		g_assert_true(g_str_has_suffix(g_ptr_array_index(files, 0), "/sh"));
		g_assert_true(has(files, "/libc.so"));
	}
	g_unlink(path);
}

/* What is no program, is cut off anywhere, or damaged: something, or nothing. */
static void test_damage(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL), *data = NULL,
			*path = NULL;
	g_autoptr(GPtrArray) none = spt_needed_files("/no/such/program");
	int fd = g_file_open_tmp("needed-XXXXXX", &path, NULL);
	gsize bytes;

	g_assert_cmpuint(none->len, <=, 1);
	g_close(fd, NULL);
	g_assert_true(g_file_get_contents(self, &data, &bytes, NULL));
	for (unsigned i = 0; i < 400; i++) {
		gsize n = i < 200 ? i * 8 : MIN(bytes, 65536);
		g_autofree char *copy = g_memdup2(data, n + 1);
		g_autoptr(GPtrArray) files = NULL;

		for (unsigned k = 0; i >= 200 && k < 8; k++)
			copy[g_random_int_range(16, 2048)] = (char)g_random_int();
		g_assert_true(g_file_set_contents(path, copy, (gssize)n, NULL));
		files = spt_needed_files(path);
		g_assert_nonnull(files);
	}
	g_unlink(path);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/needed/program", test_program);
	g_test_add_func("/needed/script", test_script);
	g_test_add_func("/needed/damage", test_damage);
	return g_test_run();
}
