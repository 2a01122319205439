/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests that read ELF files: a temporary directory with what gen-elf writes, and how to get rid
 * of it.
 */
#ifndef SPT_ELF_FILES_H
#define SPT_ELF_FILES_H

#include <glib.h>
#include <glib/gstdio.h>

static char *elf_files;

static char *elf_file(const char *name)
{
	return g_build_filename(elf_files, name, NULL);
}

/* The generator lies beside this test's directory. */
static void make_elf_files(const char *argv0)
{
	g_autofree char *home = g_path_get_dirname(argv0);
	g_autofree char *generator = g_build_filename(home, "..", "tests", "gen-elf", NULL);
	g_autoptr(GError) error = NULL;
	int status = -1;

	elf_files = g_dir_make_tmp("spt-elf-XXXXXX", &error);
	g_assert_no_error(error);
	char *command[] = { generator, elf_files, NULL };

	g_spawn_sync(NULL, command, NULL, 0, NULL, NULL, NULL, NULL, &status, &error);
	g_assert_no_error(error);
	g_assert_cmpint(status, ==, 0);
}

static void remove_tree(const char *path)
{
	GDir *dir = g_file_test(path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *child = g_build_filename(path, name, NULL);

		remove_tree(child);
	}
	g_clear_pointer(&dir, g_dir_close);
	g_remove(path);
}

static void remove_elf_files(void)
{
	remove_tree(elf_files);
	g_free(elf_files);
}

#endif
