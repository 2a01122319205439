/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mappings of a process are read when an address is in none that is known.  A program chooses
 * its addresses, and how many mappings it has: reading takes a small part of the recorder's time.
 * Zeroed data of a file (.bss) is memory without a file, behind the file's own.
 */
#include "record/futex-names.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "capture/capture.h"

#define MOST_PROCESSES 64u
/* Names with an address, of a process and of all; of more only the kind of memory is said. */
#define MOST_NAMES	  1024u
#define MOST_NAMES_OF_ALL 65536u
#define AGAIN_NS       20000000u
/* As many times what reading took nothing is read. */
#define PAUSE	       10
#define CROWDED_NS     1000000000u
/* The code of a file is mapped so close to its data, in mappings. */
#define NEAR	       16
/* A program's own zeroed data is not larger. */
#define MOST_ZEROED    (256u << 20)

struct area {
	struct spt_perf_map map;
	bool is_code;
};

struct process {
	GArray *areas;			/* struct area, by address */
	char *text;			/* which has their paths */
	uint64_t read_ns;
	unsigned n_names;
};

struct SptFutexNames {
	SptProcFiles *files;
	GHashTable *processes;		/* pid -> struct process */
	uint64_t pause_ns;		/* nothing is read until then */
	uint64_t crowded_ns;		/* until then there were more processes than are kept */
	GStringChunk *texts;
	GHashTable *known;		/* names with an address: set of texts */
};

static void futex_process_free(gpointer data)
{
	struct process *process = data;

	g_array_unref(process->areas);
	g_free(process->text);
	g_free(process);
}

SptFutexNames *spt_futex_names_new(SptProcFiles *files)
{
	SptFutexNames *names = g_new0(SptFutexNames, 1);

	names->files = files;
	names->processes = g_hash_table_new_full(NULL, NULL, NULL, futex_process_free);
	names->texts = g_string_chunk_new(4096);
	names->known = g_hash_table_new(g_str_hash, g_str_equal);
	return names;
}

void spt_futex_names_free(SptFutexNames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->processes);
	g_hash_table_unref(names->known);
	g_string_chunk_free(names->texts);
	g_free(names);
}

static const char *futex_memory_of(const struct spt_perf_map *map)
{
	if (map->inode)
		return "a file";
	if (g_str_has_prefix(map->path, "[heap]"))
		return "heap";
	return g_str_has_prefix(map->path, "[stack") ? "stack" : "memory";
}

static void futex_take_areas(struct process *process, char *text, size_t bytes)
{
	char *end = text + bytes, *line_end;
	struct area area;

	g_free(process->text);
	process->text = text;
	g_array_set_size(process->areas, 0);
	for (char *line = text; (line_end = memchr(line, '\n', (size_t)(end - line)));
	     line = line_end + 1) {
		*line_end = '\0';
		if (spt_perf_map_parse_any(line, &area.map, &area.is_code))
			g_array_append_val(process->areas, area);
	}
}

/*
 * Reads the areas again, if it is time to, or takes what was not there in time.  Where nothing
 * comes the process has ended, or is held up: what is known may still be so.
 */
static void futex_refresh(SptFutexNames *names, uint32_t pid, struct process *process)
{
	uint64_t now = spt_clock_ns(CLOCK_MONOTONIC), end;
	bool is_awaited;
	size_t bytes;
	char *text = spt_proc_files_fetch(names->files, pid, &is_awaited, &bytes);
	/* The first reading of a process is not put off for what those of others took. */
	bool may_pause = process->read_ns || now < names->crowded_ns;

	if (!text && (is_awaited || (may_pause && now < names->pause_ns) ||
		      (process->read_ns && now - process->read_ns < AGAIN_NS)))
		return;
	process->read_ns = now;
	if (!text)
		text = spt_proc_files_request(names->files, pid, "maps", SPT_PERF_MAPS_MAX_BYTES,
					      &bytes);
	if (text)
		futex_take_areas(process, text, bytes);
	end = spt_clock_ns(CLOCK_MONOTONIC);
	names->pause_ns = end + PAUSE * (end - now);
}

