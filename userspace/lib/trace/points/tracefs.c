/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trace points are folders of tracefs, GROUP/NAME, with a file "format". */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "trace/points/point.h"
#include "trace/trace.h"

#define EVENTS SPT_POINT_TRACEFS "/events"

bool spt_point_can_trace(GError **error)
{
	DIR *directory = opendir(EVENTS);
	int number = errno;

	if (directory) {
		closedir(directory);
		return true;
	}
	if (number == EACCES || number == EPERM)
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_NO_PERMISSION,
			      "Trace points (/sys/kernel/tracing) are closed to this user: what they show is of all users; run as root");
	else
		spt_set_error(error, SPT_TRACE_ERROR, SPT_TRACE_ERROR_FAILED,
			      "Trace points cannot be read (%s); mount them with: sudo mount -t tracefs nodev /sys/kernel/tracing",
			      g_strerror(number));
	return false;
}

static char *read_format(const char *group, const char *name)
{
	g_autofree char *path = g_build_filename(EVENTS, group, name, "format", NULL);
	char *text = NULL;

	g_file_get_contents(path, &text, NULL, NULL);
	return text;
}

/* Some of tracefs's own are no trace points for perf. */
static bool is_for_perf(const char *group)
{
	return strcmp(group, "ftrace") != 0;
}

SptPoint *spt_point_traced(const char *name)
{
	g_auto(GStrv) parts = g_strsplit(name, ":", -1);
	g_autofree char *text = NULL;
	g_autoptr(SptPoint) point = NULL;
	uint32_t id;

	if (g_strv_length(parts) != 2 || strchr(name, '/') || !is_for_perf(parts[0]) ||
	    g_str_has_prefix(parts[0], ".") || g_str_has_prefix(parts[1], "."))
		return NULL;
	text = read_format(parts[0], parts[1]);
	point = g_new0(SptPoint, 1);
	if (!text || !spt_point_format_parse(text, &point->format, &id))
		return NULL;
	point->type = SPT_POINT_TRACE;
	point->name = g_strdup(name);
	point->perf_type = PERF_TYPE_TRACEPOINT;
	point->config = id;
	point->period = 1;
	return g_steal_pointer(&point);
}

static int tracefs_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a folder, sorted; without those that begin with a dot. */
static GPtrArray *read_folder(const char *path)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (*entry->d_name != '.' && entry->d_type == DT_DIR)
			g_ptr_array_add(names, g_strdup(entry->d_name));
	if (directory)
		closedir(directory);
	g_ptr_array_sort(names, tracefs_compare);
	return names;
}

/* The fields are what can be asked of it. */
static char *help_of(const char *group, const char *name)
{
	g_autofree char *text = read_format(group, name);
	GString *help = g_string_new(NULL);
	SptPointFormat format;
	uint32_t id;

	if (text && spt_point_format_parse(text, &format, &id))
		for (unsigned i = 0; i < format.n_fields; i++)
			g_string_append_printf(help, "%s%s", i ? ", " : "",
					       format.fields[i].field.name);
	return g_string_free(help, FALSE);
}

static void list_group(GPtrArray *names, const char *group, const char *glob, bool with_help)
{
	g_autofree char *path = g_build_filename(EVENTS, group, NULL);
	g_autoptr(GPtrArray) events = read_folder(path);

	for (unsigned i = 0; i < events->len; i++) {
		g_autofree char *name = g_strdup_printf("%s:%s", group, (char *)events->pdata[i]);
		SptPointName *found;

		if (glob && !g_pattern_match_simple(glob, name))
			continue;
		found = g_new0(SptPointName, 1);
		found->type = SPT_POINT_TRACE;
		found->name = g_steal_pointer(&name);
		found->help = with_help ? help_of(group, events->pdata[i]) : NULL;
		g_ptr_array_add(names, found);
	}
}

void spt_point_list_traced(GPtrArray *names, const char *glob, bool with_help)
{
	g_autoptr(GPtrArray) groups = read_folder(EVENTS);

	if (!groups->len && spt_point_has_module())
		spt_point_list_of_module(names, glob);
	for (unsigned i = 0; i < groups->len; i++)
		if (is_for_perf(groups->pdata[i]))
			list_group(names, groups->pdata[i], glob, with_help);
}
