/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what "perf record --call-graph dwarf" wrote: the mappings of processes over time, and raw
 * stacks, in order of time.
 */
#ifndef SPT_PERF_DATA_H
#define SPT_PERF_DATA_H

#include <elf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "sysprof.h"
#include "unwind/stepper.h"

struct perf_map {
	uint64_t start, end, offset;
	const char *path;
};

/* The mappings of a process for a while. */
struct perf_space {
	uint64_t number;		/* changes with them */
	GArray *maps;			/* struct perf_map, sorted, those that can be executed */
};

struct perf_data {
	GMappedFile *file;
	uint64_t sample_type, n_regs;
	GArray *records;		/* struct perf_at */
	GHashTable *spaces;		/* pid -> struct perf_space */
	uint64_t next_space;
};

struct perf_at {
	uint64_t time;
	const struct perf_event_header *header;
};

static inline void perf_die(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s\n", path, why);
	exit(2);
}

static inline unsigned perf_words(uint64_t sample_type, uint64_t of)
{
	return __builtin_popcountll(sample_type & of);
}

static inline uint64_t perf_time_of(const struct perf_data *data,
				    const struct perf_event_header *header)
{
	const uint64_t *words = (const void *)(header + 1);
	const uint64_t *end = (const void *)((const char *)header + header->size);
	uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	uint64_t after =
		PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;

	if (header->type == PERF_RECORD_SAMPLE)
		return words[perf_words(data->sample_type, before)];
	return end[-1 - (int)perf_words(data->sample_type, after)];
}

static inline int perf_compare(const void *a, const void *b)
{
	const struct perf_at *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->header < y->header ? -1 : x->header > y->header;
}

static inline void perf_free_space(void *pointer)
{
	struct perf_space *space = pointer;

	g_array_unref(space->maps);
	g_free(space);
}

static inline void perf_data_open(struct perf_data *data, const char *path)
{
	const struct {
		uint64_t magic, size, attr_size, attrs, attrs_bytes, data, data_bytes;
	} * head;
	const struct perf_event_attr *attr;
	const char *bytes;

	*data = (struct perf_data){ .file = g_mapped_file_new(path, FALSE, NULL) };
	if (!data->file || g_mapped_file_get_length(data->file) < sizeof(*head))
		perf_die(path, "cannot be read");
	bytes = g_mapped_file_get_contents(data->file);
	head = (const void *)bytes;
	if (memcmp(bytes, "PERFILE2", 8) != 0 ||
	    head->data + head->data_bytes > g_mapped_file_get_length(data->file))
		perf_die(path, "is no whole perf.data");
	attr = (const void *)(bytes + head->attrs);
	data->sample_type = attr->sample_type;
	data->n_regs = __builtin_popcountll(attr->sample_regs_user);
	if (!(data->sample_type & PERF_SAMPLE_STACK_USER) || attr->sample_regs_user != 0xff0fff)
		perf_die(path, "has no stacks and registers of x86-64");
	data->records = g_array_new(FALSE, FALSE, sizeof(struct perf_at));
	for (uint64_t at = 0; at < head->data_bytes;) {
		struct perf_at record = { 0, (const void *)(bytes + head->data + at) };

		if (record.header->size < sizeof(struct perf_event_header))
			perf_die(path, "is damaged");
		at += record.header->size;
		if (record.header->type >= PERF_RECORD_MAX)
			continue;
		record.time = perf_time_of(data, record.header);
		g_array_append_val(data->records, record);
	}
	g_array_sort(data->records, perf_compare);
	data->spaces = g_hash_table_new_full(NULL, NULL, NULL, perf_free_space);
}

static inline void perf_data_close(struct perf_data *data)
{
	g_hash_table_unref(data->spaces);
	g_array_unref(data->records);
	g_mapped_file_unref(data->file);
}

static inline struct perf_space *perf_space_of(struct perf_data *data, uint32_t pid)
{
	struct perf_space *space = g_hash_table_lookup(data->spaces, GUINT_TO_POINTER(pid));

	if (!space) {
		space = g_new0(struct perf_space, 1);
		space->maps = g_array_new(FALSE, FALSE, sizeof(struct perf_map));
		space->number = ++data->next_space;
		g_hash_table_insert(data->spaces, GUINT_TO_POINTER(pid), space);
	}
	return space;
}

