/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file is a header and a table.  It is written under a name of its own and renamed, so that
 * several recorders may share the directory.  It is mapped: of a large program's table stacks need
 * few pages, and recorders share them.  Nobody but the owner of the directory could change it after
 * the checks, who is root or this user himself, and it is never written in place.
 */
#include "record/table-cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/crc32c.h"

/* Another one whenever other tables are made of the same files. */
#define MAGIC "SPTUNWN3"
#define SUFFIX ".unwind"
#define KEY_MAGIC "SPTKEYS1"
/* More than a file system's times are apart. */
#define SETTLED_S 2
#define FILE_MAX_BYTES (64u << 20)
#define OF_SYSTEM_MAX_BYTES (1ull << 30)
#define OF_USER_MAX_BYTES (256u << 20)

struct header {
	char magic[8];
	uint32_t crc;			/* of the table */
	uint8_t key_bytes;
	char kind;
	uint8_t reserved[2];
	uint8_t key[SPT_BUILD_ID_MAX];
};

/* The name has what does not change while a file does. */
struct key_file {
	char magic[8];
	uint64_t bytes;
	int64_t changed_s, changed_ns;	/* content, owner or mode */
	uint8_t key[SPT_BUILD_ID_MAX];
};

struct SptTableCache {
	int dir;
	uint64_t max_bytes;
	bool is_for_all;
};

struct mapping {
	void *data;
	size_t bytes;
};

/* A file in the directory. */
struct entry {
	char *name;
	uint64_t bytes;
	struct timespec used;
};

static SptTableCache *table_cache_open_cache(const char *path, uint64_t max_bytes, uid_t owner)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	SptTableCache *cache;
	struct stat stat;

	if (dir < 0)
		return NULL;
	if (fstat(dir, &stat) < 0 || stat.st_uid != owner || stat.st_mode & (S_IWGRP | S_IWOTH)) {
		close(dir);
		return NULL;
	}
	cache = g_new0(SptTableCache, 1);
	cache->dir = dir;
	cache->max_bytes = max_bytes;
	return cache;
}

SptTableCache *spt_table_cache_new(const char *path, uint64_t max_bytes)
{
	return g_mkdir_with_parents(path, 0700) < 0 ?
		       NULL :
		       table_cache_open_cache(path, max_bytes, geteuid());
}

SptTableCache *spt_table_cache_of_user(void)
{
	g_autofree char *path = g_build_filename(g_get_user_cache_dir(), "sysprof", "unwind", NULL);

	return spt_table_cache_new(path, OF_USER_MAX_BYTES);
}

SptTableCache *spt_table_cache_of_system(const char *path)
{
	SptTableCache *cache = table_cache_open_cache(path, OF_SYSTEM_MAX_BYTES, 0);

	if (cache)
		cache->is_for_all = true;
	return cache;
}

void spt_table_cache_free(SptTableCache *cache)
{
	if (!cache)
		return;
	close(cache->dir);
	g_free(cache);
}

static struct header header_of(const uint8_t *key, unsigned n, char kind)
{
	struct header header = { .magic = MAGIC, .key_bytes = n, .kind = kind };

	memcpy(header.key, key, n);
	return header;
}

static char *table_cache_name_of(const uint8_t *key, unsigned n, char kind)
{
	GString *name = g_string_new(NULL);

	for (unsigned i = 0; i < n; i++)
		g_string_append_printf(name, "%02x", key[i]);
	g_string_append_printf(name, "-%c" SUFFIX, kind);
	return g_string_free(name, FALSE);
}

static FILE *open_in(const SptTableCache *cache, const char *name, int flags, const char *mode)
{
	int fd = openat(cache->dir, name, flags | O_NOFOLLOW | O_CLOEXEC,
			cache->is_for_all ? 0644 : 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, mode);

	if (!file && fd >= 0)
		close(fd);
	return file;
}

static void unmap(void *data)
{
	const struct mapping *mapping = data;

	munmap(mapping->data, mapping->bytes);
	g_free(data);
}

/* NULL: it is no file of a table, or cannot be read. */
static GBytes *table_cache_map(FILE *file)
{
	struct mapping *mapping;
	struct stat stat;
	void *data;

	if (fstat(fileno(file), &stat) < 0 || !S_ISREG(stat.st_mode) ||
	    stat.st_size <= (off_t)sizeof(struct header) ||
	    stat.st_size > (off_t)(sizeof(struct header) + FILE_MAX_BYTES))
		return NULL;
	data = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	if (data == MAP_FAILED)
		return NULL;
	mapping = g_new(struct mapping, 1);
	*mapping = (struct mapping){ data, (size_t)stat.st_size };
	return g_bytes_new_with_free_func(data, mapping->bytes, unmap, mapping);
}

static SptUnwindTable *table_cache_read_table(FILE *file, const struct header *expected)
{
	g_autoptr(GBytes) all = table_cache_map(file), bytes = NULL;
	SptUnwindTable *table;
	struct header header;
	const uint8_t *data;
	gsize n;

	if (!all)
		return NULL;
	data = g_bytes_get_data(all, &n);
	memcpy(&header, data, sizeof(header));
	if (header.crc != spt_crc32c(0, data + sizeof(header), n - sizeof(header)))
		return NULL;
	header.crc = 0;
	if (memcmp(&header, expected, sizeof(header)) != 0)
		return NULL;
	bytes = g_bytes_new_from_bytes(all, sizeof(header), n - sizeof(header));
	table = spt_unwind_table_new_from_bytes(bytes, NULL);
	if (table) {
		spt_unwind_table_set_mapped(table);
		/* All of it was read; stacks need few of its pages. */
		spt_unwind_table_rest(table);
	}
	return table;
}

