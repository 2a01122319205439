/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the fields of the scheduler's trace points, by their formats in tracefs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/perf/waits.h"

static char *read_text(const char *directory, const char *event, const char *file)
{
	g_autofree char *path = g_strdup_printf("%s/%s/%s", directory, event, file);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

/* The offset of a field of @bytes; false: it has none. */
static bool tracepoints_find_field(const char *directory, const char *event, const char *name,
				   unsigned bytes, uint32_t *ret_at)
{
	g_autofree char *text = read_text(directory, event, "format");
	g_autofree char *wanted = g_strdup_printf(" %s;", name);
	const char *line = text ? strstr(text, wanted) : NULL;
	unsigned at, size;

	if (!line || sscanf(line + strlen(wanted), " offset:%u; size:%u;", &at, &size) != 2 ||
	    size != bytes || at > UINT16_MAX)
		return false;
	*ret_at = at;
	return true;
}

static uint32_t read_id(const char *directory, const char *event)
{
	g_autofree char *text = read_text(directory, event, "id");
	unsigned long id = text ? strtoul(text, NULL, 10) : 0;

	/* A record has the value in 16 bits. */
	return id <= UINT16_MAX ? (uint32_t)id : 0;
}

void spt_perf_tracepoints_read(const char *directory, struct spt_perf_tracepoints *ret)
{
	*ret = (struct spt_perf_tracepoints){ 0 };
	if (tracepoints_find_field(directory, "sched_switch", "prev_state", 8, &ret->state_at) &&
	    tracepoints_find_field(directory, "sched_waking", "pid", 4, &ret->woken_at)) {
		ret->switch_id = read_id(directory, "sched_switch");
		ret->waking_id = read_id(directory, "sched_waking");
	}
	if (!ret->switch_id || !ret->waking_id)
		*ret = (struct spt_perf_tracepoints){ 0 };
}
