/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mappings of a process are read when an address is in none that is known.  A program chooses
 * its addresses, and how many mappings it has: reading takes a small part of the recorder's time.
 * Zeroed data of a file (.bss) is memory without a file, behind the file's own.
 */
#include "record/futex-names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define MOST_PROCESSES 64u
#define MOST_MAPS_BYTES (4u << 20)
#define MOST_NAMES     4096u	/* with an address; then only the kind of memory is said */
#define AGAIN_NS       20000000u
/* As many times the CPU time that reading took nothing is read. */
#define PAUSE	       32
/* The code of a file is mapped so close to its data, in mappings. */
#define NEAR	       16
#define MEMORY	       "memory"	/* nothing more is known of it */
/* A program's own zeroed data is not larger. */
#define MOST_ZEROED    (256u << 20)

struct area {
	uint64_t start, end, offset, inode;
	unsigned dev_major, dev_minor;
	bool is_code, is_private;
	const char *name;		/* of the kind of memory */
};

struct process {
	GArray *areas;			/* struct area, by address */
	uint64_t read_ns;
};

struct SptFutexNames {
	SptProcFiles *files;
	GHashTable *processes;		/* pid -> struct process */
	uint64_t pause_ns;		/* nothing is read until then */
	GStringChunk *texts;
	GHashTable *known;		/* names with an address: set of texts */
};

static void futex_process_free(gpointer data)
{
	struct process *process = data;

	g_array_unref(process->areas);
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

/* "START-END rwxp OFFSET MAJOR:MINOR INODE   PATH" */
static bool futex_parse_area(const char *line, struct area *ret)
{
	char rights[5];
	int n = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &ret->start,
		   &ret->end, rights, &ret->offset, &ret->dev_major, &ret->dev_minor, &ret->inode,
		   &n) < 7)
		return false;
	ret->is_code = rights[2] == 'x';
	ret->is_private = rights[3] == 'p';
	if (ret->inode)
		ret->name = "a file";
	else if (g_str_has_prefix(line + n, "[heap]"))
		ret->name = "heap";
	else if (g_str_has_prefix(line + n, "[stack"))
		ret->name = "stack";
	else
		ret->name = MEMORY;
	return true;
}

static void futex_read_areas(SptFutexNames *names, uint32_t pid, struct process *process)
{
	size_t bytes;
	g_autofree char *text =
		spt_proc_files_read(names->files, pid, "maps", MOST_MAPS_BYTES, &bytes);
	char *end, *line_end;
	struct area area;

	/* The process has ended, or there was no time: what is known may still be so. */
	if (!text)
		return;
	end = text + bytes;
	g_array_set_size(process->areas, 0);
	for (char *line = text; (line_end = memchr(line, '\n', (size_t)(end - line)));
	     line = line_end + 1) {
		*line_end = '\0';
		if (futex_parse_area(line, &area))
			g_array_append_val(process->areas, area);
	}
}

/* Reads the areas again, if it is time to. */
static void futex_refresh(SptFutexNames *names, uint32_t pid, struct process *process)
{
	uint64_t now = spt_clock_ns(CLOCK_MONOTONIC),
		 begin = spt_clock_ns(CLOCK_THREAD_CPUTIME_ID);

	if (now < names->pause_ns || (process->read_ns && now - process->read_ns < AGAIN_NS))
		return;
	process->read_ns = now;
	futex_read_areas(names, pid, process);
	names->pause_ns = now + PAUSE * (spt_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin);
}

static const struct area *futex_area_at(const struct process *process, uint64_t address)
{
	unsigned low = 0, high = process->areas->len;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		const struct area *area = &g_array_index(process->areas, struct area, middle);

		if (address < area->start)
			high = middle;
		else if (address >= area->end)
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
		if (g_hash_table_size(names->processes) >= MOST_PROCESSES)
			g_hash_table_remove_all(names->processes);
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

	if (!area->is_private)
		return NULL;
	if (area->inode)
		return area;
	if (strcmp(area->name, MEMORY) != 0 || area == first || before->end != area->start ||
	    !before->inode || !before->is_private || area->end - area->start > MOST_ZEROED)
		return NULL;
	return before;
}

/* The id of the object whose code @file has, too; 0: none is known, or @offset is code itself. */
static uint32_t futex_object_of(const struct process *process, const struct area *file,
				const SptSpace *space, uint64_t offset)
{
	unsigned at = (unsigned)(file - (const struct area *)process->areas->data);
	uint32_t object = 0;

	for (unsigned i = at - MIN(at, NEAR); i < MIN(process->areas->len, at + NEAR); i++) {
		const struct area *area = &g_array_index(process->areas, struct area, i);
		const SptMap *map;

		if (!area->is_code || area->inode != file->inode ||
		    area->dev_major != file->dev_major || area->dev_minor != file->dev_minor)
			continue;
		if (offset - area->offset < area->end - area->start)
			return 0;
		map = spt_space_find(space, area->start);
		object = map ? map->object : object;
	}
	return object;
}

static const char *futex_name_of(SptFutexNames *names, const struct area *area, uint64_t address)
{
	const char *memory = area ? area->name : MEMORY;
	g_autofree char *text = g_strdup_printf("0x%" PRIx64 " in %s", address, memory);
	const char *known = g_hash_table_lookup(names->known, text);

	if (known)
		return known;
	if (g_hash_table_size(names->known) >= MOST_NAMES)
		return memory;
	known = g_string_chunk_insert(names->texts, text);
	g_hash_table_add(names->known, (gpointer)known);
	return known;
}

SptFutexPlace spt_futex_names_find(SptFutexNames *names, uint32_t pid, const SptSpace *space,
				   uint64_t address)
{
	const struct process *process = futex_process_of(names, pid, address);
	const struct area *area = futex_area_at(process, address),
			  *file = area ? futex_file_of(process, area) : NULL;
	SptFutexPlace place = { 0 };

	if (file && space) {
		place.offset = address - file->start + file->offset;
		place.object = futex_object_of(process, file, space, place.offset);
	}
	if (!place.object)
		return (SptFutexPlace){ .name = futex_name_of(names, area, address) };
	return place;
}