SptUnwindTable *spt_table_cache_get(SptTableCache *cache, const uint8_t *key, unsigned n,
				    char kind)
{
	g_autofree char *name = table_cache_name_of(key, n, kind);
	struct header expected = header_of(key, n, kind);
	FILE *file = open_in(cache, name, O_RDONLY | O_NONBLOCK, "r");
	SptUnwindTable *table;

	if (!file)
		return NULL;
	table = table_cache_read_table(file, &expected);
	/* Marks it as used now: others are removed before it. */
	if (table)
		futimens(fileno(file), NULL);
	fclose(file);
	return table;
}

static void clear_entry(void *data)
{
	g_free(((struct entry *)data)->name);
}

static int by_use(const void *a, const void *b)
{
	const struct timespec *one = &((const struct entry *)a)->used,
			      *other = &((const struct entry *)b)->used;

	if (one->tv_sec != other->tv_sec)
		return one->tv_sec < other->tv_sec ? -1 : 1;
	return one->tv_nsec < other->tv_nsec ? -1 : one->tv_nsec > other->tv_nsec;
}

/* The files of the cache, and the rest of files that were never finished. */
static GArray *list(const SptTableCache *cache)
{
	GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
	int fd = openat(cache->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *found;
	struct stat stat;

	g_array_set_clear_func(entries, clear_entry);
	if (!dir && fd >= 0)
		close(fd);
	while (dir && (found = readdir(dir))) {
		struct entry entry = { 0 };

		if (!strstr(found->d_name, SUFFIX) ||
		    fstatat(cache->dir, found->d_name, &stat, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		entry.name = g_strdup(found->d_name);
		entry.bytes = (uint64_t)stat.st_size;
		entry.used = stat.st_mtim;
		g_array_append_val(entries, entry);
	}
	if (dir)
		closedir(dir);
	return entries;
}

static void table_cache_make_room(const SptTableCache *cache, uint64_t bytes)
{
	g_autoptr(GArray) entries = list(cache);
	uint64_t sum = bytes;

	for (unsigned i = 0; i < entries->len; i++)
		sum += g_array_index(entries, struct entry, i).bytes;
	if (sum <= cache->max_bytes)
		return;
	g_array_sort(entries, by_use);
	for (unsigned i = 0; i < entries->len && sum > cache->max_bytes; i++) {
		const struct entry *entry = &g_array_index(entries, struct entry, i);

		if (unlinkat(cache->dir, entry->name, 0) == 0)
			sum -= entry->bytes;
	}
}

/* A file of two parts, with this name. */
static void table_cache_write(const SptTableCache *cache, const char *name, const void *first,
			      size_t first_bytes, const void *second, size_t second_bytes)
{
	g_autofree char *draft =
		g_strdup_printf("%s.%08x%08x", name, g_random_int(), g_random_int());
	FILE *file;
	bool ok;

	file = open_in(cache, draft, O_WRONLY | O_CREAT | O_EXCL, "w");
	if (!file)
		return;
	ok = fwrite(first, first_bytes, 1, file) == 1 &&
	     (!second_bytes || fwrite(second, second_bytes, 1, file) == 1);
	ok = fclose(file) == 0 && ok;
	if (!ok || renameat(cache->dir, draft, cache->dir, name) < 0)
		unlinkat(cache->dir, draft, 0);
}

void spt_table_cache_put(SptTableCache *cache, const uint8_t *key, unsigned n, char kind,
			 const SptUnwindTable *table)
{
	g_autofree char *name = table_cache_name_of(key, n, kind);
	struct header header = header_of(key, n, kind);
	gsize bytes;
	const void *data = g_bytes_get_data(spt_unwind_table_bytes(table), &bytes);

	if (bytes > FILE_MAX_BYTES || sizeof(header) + bytes > cache->max_bytes)
		return;
	header.crc = spt_crc32c(0, data, bytes);
	table_cache_make_room(cache, sizeof(header) + bytes);
	table_cache_write(cache, name, &header, sizeof(header), data, bytes);
}

/* Keys.  They are small: room is made for them with the next table. */

/* Hidden: what is listed there is tables. */
static char *name_of_key(const struct stat *stat)
{
	return g_strdup_printf(".%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x-key" SUFFIX,
			       (uint64_t)stat->st_dev, (uint64_t)stat->st_ino);
}

static struct key_file key_file_of(const struct stat *stat)
{
	return (struct key_file){ .magic = KEY_MAGIC,
				  .bytes = (uint64_t)stat->st_size,
				  .changed_s = stat->st_ctim.tv_sec,
				  .changed_ns = stat->st_ctim.tv_nsec };
}

bool spt_table_cache_get_key(SptTableCache *cache, const struct stat *stat, uint8_t *ret,
			     unsigned n)
{
	g_autofree char *name = name_of_key(stat);
	FILE *file = open_in(cache, name, O_RDONLY | O_NONBLOCK, "r");
	struct key_file found, expected = key_file_of(stat);
	bool ok;

	if (!file)
		return false;
	ok = fread(&found, sizeof(found), 1, file) == 1 &&
	     memcmp(&found, &expected, offsetof(struct key_file, key)) == 0;
	fclose(file);
	if (ok)
		memcpy(ret, found.key, n);
	return ok;
}

void spt_table_cache_put_key(SptTableCache *cache, const struct stat *stat, const uint8_t *key,
			     unsigned n)
{
	g_autofree char *name = name_of_key(stat);
	struct key_file file = key_file_of(stat);

	/* Files of images have times without a fraction, often one and the same. */
	if (!file.changed_ns || g_get_real_time() / G_USEC_PER_SEC - file.changed_s < SETTLED_S)
		return;
	memcpy(file.key, key, n);
	table_cache_write(cache, name, &file, sizeof(file), NULL, 0);
}
