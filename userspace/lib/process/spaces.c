/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each space is a sorted array of mappings that do not overlap: few, seldom changed, and looked up
 * for every frame.
 */
#include "process/spaces.h"

#include <string.h>

/* Spaces that were looked for lately, by mm. */
#define RECENT_SPACES 1024

struct SptSpace {
	uint64_t mm;
	GArray *maps;			/* of SptMap, by start */
	/* Maps before the snapshot that is being taken, else NULL */
	GArray *before;
	uint64_t version;
	uint64_t snapshot_time;
	unsigned snapshot_number;
};

struct SptSpaces {
	GHashTable *by_mm;		/* mm id -> SptSpace */
	SptSpace **recent;		/* RECENT_SPACES of them; NULL: none */
	GPtrArray *in_snapshot;		/* spaces that have @before */
	GHashTable *kept;		/* version -> id of the space that keeps its mappings */
	uint64_t last_kept;		/* counts down from the highest id */
	SptSpacesListener listener;
	uint64_t last_version;
};

static void space_free(void *data)
{
	SptSpace *space = data;

	g_array_unref(space->maps);
	g_clear_pointer(&space->before, g_array_unref);
	g_free(space);
}

SptSpaces *spt_spaces_new(void)
{
	SptSpaces *spaces = g_new0(SptSpaces, 1);

	spaces->by_mm = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, space_free);
	spaces->recent = g_new0(SptSpace *, RECENT_SPACES);
	spaces->in_snapshot = g_ptr_array_new();
	spaces->kept = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
	return spaces;
}

void spt_spaces_listen(SptSpaces *spaces, const SptSpacesListener *listener)
{
	spaces->listener = *listener;
}

void spt_spaces_free(SptSpaces *spaces)
{
	if (!spaces)
		return;
	g_ptr_array_unref(spaces->in_snapshot);
	g_hash_table_unref(spaces->kept);
	g_hash_table_unref(spaces->by_mm);
	g_free(spaces->recent);
	g_free(spaces);
}

static SptSpace *get_space(SptSpaces *spaces, uint64_t mm)
{
	SptSpace *space = g_hash_table_lookup(spaces->by_mm, &mm);

	if (!space) {
		space = g_new0(SptSpace, 1);
		space->mm = mm;
		space->maps = g_array_new(FALSE, FALSE, sizeof(SptMap));
		space->version = ++spaces->last_version;
		g_hash_table_insert(spaces->by_mm, g_memdup2(&mm, sizeof(mm)), space);
	}
	return space;
}

/* Index of the first mapping that ends behind @address. */
static unsigned spaces_first_behind(const GArray *maps, uint64_t address)
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

static void tell_made(const SptSpaces *spaces, const SptSpace *space, const SptMap *map)
{
	if (spaces->listener.made)
		spaces->listener.made(space->mm, map, spaces->listener.data);
}

static void tell_gone(const SptSpaces *spaces, const SptSpace *space, const SptMap *part,
		      uint64_t time, bool is_replaced)
{
	if (spaces->listener.gone)
		spaces->listener.gone(space->mm, part, time, is_replaced, spaces->listener.data);
}

/* Whether both hold the same mappings, where they overlap. */
static bool is_alike(const SptMap *a, const SptMap *b)
{
	return a->object == b->object && a->offset - a->start == b->offset - b->start;
}

static SptMap spaces_part_of(const SptMap *map, uint64_t start, uint64_t end)
{
	SptMap part = *map;

	part.start = MAX(map->start, start);
	part.end = MIN(map->end, end);
	part.offset += part.start - map->start;
	return part;
}

