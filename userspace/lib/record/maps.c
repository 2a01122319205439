/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process whose maps are to be reported is known by its address space, which it may
 * share.
 */
#include "record/maps.h"

#include <string.h>

#include "base/clock.h"
#include "capture/format.h"
#include "sysprof.h"
#include "trace/perf/maps.h"

/* Limit of a process's file: far more than mappings that are recorded. */
#define MAPS_MAX_BYTES (4u << 20)

struct map_owner {
	uint32_t process, pid;
	unsigned n;			/* rows */
};

struct SptMaps {
	SptOutput *output;
	const SptSpaces *spaces;
	SptProcFiles *files;
	GHashTable *owners; /* mm id -> GArray of struct map_owner */
	GHashTable *objects;		/* identity in /proc -> id */
	/*
	 * -> id, 0 if several objects had that path: in an overlay /proc has another identity, from
	 * Linux 6.8 on
	 */
	GHashTable *paths;
	GArray *unread; /* struct map_owner; NULL where the source has records of mappings */
};

static void maps_put(SptMaps *maps, struct map_owner *owner, const SptMap *map, uint64_t time,
		     SptMapHow how)
{
	SptMapRow row = {
		.process = owner->process,
		.time = time,
		.start = map->start,
		.bytes = map->end - map->start,
		.how = how,
	};

	if (how != SPT_MAP_GONE) {
		row.object = map->object;
		row.offset = map->offset;
	}
	/* One more says that there are more. */
	if (owner->n <= SPT_MOST_MAPS)
		spt_output_put(maps->output, SPT_ROW_MAP, &row);
	owner->n++;
}

static void maps_put_map(SptMaps *maps, struct map_owner *owner, const SptMap *map)
{
	maps_put(maps, owner, map, map->from, map->is_seen ? SPT_MAP_SEEN : SPT_MAP_MADE);
}

static void on_made(uint64_t mm, const SptMap *map, void *data)
{
	SptMaps *maps = data;
	GArray *owners = g_hash_table_lookup(maps->owners, &mm);

	for (unsigned i = 0; owners && i < owners->len; i++)
		maps_put_map(maps, &g_array_index(owners, struct map_owner, i), map);
}

static void maps_on_gone(uint64_t mm, const SptMap *part, uint64_t time, bool is_replaced,
			 void *data)
{
	SptMaps *maps = data;
	GArray *owners = g_hash_table_lookup(maps->owners, &mm);

	for (unsigned i = 0; owners && !is_replaced && i < owners->len; i++)
		maps_put(maps, &g_array_index(owners, struct map_owner, i), part, time,
			 SPT_MAP_GONE);
}

SptMaps *spt_maps_new(SptOutput *output, SptSpaces *spaces, SptProcFiles *files, bool has_records)
{
	SptMaps *maps = g_new0(SptMaps, 1);

	maps->output = output;
	maps->spaces = spaces;
	maps->files = files;
	maps->owners = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
					     (GDestroyNotify)g_array_unref);
	spt_spaces_listen(spaces, &(SptSpacesListener){ on_made, maps_on_gone, maps });
	maps->objects = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	maps->paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (!has_records)
		maps->unread = g_array_new(FALSE, FALSE, sizeof(struct map_owner));
	return maps;
}

void spt_maps_free(SptMaps *maps)
{
	if (!maps)
		return;
	g_hash_table_unref(maps->owners);
	g_hash_table_unref(maps->objects);
	g_hash_table_unref(maps->paths);
	g_clear_pointer(&maps->unread, g_array_unref);
	g_free(maps);
}

static char *identity(uint32_t dev_major, uint32_t dev_minor, uint64_t inode)
{
	return g_strdup_printf("%x:%x:%" G_GINT64_MODIFIER "x", dev_major, dev_minor, inode);
}

