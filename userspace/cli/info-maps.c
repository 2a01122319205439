/* SPDX-License-Identifier: GPL-2.0-or-later */
/* info --maps: the address of each object in processes, and for how long. */
#include <inttypes.h>
#include <stdio.h>

#include "capture/maps.h"
#include "cmd.h"
#include "info.h"
#include "profile/glob.h"
#include "profile/selection.h"

#define BUILD_ID_DIGITS 12		/* enough to distinguish files */

static bool is_program(const struct spt_info *info, const SptProcessRow *process, bool is_mapped)
{
	const char *name = spt_process_executable(info->capture, process, is_mapped);

	return name && spt_glob_match(info->maps_of, name);
}

static bool is_asked_for(const struct spt_info *info, const SptProcessRow *process)
{
	g_autofree char *pid = g_strdup_printf("%" PRIu32, process->pid);

	return !info->maps_of || g_str_equal(info->maps_of, pid) ||
	       spt_glob_match(info->maps_of, process->name) ||
	       is_program(info, process, false) || is_program(info, process, true);
}

void spt_info_each_map(const struct spt_info *info, SptInfoMapFunc func, void *data)
{
	const SptCapture *capture = info->capture;
	g_autoptr(SptMapIndex) index = spt_map_index_new(capture);

	for (uint32_t id = 1; id < capture->n_processes; id++) {
		g_autoptr(GArray) spans = NULL;
		bool is_cut;

		if (!capture->processes[id].id || !is_asked_for(info, &capture->processes[id]))
			continue;
		spans = spt_map_index_spans(index, id, &is_cut);
		for (unsigned i = 0; i < spans->len; i++) {
			const SptMapSpan *span = &g_array_index(spans, SptMapSpan, i);

			func(info, &capture->processes[id], span,
			     i	    ? NULL :
			     is_cut ? "the first ones only" :
				      "",
			     data);
		}
	}
}

char *spt_info_build_id(const SptObjectRow *object)
{
	GString *digits = g_string_new(NULL);

	for (unsigned i = 0; i < object->build_id_bytes; i++)
		g_string_append_printf(digits, "%02x", object->build_id[i]);
	return g_string_free(digits, FALSE);
}

/* Seconds from the beginning; "<" for an unknown time before that. */
static char *info_maps_moment(const struct spt_info *info, uint64_t time, bool is_by)
{
	if (time == UINT64_MAX)
		return g_strdup("-");
	return g_strdup_printf("%s%.6f", is_by ? "<" : "",
			       (double)(int64_t)(time - info->summary.start_ns) / 1e9);
}

static void print_map(const struct spt_info *info, const SptProcessRow *process,
		      const SptMapSpan *span, const char *begins, void *data)
{
	const SptObjectRow *object = &info->capture->objects[span->map.object];
	g_autofree char *name = spt_format_cut(process->name, 0);
	g_autofree char *path = spt_format_cut(*object->path ? object->path : "[unknown]", 0);
	g_autofree char *build_id = spt_info_build_id(object);
	g_autofree char *from = info_maps_moment(info, span->map.from, span->map.is_seen);
	g_autofree char *until = info_maps_moment(info, span->until, span->is_gone_by);

	*(bool *)data = true;
	if (begins) {
		printf("\nMapped in %s (pid %" PRIu32 ")%s%s\n", name, process->pid,
		       *begins ? ", " : "", begins);
		printf("%14s %14s  %33s %10s  %-*s  %s\n", "From s", "Until s", "Addresses",
		       "Offset", BUILD_ID_DIGITS, "Build-id", "Object");
	}
	printf("%14s %14s  %16" PRIx64 "-%-16" PRIx64 " %10" PRIx64 "  %-*.*s  %s\n", from, until,
	       span->map.start, span->map.end, span->map.offset, BUILD_ID_DIGITS, BUILD_ID_DIGITS,
	       build_id, path);
}

void spt_info_print_maps(const struct spt_info *info)
{
	const char *how = spt_capture_host(info->capture, "maps");
	bool any = false;

	spt_info_each_map(info, print_map, &any);
	if (!any)
		printf("No executable mapping is known of %s%s.\n",
		       info->maps_of ? "a process " : "any process",
		       info->maps_of ? info->maps_of : "");
	else if (g_strcmp0(how, "seen") == 0)
		printf("\nAs they were once, within a second of each process's first sample (<); later changes are not known.\n");
	else
		printf("\nThe kernel does not report unmapping: an end is known where another mapping follows, or, at the latest (<), from the process's end.\n");
}