static const struct area *futex_area_at(const struct process *process, uint64_t address)
{
	unsigned low = 0, high = process->areas->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		const struct area *area = &g_array_index(process->areas, struct area, middle);

		if (address < area->map.start)
			high = middle;
		else if (address >= area->map.end)
			low = middle + 1;
		else
			return area;
	}
	return NULL;
}

static struct process *futex_process_of(SptFutexNames *names, uint32_t pid, uint64_t address)
{
	struct process *process = g_hash_table_lookup(names->processes, GUINT_TO_POINTER(pid));

	if (!process) {
		if (g_hash_table_size(names->processes) >= MOST_PROCESSES) {
			g_hash_table_remove_all(names->processes);
			names->crowded_ns = spt_clock_ns(CLOCK_MONOTONIC) + CROWDED_NS;
		}
		process = g_new0(struct process, 1);
		process->areas = g_array_new(FALSE, FALSE, sizeof(struct area));
		g_hash_table_insert(names->processes, GUINT_TO_POINTER(pid), process);
	}
	if (!futex_area_at(process, address))
		futex_refresh(names, pid, process);
	return process;
}

/* The area of a file that @area is data of: itself, or the one that it follows; NULL: none. */
static const struct area *futex_file_of(const struct process *process, const struct area *area)
{
	const struct area *first = (const struct area *)process->areas->data, *before = area - 1;

	if (area->map.inode)
		return area;
	if (*area->map.path || area == first || before->map.end != area->map.start ||
	    !before->map.inode || strcmp(before->map.access, "rw-p") != 0 ||
	    strcmp(area->map.access, "rw-p") != 0 ||
	    area->map.end - area->map.start > MOST_ZEROED)
		return NULL;
	return before;
}

/* Whether @offset of @file is in its code, which is mapped near by. */
static bool futex_is_code(const struct process *process, const struct area *file, uint64_t offset)
{
	unsigned at = (unsigned)(file - (const struct area *)process->areas->data);

	for (unsigned i = at - MIN(at, NEAR); i < MIN(process->areas->len, at + NEAR); i++) {
		const struct area *area = &g_array_index(process->areas, struct area, i);

		if (area->is_code && area->map.inode == file->map.inode &&
		    area->map.dev_major == file->map.dev_major &&
		    area->map.dev_minor == file->map.dev_minor &&
		    offset - area->map.offset < area->map.end - area->map.start)
			return true;
	}
	return false;
}

/* With the process: what was forked has other memory at the same address. */
static const char *futex_name_of(SptFutexNames *names, uint32_t pid, struct process *process,
				 const struct area *area, uint64_t address)
{
	const char *memory = futex_memory_of(&area->map);
	g_autofree char *text = g_strdup_printf("0x%" PRIx64 " in %s of %u", address, memory, pid);
	const char *known = g_hash_table_lookup(names->known, text);

	if (known)
		return known;
	if (process->n_names++ >= MOST_NAMES ||
	    g_hash_table_size(names->known) >= MOST_NAMES_OF_ALL)
		return memory;
	known = g_string_chunk_insert(names->texts, text);
	g_hash_table_add(names->known, (gpointer)known);
	return known;
}

void spt_futex_names_forget(SptFutexNames *names, uint32_t pid)
{
	g_hash_table_remove(names->processes, GUINT_TO_POINTER(pid));
	spt_proc_files_forget(names->files, pid);
}

SptFutexPlace spt_futex_names_find(SptFutexNames *names, uint32_t pid, const SptMaps *maps,
				   uint64_t address)
{
	struct process *process = futex_process_of(names, pid, address);
	const struct area *area = futex_area_at(process, address),
			  *file = area ? futex_file_of(process, area) : NULL;
	SptFutexPlace place = { 0 };

	if (file && maps) {
		place.offset = address - file->map.start + file->map.offset;
		if (!futex_is_code(process, file, place.offset))
			place.object = spt_maps_object_of(maps, &file->map);
	}
	if (!place.object)
		place.name = area ? futex_name_of(names, pid, process, area, address) :
				    SPT_NO_LOCK_KNOWN;
	return place;
}
