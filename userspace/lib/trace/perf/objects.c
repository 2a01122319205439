/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There are two tables, because /proc has no generations. */
#include "trace/perf/objects.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/perf/maps.h"

#define NUMBER_BYTES 17			/* the most that put_number() puts */
#define WINDOW_SHIFT 39
#define WINDOWS_SHIFT 18		/* more than an address space has */

struct SptPerfObjects {
	SptPerfFiles *files;
	GHashTable *exact;		/* key with generation -> id */
	GHashTable *latest;		/* key without -> id */
	/* Set of mark_of(): cheaper than a key, and sufficient to exclude objects */
	GHashTable *known;
	GHashTable *regions;		/* address space and window -> id */
	GHashTable *windows;		/* id -> window + 1 */
	bool is_closed;
	uint32_t next_id, reported_id;
	SptObject *reported; /* the file of the latest OBJECT record, reported_id */
};

SptPerfObjects *spt_perf_objects_new(void)
{
	SptPerfObjects *objects = g_new0(SptPerfObjects, 1);

	objects->files = spt_perf_files_new();
	objects->exact = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	objects->latest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	objects->known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	objects->regions = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	objects->windows = g_hash_table_new(NULL, NULL);
	objects->next_id = SYSPROF_OBJECT_FIRST;
	return objects;
}

void spt_perf_objects_free(SptPerfObjects *objects)
{
	if (!objects)
		return;
	spt_object_free(objects->reported);
	spt_perf_files_free(objects->files);
	g_hash_table_unref(objects->regions);
	g_hash_table_unref(objects->windows);
	g_hash_table_unref(objects->known);
	g_hash_table_unref(objects->exact);
	g_hash_table_unref(objects->latest);
	g_free(objects);
}

void spt_perf_objects_close(SptPerfObjects *objects)
{
	objects->is_closed = true;
}

SptPerfFiles *spt_perf_objects_files(SptPerfObjects *objects)
{
	return objects->files;
}

int spt_perf_objects_fd(const SptPerfObjects *objects, uint32_t id)
{
	if (!objects->reported || id != objects->reported_id) {
		errno = ENOENT;
		return -1;
	}
	return fcntl(spt_object_fd(objects->reported), F_DUPFD_CLOEXEC, 0);
}

/* Shared memory has a path, too, and an inode that nobody can open. */
static uint64_t mark_of(const struct spt_perf_file *file)
{
	return file->inode ^ (uint64_t)file->dev_minor << 40 ^ (uint64_t)file->dev_major << 52 ^
	       file->generation << 24;
}

void spt_perf_objects_look(SptPerfObjects *objects, const struct spt_perf_file *file)
{
	uint64_t mark = mark_of(file);

	if (spt_perf_path_is_file(file->path) && !g_hash_table_contains(objects->known, &mark))
		spt_perf_files_look(objects->files, file);
}

static struct sysprof_object *make_record(const struct spt_perf_file *file, const SptObject *object,
					  uint32_t id, uint64_t generation)
{
	size_t path_bytes = MIN(strlen(file->path), UINT16_MAX / 2);
	size_t bytes = (sizeof(struct sysprof_object) + path_bytes + 1 + 7) / 8 * 8;
	struct sysprof_object *record = g_malloc0(bytes);
	struct stat stat;

	record->record.type = SYSPROF_OBJECT;
	record->record.size = bytes / 8;
	record->object = id;
	record->inode = file->inode;
	record->dev_major = file->dev_major;
	record->dev_minor = file->dev_minor;
	record->generation = generation;
	record->path_bytes = path_bytes;
	memcpy(record->path, file->path, path_bytes);
	record->build_id_bytes = MIN(file->build_id_bytes, SYSPROF_BUILD_ID_BYTES);
	if (file->build_id_bytes)
		memcpy(record->build_id, file->build_id, record->build_id_bytes);
	if (object && fstat(spt_object_fd(object), &stat) == 0) {
		unsigned build_id_bytes;
		const uint8_t *build_id = spt_object_build_id(object, &build_id_bytes);

		record->bytes = stat.st_size;
		record->mtime_ns =
			(uint64_t)stat.st_mtim.tv_sec * 1000000000 + (uint64_t)stat.st_mtim.tv_nsec;
		record->build_id_bytes = MIN(build_id_bytes, SYSPROF_BUILD_ID_BYTES);
		if (build_id)
			memcpy(record->build_id, build_id, record->build_id_bytes);
	}
	return record;
}

/* 0 if there are no more.  An id has 24 bits in a frame: no machine has that many files. */
static uint32_t new_id(SptPerfObjects *objects)
{
	/* As the module does: the recorder gives the others to what it knows alone. */
	objects->next_id += SYSPROF_OBJECT_IS_READERS(objects->next_id);
	return objects->next_id >> (64 - SYSPROF_FRAME_OBJECT_SHIFT) ? SYSPROF_OBJECT_UNKNOWN :
								       objects->next_id++;
}