static inline int perf_compare_maps(const void *a, const void *b)
{
	const struct perf_map *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static inline void perf_put_map(GArray *maps, const struct perf_map *map)
{
	for (unsigned i = 0; i < maps->len; i++) {
		struct perf_map old = g_array_index(maps, struct perf_map, i), rest = old;

		if (old.end <= map->start || old.start >= map->end)
			continue;
		g_array_remove_index(maps, i--);
		if (old.start < map->start) {
			old.end = map->start;
			g_array_append_val(maps, old);
		}
		if (rest.end > map->end) {
			rest.offset += map->end - rest.start;
			rest.start = map->end;
			g_array_append_val(maps, rest);
		}
	}
	g_array_append_vals(maps, map, 1);
	g_array_sort(maps, perf_compare_maps);
}

static inline const struct perf_map *perf_find_map(const struct perf_space *space, uint64_t address)
{
	unsigned low = 0, high = space->maps->len;

	while (low < high) {
		unsigned middle = (low + high) / 2;
		const struct perf_map *map = &g_array_index(space->maps, struct perf_map, middle);

		if (address < map->start)
			high = middle;
		else if (address >= map->end)
			low = middle + 1;
		else
			return map;
	}
	return NULL;
}

/* A record that is no sample: what it changes. */
static inline void perf_data_take(struct perf_data *data, const struct perf_event_header *header)
{
	const struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, bytes, offset;
		uint64_t id[3];
		uint32_t protection, flags;
		char path[];
	} *map = (const void *)header;
	const struct {
		struct perf_event_header header;
		uint32_t pid, parent;
	} *task = (const void *)header;
	struct perf_space *space;

	if (header->type == PERF_RECORD_MMAP2 &&
	    (header->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER &&
	    map->protection & PROT_EXEC) {
		space = perf_space_of(data, map->pid);
		space->number = ++data->next_space;
		perf_put_map(space->maps, &(struct perf_map){ map->start, map->start + map->bytes,
							      map->offset, map->path });
	} else if (header->type == PERF_RECORD_COMM && header->misc & PERF_RECORD_MISC_COMM_EXEC) {
		space = perf_space_of(data, task->pid);
		space->number = ++data->next_space;
		g_array_set_size(space->maps, 0);
	} else if (header->type == PERF_RECORD_FORK && task->pid != task->parent) {
		const struct perf_space *parent = perf_space_of(data, task->parent);

		space = perf_space_of(data, task->pid);
		space->number = ++data->next_space;
		g_array_set_size(space->maps, 0);
		g_array_append_vals(space->maps, parent->maps->data, parent->maps->len);
	}
}

/* A sample as the device has it; NULL: of the kernel alone.  To be freed. */
static inline struct sysprof_raw *perf_data_raw(const struct perf_data *data,
						const struct perf_event_header *header,
						uint32_t *ret_pid)
{
	const uint64_t *words = (const void *)(header + 1);
	uint64_t type = data->sample_type, stack_bytes, copied;
	struct sysprof_raw *raw;
	const uint64_t *regs;

	words += perf_words(type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP);
	*ret_pid = words[0];
	words += perf_words(type, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
					  PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
					  PERF_SAMPLE_PERIOD);
	if (type & PERF_SAMPLE_CALLCHAIN)
		words += 1 + words[0];
	if (words[0] != PERF_SAMPLE_REGS_ABI_64)
		return NULL;
	regs = words + 1;
	words = regs + data->n_regs;
	stack_bytes = words[0];
	copied = stack_bytes ? words[1 + stack_bytes / 8] : 0;
	raw = g_malloc0(sizeof(*raw) + (24 + copied / 8 + 1) * 8);
	raw->arch = EM_X86_64;
	raw->n_regs = 24;
	raw->stack_bytes = copied;
	raw->wanted_bytes = stack_bytes;
	/* Without the four segment registers that perf does not report. */
	memcpy(raw->regs, regs, 12 * 8);
	memcpy(raw->regs + 16, regs + 12, 8 * 8);
	memcpy(raw->regs + 24, words + 1, copied);
	return raw;
}

#endif
