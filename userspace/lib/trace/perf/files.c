/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A path may lead to another file by the time it is opened: the opened file only counts if it has
 * the recorded inode and generation.
 */
#include "trace/perf/files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define KEEP_NS                                                                                    \
	2000000000ULL /* longer than records are held back, and a busy machine delays them */
#define KEEP_MAX 512

struct kept {
	uint64_t inode, time;
	int fd;
};

struct SptPerfFiles {
	int executed;			/* fanotify; -1: there is none */
	/* Set of device numbers, of file systems that it reports */
	GHashTable *watched;
	/* Inode -> struct kept; of two file systems' the later one */
	GHashTable *by_inode;
	GQueue kept;			/* the same, the oldest first */
	uint64_t now;
};

SptPerfFiles *spt_perf_files_new(void)
{
	SptPerfFiles *files = g_new0(SptPerfFiles, 1);

	files->executed = -1;
	files->watched = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	files->by_inode = g_hash_table_new(g_int64_hash, g_int64_equal);
	g_queue_init(&files->kept);
	return files;
}

static void drop_oldest(SptPerfFiles *files)
{
	struct kept *kept = g_queue_pop_head(&files->kept);

	if (g_hash_table_lookup(files->by_inode, &kept->inode) == kept)
		g_hash_table_remove(files->by_inode, &kept->inode);
	close(kept->fd);
	g_free(kept);
}

void spt_perf_files_free(SptPerfFiles *files)
{
	if (!files)
		return;
	while (files->kept.head)
		drop_oldest(files);
	if (files->executed >= 0)
		close(files->executed);
	g_hash_table_unref(files->by_inode);
	g_hash_table_unref(files->watched);
	g_free(files);
}

/* Takes @fd. */
static void files_keep(SptPerfFiles *files, int fd, uint64_t inode)
{
	struct kept *kept = g_new0(struct kept, 1);

	*kept = (struct kept){ .inode = inode, .time = files->now, .fd = fd };
	g_queue_push_tail(&files->kept, kept);
	g_hash_table_replace(files->by_inode, &kept->inode, kept);
	if (files->kept.length > KEEP_MAX)
		drop_oldest(files);
}

/* Watching. */

static bool is_new_device(SptPerfFiles *files, uint64_t device)
{
	return g_hash_table_add(files->watched, g_memdup2(&device, sizeof(device)));
}

static bool is_local(const char *type)
{
	static const char *const types[] = { "tmpfs", "overlay",  "btrfs",  "zfs",
					     "9p",    "virtiofs", "rootfs", "ramfs" };

	for (unsigned i = 0; i < G_N_ELEMENTS(types); i++)
		if (!strcmp(type, types[i]))
			return true;
	return false;
}

/*
 * "36 35 98:0 /root /mount/point options ... - type source options".  A server that does not answer
 * must not block us.
 */
static void watch_mount(SptPerfFiles *files, const char *line)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	unsigned dev_major, dev_minor, n = g_strv_length(words), type = 6;
	g_autofree char *path = n > 6 ? g_strcompress(words[4]) : NULL;

	while (type < n && strcmp(words[type], "-"))
		type++;
	if (type + 1 >= n || sscanf(words[2], "%u:%u", &dev_major, &dev_minor) != 2 ||
	    (!dev_major && !is_local(words[type + 1])))
		return;
	if (is_new_device(files, makedev(dev_major, dev_minor)))
		fanotify_mark(files->executed, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN_EXEC,
			      AT_FDCWD, path);
}

/*
 * A file system that was mounted later, or only for others, is found when a file of it is mapped.
 */
static void watch_file_system(SptPerfFiles *files, int fd)
{
	struct stat stat;

	if (files->executed >= 0 && fstat(fd, &stat) == 0 && is_new_device(files, stat.st_dev))
		fanotify_mark(files->executed, FAN_MARK_ADD | FAN_MARK_FILESYSTEM, FAN_OPEN_EXEC,
			      fd, NULL);
}

