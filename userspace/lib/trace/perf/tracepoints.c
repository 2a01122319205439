/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the fields of the scheduler's trace points, by their formats in tracefs.  No library is
 * needed, as root's opener does without one.
 */
#include "trace/perf/tracepoints.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 512
#define FORMAT_BYTES 8192		/* a page, by the kernel, and more */

/* The text of a file of an event; "": it cannot be read. */
static void tracepoints_read_text(const char *directory, const char *event, const char *name,
				  char *ret, size_t bytes)
{
	char path[PATH_BYTES];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/%s", directory, event, name);
	file = fopen(path, "re");
	if (file) {
		n = fread(ret, 1, bytes - 1, file);
		fclose(file);
	}
	ret[n] = '\0';
}

/* The offset of a field of @bytes; false: it has none. */
static bool tracepoints_find_field(const char *directory, const char *event, const char *name,
				   unsigned bytes, uint32_t *ret_at)
{
	char text[FORMAT_BYTES], wanted[64];
	const char *line;
	unsigned at, size;

	tracepoints_read_text(directory, event, "format", text, sizeof(text));
	snprintf(wanted, sizeof(wanted), " %s;", name);
	line = strstr(text, wanted);
	if (!line || sscanf(line + strlen(wanted), " offset:%u; size:%u;", &at, &size) != 2 ||
	    size != bytes || at > UINT16_MAX)
		return false;
	*ret_at = at;
	return true;
}

static uint32_t read_id(const char *directory, const char *event)
{
	char text[32];
	unsigned long id;

	tracepoints_read_text(directory, event, "id", text, sizeof(text));
	id = strtoul(text, NULL, 10);
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
