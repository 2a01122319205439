/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names sort by time, as the clock of the day was; only files with such names are ever removed. */
#include "agent/keep.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "capture/capture.h"

#define ENDING ".capture"
#define TIME_LENGTH 23 /* 20261231T235959.123456Z */

struct SptKeep {
	char *directory, *host;
	uint64_t most_bytes;
};

SptKeep *spt_keep_new(const char *directory, uint64_t most_bytes, GError **error)
{
	SptKeep *keep;

	if (g_mkdir_with_parents(directory, 0700) < 0 || access(directory, W_OK | X_OK) < 0) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			      "Cannot keep windows in %s: %s; name another directory with --keep",
			      directory, g_strerror(errno));
		return NULL;
	}
	keep = g_new(SptKeep, 1);
	*keep = (SptKeep){ g_strdup(directory), g_strdup(g_get_host_name()), most_bytes };
	g_strdelimit(keep->host, "/", '_');
	return keep;
}

void spt_keep_free(SptKeep *keep)
{
	if (!keep)
		return;
	g_free(keep->directory);
	g_free(keep->host);
	g_free(keep);
}

/* Whether a name is one of this host's windows. */
static bool is_window(const SptKeep *keep, const char *name)
{
	size_t host = strlen(keep->host);

	return strlen(name) == host + 1 + TIME_LENGTH + strlen(ENDING) &&
	       g_str_has_prefix(name, keep->host) && name[host] == '-' &&
	       g_str_has_suffix(name, ENDING);
}

static gint keep_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void remove_oldest(const SptKeep *keep, uint64_t room)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(keep->directory, 0, NULL);
	uint64_t bytes = room;
	const char *name;
	struct stat st;

	while (dir && (name = g_dir_read_name(dir)))
		if (is_window(keep, name))
			g_ptr_array_add(names, g_build_filename(keep->directory, name, NULL));
	g_ptr_array_sort(names, keep_compare);
	for (unsigned i = 0; i < names->len; i++)
		bytes += lstat(names->pdata[i], &st) == 0 ? (uint64_t)st.st_size : 0;
	for (unsigned i = 0; i < names->len && bytes > keep->most_bytes; i++)
		if (lstat(names->pdata[i], &st) == 0 && g_unlink(names->pdata[i]) == 0)
			bytes -= (uint64_t)st.st_size;
}

void spt_keep_window(SptKeep *keep, const char *path)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *time = g_date_time_format(now, "%Y%m%dT%H%M%S.%fZ"),
			*name = g_strconcat(keep->host, "-", time, ENDING, NULL),
			*to = g_build_filename(keep->directory, name, NULL), *text = NULL;
	gsize bytes;

	if (!g_file_get_contents(path, &text, &bytes, NULL) || bytes > keep->most_bytes)
		return;
	remove_oldest(keep, bytes);
	g_file_set_contents_full(to, text, (gssize)bytes, G_FILE_SET_CONTENTS_CONSISTENT, 0600,
				 NULL);
}