static void maps_object(void *part, const SptObjectRow *row)
{
	SptMaps *maps = part;
	bool is_only;
	void *other;

	if (row->kind != SPT_OBJECT_FILE)
		return;
	g_hash_table_replace(maps->objects, identity(row->dev_major, row->dev_minor, row->inode),
			     GUINT_TO_POINTER(row->id));
	is_only = !g_hash_table_lookup_extended(maps->paths, row->path, NULL, &other) ||
		  GPOINTER_TO_UINT(other) == row->id;
	g_hash_table_replace(maps->paths, g_strdup(row->path),
			     GUINT_TO_POINTER(is_only ? row->id : 0));
}

void spt_maps_sampled(SptMaps *maps, const SptProcess *process)
{
	struct map_owner owner = { process->id, process->pid, 0 };
	GArray *in_space = g_hash_table_lookup(maps->owners, &process->mm);
	const SptSpace *space = spt_spaces_get(maps->spaces, process->mm);
	const SptMap *map = NULL;
	unsigned n = 0;

	if (!process->mm || process->is_kthread)
		return;
	if (maps->unread) {
		g_array_append_val(maps->unread, owner);
		return;
	}
	if (space)
		map = spt_space_maps(space, &n);
	for (unsigned i = 0; i < n; i++)
		maps_put_map(maps, &owner, &map[i]);
	if (!in_space) {
		in_space = g_array_new(FALSE, FALSE, sizeof(owner));
		g_hash_table_insert(maps->owners, g_memdup2(&process->mm, sizeof(process->mm)),
				    in_space);
	}
	g_array_append_val(in_space, owner);
}

static void maps_process(void *part, const SptProcess *process)
{
	SptMaps *maps = part;
	GArray *in_space = g_hash_table_lookup(maps->owners, &process->mm);

	for (unsigned i = 0; process->end_time && in_space && i < in_space->len; i++) {
		if (g_array_index(in_space, struct map_owner, i).process != process->id)
			continue;
		if (in_space->len == 1)
			g_hash_table_remove(maps->owners, &process->mm);
		else
			g_array_remove_index_fast(in_space, i);
		return;
	}
}

uint32_t spt_maps_object_of(const SptMaps *maps, const struct spt_perf_map *map)
{
	g_autofree char *key = identity(map->dev_major, map->dev_minor, map->inode);

	if (map->inode && g_hash_table_contains(maps->objects, key))
		return GPOINTER_TO_UINT(g_hash_table_lookup(maps->objects, key));
	if (map->inode)
		return GPOINTER_TO_UINT(g_hash_table_lookup(maps->paths, map->path));
	return g_str_has_prefix(map->path, "[vdso]") ? SYSPROF_OBJECT_VDSO : SYSPROF_OBJECT_ANON;
}

static void maps_read_process(SptMaps *maps, struct map_owner *owner)
{
	size_t bytes;
	g_autofree char *text =
		spt_proc_files_read(maps->files, owner->pid, "maps", MAPS_MAX_BYTES, &bytes);
	char *line, *rest = NULL;
	struct spt_perf_map at;
	uint64_t now;

	if (!text)
		return;
	/*
	 * Requests for a time after the process's end do not count: they are about a later process
	 * with its pid.
	 */
	now = spt_clock_ns(CLOCK_MONOTONIC);
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		SptMap map;

		if (!spt_perf_map_parse(line, &at))
			continue;
		map = (SptMap){ .start = at.start,
				.end = at.end,
				.offset = at.offset,
				.object = spt_maps_object_of(maps, &at) };
		maps_put(maps, owner, &map, now, SPT_MAP_SEEN);
	}
}

/* Reads /proc for processes that need it. */
static void maps_read(SptMaps *maps)
{
	for (unsigned i = 0; maps->unread && i < maps->unread->len; i++)
		maps_read_process(maps, &g_array_index(maps->unread, struct map_owner, i));
	if (maps->unread)
		g_array_set_size(maps->unread, 0);
}

static bool maps_flush(void *part, G_GNUC_UNUSED GError **error)
{
	maps_read(part);
	return true;
}

static void maps_note(void *part, G_GNUC_UNUSED SptOutput *output)
{
	maps_read(part);
}

const SptStage spt_maps_stage = {
	.process = maps_process,
	.object = maps_object,
	.flush = maps_flush,
	.note = maps_note,
	.free = (GDestroyNotify)spt_maps_free,
};
