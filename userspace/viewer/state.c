/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of the main thread alone.  Another viewer may write the file, too: the last one counts. */
#include "state.h"

#include <glib.h>

#define GROUP "viewer"

static char *path_of_file(void)
{
	return g_build_filename(g_get_user_config_dir(), "sysprof", "viewer.ini", NULL);
}

static GKeyFile *read_file(void)
{
	g_autofree char *path = path_of_file();
	GKeyFile *file = g_key_file_new();

	g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, NULL);
	return file;
}

int spt_state_get(const char *key, int otherwise)
{
	g_autoptr(GKeyFile) file = read_file();
	g_autoptr(GError) error = NULL;
	int value = g_key_file_get_integer(file, GROUP, key, &error);

	return error ? otherwise : value;
}

void spt_state_set(const char *key, int value)
{
	g_autoptr(GKeyFile) file = read_file();
	g_autofree char *path = path_of_file(), *directory = g_path_get_dirname(path);

	if (g_key_file_has_key(file, GROUP, key, NULL) &&
	    g_key_file_get_integer(file, GROUP, key, NULL) == value)
		return;
	g_key_file_set_integer(file, GROUP, key, value);
	if (g_mkdir_with_parents(directory, 0700) == 0)
		g_key_file_save_to_file(file, path, NULL);
}