/* Cuts [start, end) out and returns the index for a new mapping of it. */
static unsigned spaces_cut(SptSpaces *spaces, SptSpace *space, uint64_t start, uint64_t end,
			   uint64_t time, bool is_replaced)
{
	GArray *maps = space->maps;
	unsigned at = spaces_first_behind(maps, start), last;

	for (last = at; last < maps->len && g_array_index(maps, SptMap, last).start < end; last++) {
		SptMap part = spaces_part_of(&g_array_index(maps, SptMap, last), start, end);

		tell_gone(spaces, space, &part, time, is_replaced);
	}
	if (at < last) {
		SptMap left = spaces_part_of(&g_array_index(maps, SptMap, at), 0, start);
		SptMap right =
			spaces_part_of(&g_array_index(maps, SptMap, last - 1), end, UINT64_MAX);

		g_array_remove_range(maps, at, last - at);
		if (right.start < right.end)
			g_array_insert_val(maps, at, right);
		if (left.start < left.end)
			g_array_insert_val(maps, at++, left);
	}
	return at;
}

static bool has_already(const SptSpace *space, const SptMap *map)
{
	unsigned at = spaces_first_behind(space->maps, map->start);
	const SptMap *there = &g_array_index(space->maps, SptMap, at);

	return at < space->maps->len && there->start <= map->start && map->end <= there->end &&
	       is_alike(there, map);
}

void spt_spaces_map(SptSpaces *spaces, uint64_t mm, uint64_t time, const SptMap *map, bool fresh)
{
	SptSpace *space = get_space(spaces, mm);
	SptMap made = *map;

	if (time <= space->snapshot_time)
		return;
	made.from = time;
	if (fresh)
		spaces_cut(spaces, space, 0, UINT64_MAX, time, false);
	if (made.start >= made.end || has_already(space, &made))
		return;
	space->version = ++spaces->last_version;
	g_array_insert_val(space->maps, spaces_cut(spaces, space, made.start, made.end, time, true),
			   made);
	tell_made(spaces, space, &made);
}

void spt_spaces_unmap(SptSpaces *spaces, uint64_t mm, uint64_t time, uint64_t start, uint64_t end)
{
	SptSpace *space = get_space(spaces, mm);

	space->version = ++spaces->last_version;
	spaces_cut(spaces, space, start, end, time, false);
}

void spt_spaces_fork(SptSpaces *spaces, uint64_t parent, uint64_t child, uint64_t time)
{
	SptSpace *to = get_space(spaces, child),
		 *from = g_hash_table_lookup(spaces->by_mm, &parent);

	if (time <= to->snapshot_time || from == to)
		return;
	g_array_set_size(to->maps, 0);
	to->version = from ? from->version : ++spaces->last_version;
	if (from && from->maps->len)
		g_array_append_vals(to->maps, from->maps->data, from->maps->len);
	for (unsigned i = 0; i < to->maps->len; i++) {
		g_array_index(to->maps, SptMap, i).from = time;
		g_array_index(to->maps, SptMap, i).is_seen = false;
	}
}

void spt_spaces_snapshot(SptSpaces *spaces, unsigned number, uint64_t mm, uint64_t time,
			 const SptMap *map)
{
	SptSpace *space = get_space(spaces, mm);
	SptMap seen = *map;

	if (space->snapshot_number != number) {
		space->snapshot_number = number;
		space->before = g_steal_pointer(&space->maps);
		space->maps = g_array_new(FALSE, FALSE, sizeof(SptMap));
		g_ptr_array_add(spaces->in_snapshot, space);
	}
	space->snapshot_time = seen.from = time;
	seen.is_seen = true;
	space->version = ++spaces->last_version;
	if (seen.start < seen.end)
		/* Reported at the end. */
		g_array_insert_val(space->maps,
				   spaces_cut(&(SptSpaces){ 0 }, space, seen.start, seen.end, time,
					      true),
				   seen);
}

/* An identical mapping in @maps, or NULL. */
static const SptMap *spaces_find_same(const GArray *maps, const SptMap *map)
{
	unsigned at = spaces_first_behind(maps, map->start);
	const SptMap *there = &g_array_index(maps, SptMap, at);

	return at < maps->len && there->start == map->start && there->end == map->end &&
			       is_alike(there, map) ?
		       there :
		       NULL;
}