void spt_perf_files_watch(SptPerfFiles *files)
{
	g_autofree char *text = NULL;
	char *line, *rest = NULL;

	files->executed = fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC | FAN_NONBLOCK,
					O_RDONLY | O_CLOEXEC | O_LARGEFILE);
	if (files->executed < 0 || !g_file_get_contents("/proc/self/mountinfo", &text, NULL, NULL))
		return;
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		watch_mount(files, line);
}

static void take_executed(SptPerfFiles *files, int fd)
{
	struct stat stat;
	const struct kept *kept;

	if (fstat(fd, &stat) < 0) {
		close(fd);
		return;
	}
	kept = g_hash_table_lookup(files->by_inode, &(uint64_t){ stat.st_ino });
	/* The same files again, as for shells: checking them once in a while is enough. */
	if (kept && files->now - kept->time < KEEP_NS / 2) {
		struct stat before;

		if (fstat(kept->fd, &before) == 0 && before.st_dev == stat.st_dev) {
			close(fd);
			return;
		}
	}
	files_keep(files, fd, stat.st_ino);
}

void spt_perf_files_read(SptPerfFiles *files, uint64_t now)
{
	struct fanotify_event_metadata events[64], *event;
	ssize_t bytes;

	files->now = now;
	while (files->executed >= 0 && (bytes = read(files->executed, events, sizeof(events))) > 0)
		for (event = events; FAN_EVENT_OK(event, bytes);
		     event = FAN_EVENT_NEXT(event, bytes))
			if (event->fd >= 0)
				take_executed(files, event->fd);
	while (files->kept.head && now - ((struct kept *)files->kept.head->data)->time > KEEP_NS)
		drop_oldest(files);
}

/* Opening. */

bool spt_perf_files_generation(const SptObject *object, uint64_t *ret)
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
	/* Overlays and subvolumes report a device number of their own, without a major one. */
	if ((major(stat.st_dev) != file->dev_major || minor(stat.st_dev) != file->dev_minor) &&
	    major(stat.st_dev))
		return false;
	return !file->has_generation || !spt_perf_files_generation(object, &generation) ||
	       generation == (uint32_t)file->generation;
}

static SptObject *open_if_mapped(const char *path, const struct spt_perf_file *file)
{
	g_autoptr(SptObject) object = spt_object_open(path, NULL);

	return object && is_mapped_file(object, file) ? g_steal_pointer(&object) : NULL;
}

static SptObject *open_kept(SptPerfFiles *files, const struct spt_perf_file *file)
{
	const struct kept *kept = g_hash_table_lookup(files->by_inode, &file->inode);
	int fd = kept ? fcntl(kept->fd, F_DUPFD_CLOEXEC, 0) : -1;
	g_autoptr(SptObject) object = fd < 0 ? NULL : spt_object_open_fd(fd, file->path, NULL);

	return object && is_mapped_file(object, file) ? g_steal_pointer(&object) : NULL;
}

SptObject *spt_perf_files_open(SptPerfFiles *files, const struct spt_perf_file *file)
{
	g_autofree char *in_root = g_strdup_printf("/proc/%u/root%s", file->pid, file->path);
	g_autofree char *exe = g_strdup_printf("/proc/%u/exe", file->pid);
	g_autofree char *map = g_strdup_printf("/proc/%u/map_files/%" G_GINT64_MODIFIER
					       "x-%" G_GINT64_MODIFIER "x",
					       file->pid, file->start, file->end);
	const char *const paths[] = { file->path, in_root, map, exe };
	SptObject *object = open_kept(files, file);

	for (unsigned i = 0; !object && i < G_N_ELEMENTS(paths); i++)
		object = open_if_mapped(paths[i], file);
	if (object)
		watch_file_system(files, spt_object_fd(object));
	return object;
}

void spt_perf_files_look(SptPerfFiles *files, const struct spt_perf_file *file)
{
	g_autoptr(SptObject) object = NULL;
	int fd;

	if (g_hash_table_contains(files->by_inode, &file->inode))
		return;
	object = spt_perf_files_open(files, file);
	fd = object ? fcntl(spt_object_fd(object), F_DUPFD_CLOEXEC, 0) : -1;
	if (fd >= 0)
		files_keep(files, fd, file->inode);
}
