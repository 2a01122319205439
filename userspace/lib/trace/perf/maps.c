/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace/perf/maps.h"

#include <stdio.h>
#include <string.h>

/*
 * Parts of a file are further apart in memory than in the file by what aligns each, as linkers do
 * it 2 MiB at most.
 */
#define SHIFT_MAX (16u << 20)

bool spt_perf_map_parse_any(const char *line, struct spt_perf_map *ret, bool *ret_is_code)
{
	int path_at = 0;

	if (sscanf(line,
		   "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %4s %" G_GINT64_MODIFIER
		   "x %x:%x %" G_GUINT64_FORMAT " %n",
		   &ret->start, &ret->end, ret->access, &ret->offset, &ret->dev_major,
		   &ret->dev_minor, &ret->inode, &path_at) < 7 ||
	    ret->start >= ret->end)
		return false;
	*ret_is_code = ret->access[2] == 'x';
	ret->path = line + path_at;
	/* Offsets in memory without a file count from its start, as in the kernel. */
	if (!*ret->path)
		ret->offset = ret->start;
	return true;
}

bool spt_perf_map_parse(const char *line, struct spt_perf_map *ret)
{
	bool is_code;

	return spt_perf_map_parse_any(line, ret, &is_code) && is_code;
}

bool spt_perf_path_is_file(const char *path)
{
	static const char *const memory[] = { "//anon", "/dev/zero", "/anon_hugepage",
					      "/memfd:", "/SYSV" };

	for (unsigned i = 0; i < G_N_ELEMENTS(memory); i++)
		if (g_str_has_prefix(path, memory[i]))
			return false;
	return path[0] == '/';
}

/* How much further from where its file begins @above is than @below, in memory. */
static uint64_t perf_maps_shift(const struct spt_perf_map *below, const struct spt_perf_map *above)
{
	return (above->start - above->offset) - (below->start - below->offset);
}

bool spt_perf_map_is_between(const struct spt_perf_map *below, const struct spt_perf_map *above)
{
	return below->inode && below->inode == above->inode &&
	       below->dev_major == above->dev_major && below->dev_minor == above->dev_minor &&
	       perf_maps_shift(below, above) < SHIFT_MAX;
}

bool spt_perf_maps_enclose(char *text, uint64_t start, uint64_t end,
			   struct spt_perf_map *ret_below)
{
	char *line, *rest = NULL;
	struct spt_perf_map map;
	bool is_code;

	*ret_below = (struct spt_perf_map){ 0 };
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (!spt_perf_map_parse_any(line, &map, &is_code) ||
		    !spt_perf_path_is_file(map.path))
			continue;
		if (map.start >= end)
			return spt_perf_map_is_between(ret_below, &map);
		/* A file is mapped there. */
		if (map.end > start)
			return false;
		*ret_below = map;
	}
	return false;
}