uint32_t spt_perf_objects_region(SptPerfObjects *objects, uint64_t mm, uint64_t address,
				 uint64_t *ret_offset, bool *ret_is_new)
{
	uint64_t window = address >> WINDOW_SHIFT, key = mm << WINDOWS_SHIFT | window;
	uint32_t id = GPOINTER_TO_UINT(g_hash_table_lookup(objects->regions, &key));

	*ret_is_new = false;
	*ret_offset = address;
	if (window >> WINDOWS_SHIFT)
		return SYSPROF_OBJECT_ANON;
	if (!id) {
		id = new_id(objects);
		if (!id)
			return SYSPROF_OBJECT_ANON;
		*ret_is_new = true;
		g_hash_table_insert(objects->regions, g_memdup2(&key, sizeof(key)),
				    GUINT_TO_POINTER(id));
		g_hash_table_insert(objects->windows, GUINT_TO_POINTER(id),
				    GUINT_TO_POINTER(window + 1));
	}
	*ret_offset = address & ((1ULL << WINDOW_SHIFT) - 1);
	return id;
}

bool spt_perf_objects_region_start(const SptPerfObjects *objects, uint32_t id, uint64_t *ret)
{
	uint64_t window =
		GPOINTER_TO_UINT(g_hash_table_lookup(objects->windows, GUINT_TO_POINTER(id)));

	*ret = (window - 1) << WINDOW_SHIFT;
	return window;
}

static uint32_t lookup(GHashTable *table, const char *key)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(table, key));
}

static const char digits[] = "0123456789abcdef";

/* As digits, the lowest first, and a colon. */
static char *put_number(char *to, uint64_t number)
{
	do
		*to++ = digits[number & 15];
	while (number >>= 4);
	*to++ = ':';
	return to;
}

/* A file has thousands of mappings: printf took a twelfth of an import. */
static char *key_of_number(uint64_t number, const char *rest)
{
	size_t bytes = strlen(rest) + 1;
	char *key = g_malloc(NUMBER_BYTES + bytes);

	memcpy(put_number(key, number), rest, bytes);
	return key;
}

static char *key_of(const struct spt_perf_file *file)
{
	size_t bytes = strlen(file->path) + 1;
	char *key = g_malloc(3 * NUMBER_BYTES + bytes), *to = key;

	to = put_number(to, file->dev_major);
	to = put_number(to, file->dev_minor);
	to = put_number(to, file->inode);
	memcpy(to, file->path, bytes);
	return key;
}

/* Likewise: formatting each byte was a fifth of an import. */
static char *key_with_build_id(const struct spt_perf_file *file)
{
	GString *key = g_string_sized_new(2 * file->build_id_bytes + strlen(file->path) + 2);

	for (unsigned i = 0; i < file->build_id_bytes; i++) {
		g_string_append_c(key, digits[file->build_id[i] >> 4]);
		g_string_append_c(key, digits[file->build_id[i] & 15]);
	}
	g_string_append_c(key, ':');
	g_string_append(key, file->path);
	return g_string_free(key, FALSE);
}

/* NULL: it is not there, or is not to be opened. */
static SptObject *open_file(SptPerfObjects *objects, const struct spt_perf_file *file)
{
	return objects->is_closed ? NULL : spt_perf_files_open(objects->files, file);
}

uint32_t spt_perf_objects_get(SptPerfObjects *objects, const struct spt_perf_file *file,
			      struct sysprof_object **ret_record)
{
	g_autofree char *exact = NULL, *any = NULL;
	g_autoptr(SptObject) object = NULL;
	uint64_t generation = file->generation, mark = mark_of(file);
	uint32_t id;

	*ret_record = NULL;
	if (g_str_has_prefix(file->path, "[vdso]"))
		return SYSPROF_OBJECT_VDSO;
	if (!spt_perf_path_is_file(file->path))
		return SYSPROF_OBJECT_ANON;
	any = file->build_id_bytes ? key_with_build_id(file) : key_of(file);
	/* What has a build-id has no other generation. */
	if (!file->has_generation || file->build_id_bytes) {
		id = lookup(objects->latest, any);
		if (id)
			return id;
	}
	if (!file->has_generation) {
		object = open_file(objects, file);
		if (!object || !spt_perf_files_generation(object, &generation))
			generation = 0;
	}
	exact = key_of_number(generation, any);
	id = lookup(objects->exact, exact);
	if (!id) {
		if (file->has_generation)
			object = open_file(objects, file);
		id = new_id(objects);
		if (!id)
			return SYSPROF_OBJECT_UNKNOWN;
		g_hash_table_insert(objects->exact, g_steal_pointer(&exact), GUINT_TO_POINTER(id));
		*ret_record = make_record(file, object, id, generation);
		spt_object_free(objects->reported);
		objects->reported = g_steal_pointer(&object);
		objects->reported_id = id;
		g_hash_table_add(objects->known, g_memdup2(&mark, sizeof(mark)));
	}
	g_hash_table_insert(objects->latest, g_steal_pointer(&any), GUINT_TO_POINTER(id));
	return id;
}