void spt_spaces_end_snapshot(SptSpaces *spaces)
{
	for (unsigned i = 0; i < spaces->in_snapshot->len; i++) {
		SptSpace *space = spaces->in_snapshot->pdata[i];
		g_autoptr(GArray) before = g_steal_pointer(&space->before);

		for (unsigned n = 0; n < before->len; n++)
			if (!spaces_find_same(space->maps, &g_array_index(before, SptMap, n)))
				tell_gone(spaces, space, &g_array_index(before, SptMap, n),
					  space->snapshot_time, false);
		for (unsigned n = 0; n < space->maps->len; n++) {
			SptMap *map = &g_array_index(space->maps, SptMap, n);
			const SptMap *same = spaces_find_same(before, map);

			if (same)
				*map = *same;
			else
				tell_made(spaces, space, map);
		}
	}
	g_ptr_array_set_size(spaces->in_snapshot, 0);
}

void spt_spaces_drop(SptSpaces *spaces, uint64_t mm)
{
	spaces->recent[mm % RECENT_SPACES] = NULL;
	g_hash_table_remove(spaces->by_mm, &mm);
}

uint64_t spt_spaces_keep(SptSpaces *spaces, uint64_t mm)
{
	SptSpace *from = g_hash_table_lookup(spaces->by_mm, &mm), *to;
	uint64_t *kept;

	if (!from || !from->maps->len)
		return 0;
	kept = g_hash_table_lookup(spaces->kept, &from->version);
	if (kept)
		return *kept;
	do
		spaces->last_kept--;
	while (g_hash_table_contains(spaces->by_mm, &spaces->last_kept));
	to = get_space(spaces, spaces->last_kept);
	to->version = from->version;
	g_array_append_vals(to->maps, from->maps->data, from->maps->len);
	g_hash_table_insert(spaces->kept, g_memdup2(&from->version, sizeof(from->version)),
			    g_memdup2(&to->mm, sizeof(to->mm)));
	return to->mm;
}

void spt_spaces_drop_kept(SptSpaces *spaces)
{
	GHashTableIter iter;
	void *mm;

	g_hash_table_iter_init(&iter, spaces->kept);
	while (g_hash_table_iter_next(&iter, NULL, &mm))
		spt_spaces_drop(spaces, *(const uint64_t *)mm);
	g_hash_table_remove_all(spaces->kept);
}

const SptSpace *spt_spaces_get(const SptSpaces *spaces, uint64_t mm)
{
	SptSpace **recent = &spaces->recent[mm % RECENT_SPACES];

	if (!*recent || (*recent)->mm != mm)
		*recent = g_hash_table_lookup(spaces->by_mm, &mm);
	return *recent;
}

uint64_t spt_space_version(const SptSpace *space)
{
	return space->version;
}

const SptMap *spt_space_maps(const SptSpace *space, unsigned *ret_n)
{
	*ret_n = space->maps->len;
	return (const SptMap *)space->maps->data;
}

bool spt_space_is_empty(const SptSpace *space)
{
	return !space->maps->len;
}

const SptMap *spt_space_find(const SptSpace *space, uint64_t address)
{
	unsigned at = spaces_first_behind(space->maps, address);
	const SptMap *map = &g_array_index(space->maps, SptMap, at);

	return at < space->maps->len && map->start <= address ? map : NULL;
}

const SptMap *spt_space_around(const SptSpace *space, uint64_t start, uint64_t end, unsigned i)
{
	unsigned at = spaces_first_behind(space->maps, start ? start - 1 : 0) + i;

	return at < space->maps->len && g_array_index(space->maps, SptMap, at).start <= end ?
		       &g_array_index(space->maps, SptMap, at) :
		       NULL;
}
