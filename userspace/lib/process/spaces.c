/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each space is a sorted array of mappings that do not overlap: few, seldom changed, looked up for every frame. */
#include "process/spaces.h"

#include <string.h>

struct SptSpace {
	GArray *maps;			/* of SptMap, by start */
	uint64_t version;
	uint64_t snapshot_time;
	unsigned snapshot_number;
};

struct SptSpaces {
	GHashTable *by_mm;		/* mm id -> SptSpace */
	uint64_t last_version;
};

static void space_free(void *data)
{
	SptSpace *space = data;

	g_array_unref(space->maps);
	g_free(space);
}

SptSpaces *spt_spaces_new(void)
{
	SptSpaces *spaces = g_new0(SptSpaces, 1);

	spaces->by_mm = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, space_free);
	return spaces;
}

void spt_spaces_free(SptSpaces *spaces)
{
	if (!spaces)
		return;
	g_hash_table_unref(spaces->by_mm);
	g_free(spaces);
}

static SptSpace *get_space(SptSpaces *spaces, uint64_t mm)
{
	SptSpace *space = g_hash_table_lookup(spaces->by_mm, &mm);

	if (!space) {
		space = g_new0(SptSpace, 1);
		space->maps = g_array_new(FALSE, FALSE, sizeof(SptMap));
		space->version = ++spaces->last_version;
		g_hash_table_insert(spaces->by_mm, g_memdup2(&mm, sizeof(mm)), space);
	}
	return space;
}

/* Index of the first mapping that ends behind @address. */
static unsigned first_behind(const GArray *maps, uint64_t address)
{
	unsigned low = 0, high = maps->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (g_array_index(maps, SptMap, middle).end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Cuts [start, end) out and returns the index at which a mapping for it belongs. */
static unsigned cut(GArray *maps, uint64_t start, uint64_t end)
{
	unsigned at = first_behind(maps, start), last;

	if (at < maps->len && g_array_index(maps, SptMap, at).start < start) {
		SptMap left = g_array_index(maps, SptMap, at);

		left.end = start;
		g_array_insert_val(maps, at, left);
		at++;
		g_array_index(maps, SptMap, at).offset += start - g_array_index(maps, SptMap, at).start;
		g_array_index(maps, SptMap, at).start = start;
	}
	for (last = at; last < maps->len && g_array_index(maps, SptMap, last).end <= end; last++)
		;
	if (last > at)
		g_array_remove_range(maps, at, last - at);
	if (at < maps->len && g_array_index(maps, SptMap, at).start < end) {
		SptMap *right = &g_array_index(maps, SptMap, at);

		right->offset += end - right->start;
		right->start = end;
	}
	return at;
}

static void insert(SptSpaces *spaces, SptSpace *space, const SptMap *map)
{
	space->version = ++spaces->last_version;
	if (map->start < map->end)
		g_array_insert_val(space->maps, cut(space->maps, map->start, map->end), *map);
}

void spt_spaces_map(SptSpaces *spaces, uint64_t mm, uint64_t time, const SptMap *map, bool fresh)
{
	SptSpace *space = get_space(spaces, mm);

	if (time <= space->snapshot_time)
		return;
	if (fresh)
		g_array_set_size(space->maps, 0);
	insert(spaces, space, map);
}

void spt_spaces_fork(SptSpaces *spaces, uint64_t parent, uint64_t child, uint64_t time)
{
	SptSpace *to = get_space(spaces, child), *from = g_hash_table_lookup(spaces->by_mm, &parent);

	if (time <= to->snapshot_time || from == to)
		return;
	g_array_set_size(to->maps, 0);
	to->version = from ? from->version : ++spaces->last_version;
	if (from && from->maps->len)
		g_array_append_vals(to->maps, from->maps->data, from->maps->len);
}

void spt_spaces_snapshot(SptSpaces *spaces, unsigned number, uint64_t mm, uint64_t time, const SptMap *map)
{
	SptSpace *space = get_space(spaces, mm);

	if (space->snapshot_number != number) {
		space->snapshot_number = number;
		g_array_set_size(space->maps, 0);
	}
	space->snapshot_time = time;
	insert(spaces, space, map);
}

void spt_spaces_drop(SptSpaces *spaces, uint64_t mm)
{
	g_hash_table_remove(spaces->by_mm, &mm);
}

const SptSpace *spt_spaces_get(const SptSpaces *spaces, uint64_t mm)
{
	return g_hash_table_lookup(spaces->by_mm, &mm);
}

uint64_t spt_space_version(const SptSpace *space)
{
	return space->version;
}

bool spt_space_is_empty(const SptSpace *space)
{
	return !space->maps->len;
}

const SptMap *spt_space_find(const SptSpace *space, uint64_t address)
{
	unsigned at = first_behind(space->maps, address);
	const SptMap *map = &g_array_index(space->maps, SptMap, at);

	return at < space->maps->len && map->start <= address ? map : NULL;
}
