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
	unsigned most_files;
	gsize kept, failed;		/* atomic */
};

SptKeep *spt_keep_new(const char *directory, uint64_t most_bytes, unsigned most_files,
		      const char *option, GError **error)
{
	SptKeep *keep;

	if (g_mkdir_with_parents(directory, 0700) < 0 || access(directory, W_OK | X_OK) < 0) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			      "Cannot keep windows in %s: %s; name another directory with %s",
			      directory, g_strerror(errno), option);
		return NULL;
	}
	keep = g_new(SptKeep, 1);
	*keep = (SptKeep){ g_strdup(directory), g_strdup(g_get_host_name()), most_bytes,
			  most_files, 0, 0 };
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

/*
 * "-" and the time, of a name that is one of this host's windows; else NULL.  No other host's name
 * begins like that: none has a "+".
 */
static const char *time_of_window(const SptKeep *keep, const char *name)
{
	size_t host = strlen(keep->host), bytes = strlen(name),
	       end = 1 + TIME_LENGTH + strlen(ENDING);

	if (bytes < host + end || !g_str_has_prefix(name, keep->host) ||
	    !g_str_has_suffix(name, ENDING) || (name[host] != '+' && bytes != host + end))
		return NULL;
	name += bytes - end;
	return name[0] == '-' && name[TIME_LENGTH] == 'Z' ? name : NULL;
}

struct kept {
	char *path;
	char time[TIME_LENGTH + 2];
	uint64_t bytes;
};

static void kept_clear(gpointer data)
{
	g_free(((struct kept *)data)->path);
}

static gint keep_compare(gconstpointer a, gconstpointer b)
{
	const struct kept *x = a, *y = b;
	int order = strcmp(x->time, y->time);

	return order ? order : strcmp(x->path, y->path);
}

static GArray *list_kept(const SptKeep *keep)
{
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct kept));
	g_autoptr(GDir) dir = g_dir_open(keep->directory, 0, NULL);
	const char *name, *time;
	struct stat st;

	g_array_set_clear_func(all, kept_clear);
	while (dir && (name = g_dir_read_name(dir))) {
		struct kept one = { 0 };

		if (!(time = time_of_window(keep, name)))
			continue;
		one.path = g_build_filename(keep->directory, name, NULL);
		one.bytes = lstat(one.path, &st) == 0 ? (uint64_t)st.st_size : 0;
		g_strlcpy(one.time, time, sizeof(one.time));
		g_array_append_val(all, one);
	}
	g_array_sort(all, keep_compare);
	return all;
}

/* Makes room for one more, with @room bytes. */
static void remove_oldest(const SptKeep *keep, uint64_t room)
{
	g_autoptr(GArray) all = list_kept(keep);
	uint64_t bytes = room;
	unsigned n = all->len + 1;

	for (unsigned i = 0; i < all->len; i++)
		bytes += g_array_index(all, struct kept, i).bytes;
	for (unsigned i = 0; i < all->len; i++) {
		const struct kept *one = &g_array_index(all, struct kept, i);

		if (bytes <= keep->most_bytes && (!keep->most_files || n <= keep->most_files))
			break;
		if (g_unlink(one->path) < 0)
			continue;
		bytes -= one->bytes;
		n--;
	}
}

/* False: there is no such file, or no room for it. */
static bool copy_window(const SptKeep *keep, const char *path, const char *to)
{
	g_autofree char *text = NULL;
	gsize bytes;

	if (!g_file_get_contents(path, &text, &bytes, NULL) || bytes > keep->most_bytes)
		return false;
	remove_oldest(keep, bytes);
	return g_file_set_contents_full(to, text, (gssize)bytes, G_FILE_SET_CONTENTS_CONSISTENT,
					0600, NULL);
}

char *spt_keep_window(SptKeep *keep, const char *path, const char *why)
{
	g_autoptr(GDateTime) now = g_date_time_new_now_utc();
	g_autofree char *time = g_date_time_format(now, "%Y%m%dT%H%M%S.%fZ"),
			*name = g_strconcat(keep->host, why ? "+" : "", why ? why : "", "-", time,
					    ENDING, NULL),
			*to = g_build_filename(keep->directory, name, NULL);

	if (copy_window(keep, path, to)) {
		g_atomic_pointer_add(&keep->kept, 1);
		return g_steal_pointer(&to);
	}
	g_atomic_pointer_add(&keep->failed, 1);
	return NULL;
}

void spt_keep_status(SptKeep *keep, SptKeepStatus *ret)
{
	ret->kept = (uint64_t)g_atomic_pointer_get(&keep->kept);
	ret->failed = (uint64_t)g_atomic_pointer_get(&keep->failed);
}
