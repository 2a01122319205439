/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/perf/maps.h"

#include <stdio.h>

bool spt_perf_map_parse(const char *line, struct spt_perf_map *ret)
{
	char access[5] = "";
	int path_at = 0;

	if (sscanf(line,
		   "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s %" G_GINT64_MODIFIER
		   "x %x:%x %" G_GUINT64_FORMAT " %n",
		   &ret->start, &ret->end, access, &ret->offset, &ret->dev_major, &ret->dev_minor,
		   &ret->inode, &path_at) < 7 ||
	    access[2] != 'x' || ret->start >= ret->end)
		return false;
	ret->path = line + path_at;
	/* Offsets in memory without a file count from its start, as in the kernel. */
	if (!*ret->path)
		ret->offset = ret->start;
	return true;
}
