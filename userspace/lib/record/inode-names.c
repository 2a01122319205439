/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading /proc/PID/fd costs a few system calls per file, so it is not done too often. */
#include "record/inode-names.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MOST_FILES   16384u
#define MOST_OPEN    1024	/* files that are checked in one process */
#define MOST_LOOKS   8		/* for one file, in different processes */

struct file {
	uint64_t inode;
	uint32_t dev_major, dev_minor;
	uint32_t last_pid, n_looks;
	char *path;			/* NULL: not found yet */
};

struct SptInodeNames {
	GHashTable *files;		/* set of struct file */
};

static guint hash(gconstpointer key)
{
	const struct file *file = key;

	return (guint)(file->inode * 0x9e3779b97f4a7c15ULL >> 32) ^ file->dev_minor;
}

static gboolean equal(gconstpointer a, gconstpointer b)
{
	const struct file *x = a, *y = b;

	return x->inode == y->inode && x->dev_major == y->dev_major && x->dev_minor == y->dev_minor;
}

static void inode_names_free_file(gpointer data)
{
	struct file *file = data;

	g_free(file->path);
	g_free(file);
}

SptInodeNames *spt_inode_names_new(void)
{
	SptInodeNames *names = g_new0(SptInodeNames, 1);

	names->files = g_hash_table_new_full(hash, equal, inode_names_free_file, NULL);
	return names;
}

void spt_inode_names_free(SptInodeNames *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->files);
	g_free(names);
}

static bool inode_names_is_it(const struct file *file, const struct stat *there)
{
	return there->st_ino == file->inode && major(there->st_dev) == file->dev_major &&
	       minor(there->st_dev) == file->dev_minor;
}

static char *find_open(const struct file *file, uint32_t pid)
{
	g_autofree char *directory = g_strdup_printf("/proc/%u/fd", pid);
	DIR *entries = opendir(directory);
	struct dirent *entry;
	char *path = NULL;

	for (int n = 0; entries && !path && n < MOST_OPEN && (entry = readdir(entries)); n++) {
		char target[PATH_MAX];
		struct stat there;
		ssize_t bytes;

		if (entry->d_name[0] == '.' ||
		    fstatat(dirfd(entries), entry->d_name, &there, 0) < 0 ||
		    !inode_names_is_it(file, &there))
			continue;
		bytes = readlinkat(dirfd(entries), entry->d_name, target, sizeof(target));
		if (bytes > 0)
			path = g_utf8_make_valid(target, bytes);
	}
	if (entries)
		closedir(entries);
	return path;
}

/* A line of /proc/PID/maps: "START-END rwxp OFFSET MAJOR:MINOR INODE   PATH". */
static char *inode_names_find_mapped(const struct file *file, uint32_t pid)
{
	g_autofree char *maps = g_strdup_printf("/proc/%u/maps", pid);
	g_autofree char *text = NULL;
	g_autofree char *wanted = g_strdup_printf(" %02x:%02x %" G_GUINT64_FORMAT " ",
						  file->dev_major, file->dev_minor,
						  (guint64)file->inode);
	const char *at, *path;

	if (!g_file_get_contents(maps, &text, NULL, NULL))
		return NULL;
	at = strstr(text, wanted);
	path = at ? strchr(at, '/') : NULL;
	if (!path || path > at + strcspn(at, "\n"))
		return NULL;
	return g_utf8_make_valid(path, (gssize)strcspn(path, "\n"));
}

const char *spt_inode_names_find(SptInodeNames *names, uint32_t pid, uint32_t dev_major,
				uint32_t dev_minor, uint64_t inode)
{
	const struct file key = { .inode = inode, .dev_major = dev_major, .dev_minor = dev_minor };
	struct file *file = g_hash_table_lookup(names->files, &key);

	if (!file && g_hash_table_size(names->files) < MOST_FILES) {
		file = g_memdup2(&key, sizeof(key));
		g_hash_table_add(names->files, file);
	}
	if (!file || file->path || file->n_looks >= MOST_LOOKS || file->last_pid == pid)
		return file ? file->path : NULL;
	file->n_looks++;
	file->last_pid = pid;
	file->path = find_open(file, pid);
	if (!file->path)
		file->path = inode_names_find_mapped(file, pid);
	return file->path;
}
