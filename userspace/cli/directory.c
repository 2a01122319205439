/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory of recordings, such as agents keep, opened as one.  Files go in the order of the time
 * that follows the last "-" of their names; what cannot be read is named and skipped.
 */
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "import/fleet.h"

#define ENDING	  ".capture"
#define DEPTH_MAX 8
#define FILES_MAX 4000000u
/* Lines about files that are skipped; more are only counted. */
#define NAMED_MAX 20

struct directory {
	const char *path;
	GPtrArray *paths;
	GHashTable *skipped;		/* paths, each of which was named once */
	bool is_full;
};

static const char *time_of_path(const char *path)
{
	const char *base = strrchr(path, '/'), *dash = strrchr(base ? base : path, '-');

	return dash ? dash : path;
}

static gint compare_times(gconstpointer a, gconstpointer b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	int order = strcmp(time_of_path(x), time_of_path(y));

	return order ? order : strcmp(x, y);
}

/* Says it once, however many passes there are. */
static void G_GNUC_PRINTF(3, 4) skip_path(struct directory *directory, const char *path,
					  const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list arguments;

	if (!g_hash_table_add(directory->skipped, g_strdup(path)) ||
	    g_hash_table_size(directory->skipped) > NAMED_MAX)
		return;
	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	spt_cli_complain("%s", text);
}

/* Goes on behind the error's sentence. */
static void skip_for(struct directory *directory, const char *path, const GError *error)
{
	size_t n = strlen(error->message);

	if (g_str_has_suffix(error->message, "."))
		n--;
	skip_path(directory, path, "%.*s; it is skipped", (int)n, error->message);
}

/* Links are not followed: they may lead in circles. */
static void list_files(struct directory *directory, const char *path, unsigned depth)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GDir) dir = g_dir_open(path, 0, &error);
	const char *name;

	if (!dir)
		skip_for(directory, path, error);
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *inner = g_build_filename(path, name, NULL);
		struct stat st;

		if (lstat(inner, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			list_files(directory, inner, depth + 1);
		else if (S_ISDIR(st.st_mode))
			skip_path(directory, inner, "%s is too deep in directories, and skipped",
				  inner);
		else if (directory->paths->len >= FILES_MAX)
			directory->is_full = true;
		else if (S_ISREG(st.st_mode) && g_str_has_suffix(name, ENDING))
			g_ptr_array_add(directory->paths, g_steal_pointer(&inner));
	}
}

/* The capture; NULL: it was skipped. */
static SptCapture *open_one(struct directory *directory, const char *path)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptCapture) capture = spt_capture_open(path, &error);

	if (!capture)
		skip_for(directory, path, error);
	else if (capture->damage)
		skip_path(directory, path, "%s is damaged, and skipped: %s", path,
			  capture->damage);
	else if (!capture->finished)
		skip_path(directory, path, "%s was cut off, and is skipped", path);
	else if (!spt_capture_period_ns(capture))
		skip_path(directory, path,
			  "%s does not say how long its periods are, and is skipped", path);
	else
		return g_steal_pointer(&capture);
	return NULL;
}

/* *@period_ns: of the result; another one afterwards: all that was added has to be added again. */
static bool add_all(struct directory *directory, SptFleet *fleet, uint64_t *period_ns,
		    GError **error)
{
	for (guint i = 0; i < directory->paths->len; i++) {
		g_autoptr(SptCapture) capture = open_one(directory, directory->paths->pdata[i]);

		if (!capture)
			continue;
		if (*period_ns && spt_fleet_common_period(fleet, capture) != *period_ns) {
			*period_ns = spt_fleet_common_period(fleet, capture);
			return true;
		}
		if (!spt_fleet_add(fleet, capture, error))
			return false;
		*period_ns = spt_fleet_period(fleet);
	}
	return true;
}

/* Each pass has a period that divides the one before, so there are few. */
static bool sum_up(struct directory *directory, const char *to, GError **error)
{
	uint64_t period_ns = 0;

	for (;;) {
		g_autoptr(SptFleet) fleet = spt_fleet_new(to, period_ns, error);

		if (!fleet || !add_all(directory, fleet, &period_ns, error))
			return false;
		if (period_ns == spt_fleet_period(fleet))
			return spt_fleet_finish(fleet, error);
	}
}

static SptCapture *open_sum(struct directory *directory, GError **error)
{
	g_autofree char *temporary = g_dir_make_tmp("sysprof-XXXXXX", error),
			*sum = temporary ? g_build_filename(temporary, "sum.capture", NULL) : NULL,
			*part = sum ? g_strconcat(sum, ".part", NULL) : NULL;
	SptCapture *capture;

	if (!temporary)
		return NULL;
	capture = sum_up(directory, sum, error) ? spt_capture_open(sum, error) : NULL;
	if (capture) {
		g_free((char *)capture->path);
		capture->path = g_strdup(directory->path);
	}
	g_unlink(sum);
	g_unlink(part);
	g_rmdir(temporary);
	return capture;
}

/* Perf makes a directory if several threads write. */
static bool is_of_perf(const char *path)
{
	g_autofree char *file = g_build_filename(path, "data", NULL);

	return g_file_test(file, G_FILE_TEST_IS_REGULAR);
}

SptCapture *spt_cli_open_directory(const char *path)
{
	struct directory directory = {
		.path = path,
		.paths = g_ptr_array_new_with_free_func(g_free),
		.skipped = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
	};
	g_autoptr(GError) error = NULL;
	SptCapture *capture = NULL;
	unsigned n, n_skipped;

	list_files(&directory, path, 0);
	g_ptr_array_sort(directory.paths, compare_times);
	n = directory.paths->len;
	if (n > 0)
		capture = open_sum(&directory, &error);
	n_skipped = g_hash_table_size(directory.skipped);
	if (directory.is_full)
		spt_cli_complain("%s has more than %u recordings; the others are skipped", path,
				 FILES_MAX);
	if (n_skipped)
		spt_cli_complain("%u of %u recordings are skipped", n_skipped, n);
	if (error)
		spt_cli_complain("%s", error->message);
	else if (n == 0 && is_of_perf(path))
		spt_cli_complain("%s is of a perf record with several threads, whose files are not read",
				 path);
	else if (!capture || g_strcmp0(spt_capture_host(capture, SPT_FLEET_CAPTURES), "0") == 0)
		spt_cli_complain("%s has no recording that can be read; their names end in "
				 ENDING, path);
	if (capture && g_strcmp0(spt_capture_host(capture, SPT_FLEET_CAPTURES), "0") == 0)
		g_clear_pointer(&capture, spt_capture_free);
	g_hash_table_unref(directory.skipped);
	g_ptr_array_unref(directory.paths);
	return capture;
}
