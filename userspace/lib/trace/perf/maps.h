/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of /proc/PID/maps. */
#ifndef SPT_PERF_MAPS_H
#define SPT_PERF_MAPS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

struct spt_perf_map {
	uint64_t start, end, offset, inode;
	uint32_t dev_major, dev_minor;
	const char *path;		/* in the line */
};

/* "start-end r-xp offset major:minor inode   path".  False: not executable. */
bool spt_perf_map_parse(const char *line, struct spt_perf_map *ret);

G_END_DECLS

#endif
