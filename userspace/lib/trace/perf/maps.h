/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of /proc/PID/maps. */
#ifndef SPT_PERF_MAPS_H
#define SPT_PERF_MAPS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

G_BEGIN_DECLS

/* Limit of a process's file: far more than mappings that are recorded. */
#define SPT_PERF_MAPS_MAX_BYTES (4u << 20)

struct spt_perf_map {
	uint64_t start, end, offset, inode;
	uint32_t dev_major, dev_minor;
	char access[5];			/* "rw-p" */
	const char *path;		/* in the line */
};

/* "start-end r-xp offset major:minor inode   path".  False: not executable. */
bool spt_perf_map_parse(const char *line, struct spt_perf_map *ret);

/* The same for any line.  False: it is none. */
bool spt_perf_map_parse_any(const char *line, struct spt_perf_map *ret, bool *ret_is_code);
/* Whether @path is of a file, and not of what the kernel calls memory without one. */
bool spt_perf_path_is_file(const char *path);

/*
 * Programs copy their code to memory without a file, for large pages: that is between mappings of
 * one file, since other memory keeps out of where a file was loaded.
 */
/*
 * Whether @below and @above, the mappings of files next to it on both sides, are of one file that
 * was loaded once.  V8 has a part of its program a second time, above the code that it makes.
 */
bool spt_perf_map_is_between(const struct spt_perf_map *below, const struct spt_perf_map *above);
/*
 * Whether [@start, @end) is so by the lines in @text, which is changed; @ret_below: the file's
 * mapping below it.
 */
bool spt_perf_maps_enclose(char *text, uint64_t start, uint64_t end,
			   struct spt_perf_map *ret_below);

G_END_DECLS

#endif
