/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Only the main thread writes it.  Another viewer may write the file, too: the last one counts. */
#include "state.h"

#include <glib.h>

#define GROUP "viewer"

static char *path_of_file(void)
{
	return g_build_filename(g_get_user_config_dir(), "sysprof", "viewer.ini", NULL);
}

static GKeyFile *state_read_file(void)
{
	g_autofree char *path = path_of_file();
	GKeyFile *file = g_key_file_new();

	g_key_file_load_from_file(file, path, G_KEY_FILE_KEEP_COMMENTS, NULL);
	return file;
}

int spt_state_get(const char *key, int otherwise)
{
	g_autoptr(GKeyFile) file = state_read_file();
	g_autoptr(GError) error = NULL;
	int value = g_key_file_get_integer(file, GROUP, key, &error);

	return error ? otherwise : value;
}

static void state_write_file(GKeyFile *file)
{
	g_autofree char *path = path_of_file(), *directory = g_path_get_dirname(path);

	if (g_mkdir_with_parents(directory, 0700) == 0)
		g_key_file_save_to_file(file, path, NULL);
}

void spt_state_set(const char *key, int value)
{
	g_autoptr(GKeyFile) file = state_read_file();

	if (g_key_file_has_key(file, GROUP, key, NULL) &&
	    g_key_file_get_integer(file, GROUP, key, NULL) == value)
		return;
	g_key_file_set_integer(file, GROUP, key, value);
	state_write_file(file);
}

char *spt_state_get_text(const char *key, const char *otherwise)
{
	g_autoptr(GKeyFile) file = state_read_file();
	char *value = g_key_file_get_string(file, GROUP, key, NULL);

	return value ? value : g_strdup(otherwise);
}

void spt_state_set_text(const char *key, const char *value)
{
	g_autoptr(GKeyFile) file = state_read_file();

	g_key_file_set_string(file, GROUP, key, value);
	state_write_file(file);
}

char **spt_state_get_list(const char *key)
{
	g_autoptr(GKeyFile) file = state_read_file();
	char **values = g_key_file_get_string_list(file, GROUP, key, NULL, NULL);

	return values ? values : g_new0(char *, 1);
}

void spt_state_set_list(const char *key, const char *const *values)
{
	g_autoptr(GKeyFile) file = state_read_file();

	g_key_file_set_string_list(file, GROUP, key, values, g_strv_length((char **)values));
	state_write_file(file);
}
