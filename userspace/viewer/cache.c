/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names contain the time, so that their order is that of the recordings. */
#include "cache.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <string.h>

#define KEPT 4
#define PREFIX "recording-"
#define DATE_CHARS 10

static char *directory(void)
{
	return g_build_filename(g_get_user_cache_dir(), "sysprof", NULL);
}

static int cache_compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void make_room(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		if (g_str_has_prefix(name, PREFIX))
			g_ptr_array_add(names, g_strdup(name));
	}
	g_ptr_array_sort(names, cache_compare_names);
	for (unsigned i = 0; i + KEPT < names->len; i++) {
		g_autofree char *old = g_build_filename(path, names->pdata[i], NULL);

		g_unlink(old);
	}
}

char *spt_cache_new_path(GError **error)
{
	g_autofree char *path = directory(), *name = NULL;
	g_autoptr(GDateTime) now = g_date_time_new_now_local();
	g_autofree char *time = g_date_time_format(now, "%Y-%m-%d-%H%M%S");

	if (g_mkdir_with_parents(path, 0700) < 0) {
		g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno),
			    _("Cannot record: making the directory %s failed: %s"), path,
			    g_strerror(errno));
		return NULL;
	}
	make_room(path);
	name = g_strdup_printf(PREFIX "%s-%03d.capture", time,
			       g_date_time_get_microsecond(now) / 1000);
	return g_build_filename(path, name, NULL);
}

bool spt_cache_owns(const char *path)
{
	g_autofree char *own = directory(), *dir = g_path_get_dirname(path);

	return strcmp(own, dir) == 0;
}

char *spt_cache_title(const char *path, const char *what)
{
	g_autofree char *name = g_path_get_basename(path);

	if (!spt_cache_owns(path) || !g_str_has_prefix(name, PREFIX))
		return NULL;
	return g_strdup_printf("%s-%.*s", what, DATE_CHARS, name + strlen(PREFIX));
}
