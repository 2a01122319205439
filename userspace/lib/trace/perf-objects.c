/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path may lead to another file by the time it is opened: what is opened is only believed if it has the recorded inode
 * and generation.
 */
#include "trace/perf-objects.h"

#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "object/object.h"

struct SptPerfObjects {
	GHashTable *exact;		/* key with generation -> id */
	GHashTable *latest;		/* key without -> id */
	uint32_t next_id;
};

SptPerfObjects *spt_perf_objects_new(void)
{
	SptPerfObjects *objects = g_new0(SptPerfObjects, 1);

	objects->exact = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	objects->latest = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	objects->next_id = SYSPROF_OBJECT_FIRST;
	return objects;
}

void spt_perf_objects_free(SptPerfObjects *objects)
{
	if (!objects)
		return;
	g_hash_table_unref(objects->exact);
	g_hash_table_unref(objects->latest);
	g_free(objects);
}

/* False: the file system has no generations. */
static bool get_generation(const SptObject *object, uint64_t *ret)
{
	unsigned generation = 0;

	if (ioctl(spt_object_fd(object), FS_IOC_GETVERSION, &generation) < 0)
		return false;
	*ret = generation;
	return true;
}

static bool is_mapped_file(const SptObject *object, const struct spt_perf_file *file)
{
	uint64_t generation;
	struct stat stat;

	if (fstat(spt_object_fd(object), &stat) < 0 || stat.st_ino != file->inode)
		return false;
	/* Overlays and subvolumes tell a device number of their own, without a major one. */
	if ((major(stat.st_dev) != file->dev_major || minor(stat.st_dev) != file->dev_minor) && major(stat.st_dev))
		return false;
	return !file->has_generation || !get_generation(object, &generation) || generation == (uint32_t)file->generation;
}

static SptObject *open_if_mapped(const char *path, const struct spt_perf_file *file)
{
	g_autoptr(SptObject) object = spt_object_open(path, NULL);

	return object && is_mapped_file(object, file) ? g_steal_pointer(&object) : NULL;
}

static SptObject *open_mapped(const struct spt_perf_file *file)
{
	g_autofree char *in_root = g_strdup_printf("/proc/%u/root%s", file->pid, file->path);
	g_autofree char *exe = g_strdup_printf("/proc/%u/exe", file->pid);
	g_autofree char *map = g_strdup_printf("/proc/%u/map_files/%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x",
					       file->pid, file->start, file->end);
	const char *const paths[] = { file->path, in_root, map, exe };

	for (unsigned i = 0; i < G_N_ELEMENTS(paths); i++) {
		SptObject *object = open_if_mapped(paths[i], file);

		if (object)
			return object;
	}
	return NULL;
}

static struct sysprof_object *make_record(const struct spt_perf_file *file, const SptObject *object, uint32_t id,
					  uint64_t generation)
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
	if (object && fstat(spt_object_fd(object), &stat) == 0) {
		unsigned build_id_bytes;
		const uint8_t *build_id = spt_object_build_id(object, &build_id_bytes);

		record->bytes = stat.st_size;
		record->mtime_ns = (uint64_t)stat.st_mtim.tv_sec * 1000000000 + (uint64_t)stat.st_mtim.tv_nsec;
		record->build_id_bytes = MIN(build_id_bytes, SYSPROF_BUILD_ID_BYTES);
		if (build_id)
			memcpy(record->build_id, build_id, record->build_id_bytes);
	}
	return record;
}

static uint32_t lookup(GHashTable *table, const char *key)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(table, key));
}

uint32_t spt_perf_objects_get(SptPerfObjects *objects, const struct spt_perf_file *file,
			      struct sysprof_object **ret_record)
{
	g_autofree char *exact = NULL, *any = NULL;
	g_autoptr(SptObject) object = NULL;
	uint64_t generation = file->generation;
	uint32_t id;

	*ret_record = NULL;
	if (g_str_has_prefix(file->path, "[vdso]"))
		return SYSPROF_OBJECT_VDSO;
	if (file->path[0] != '/' || g_str_has_prefix(file->path, "//anon"))
		return SYSPROF_OBJECT_ANON;
	any = g_strdup_printf("%x:%x:%" G_GINT64_MODIFIER "x:%s", file->dev_major, file->dev_minor, file->inode, file->path);
	if (!file->has_generation) {
		id = lookup(objects->latest, any);
		if (id)
			return id;
		object = open_mapped(file);
		if (!object || !get_generation(object, &generation))
			generation = 0;
	}
	exact = g_strdup_printf("%" G_GINT64_MODIFIER "x:%s", generation, any);
	id = lookup(objects->exact, exact);
	if (!id) {
		if (file->has_generation)
			object = open_mapped(file);
		/* An id has 24 bits in a frame.  So many files are no machine's. */
		if (objects->next_id >> (64 - SYSPROF_FRAME_OBJECT_SHIFT))
			return SYSPROF_OBJECT_UNKNOWN;
		id = objects->next_id++;
		g_hash_table_insert(objects->exact, g_steal_pointer(&exact), GUINT_TO_POINTER(id));
		*ret_record = make_record(file, object, id, generation);
	}
	g_hash_table_insert(objects->latest, g_steal_pointer(&any), GUINT_TO_POINTER(id));
	return id;
}
