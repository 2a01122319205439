/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files are named by their number, in 20 digits.  Each begins with a magic, its length and its
 * checksum.  Nothing is synchronised to the disk: that would cost more than the profiles are worth.
 */
#include "agent/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"
#include "capture/capture.h"
#include "capture/crc32c.h"

#define MAGIC	    "SPTREQ1\n"
#define MAGIC_BYTES 8
#define NAME_DIGITS 20
#define PART_NAME   "part"

struct header {
	char magic[MAGIC_BYTES];
	uint64_t bytes;
	uint32_t crc, reserved;
};

struct entry {
	uint64_t number, bytes;
};

struct SptSpool {
	char *directory;
	uint64_t most_bytes, next;
	GMutex lock;
	GArray *entries;		/* struct entry, oldest first */
	SptSpoolStatus status;
};

static char *path_of_entry(const SptSpool *spool, uint64_t number)
{
	return g_strdup_printf("%s/%0*" PRIu64, spool->directory, NAME_DIGITS, number);
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void find_entries(SptSpool *spool, GDir *dir)
{
	const char *name;

	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(spool->directory, name, NULL);
		struct entry entry = { 0 };
		struct stat st;

		if (strlen(name) != NAME_DIGITS ||
		    !g_ascii_string_to_unsigned(name, 10, 0, UINT64_MAX - 1, &entry.number, NULL) ||
		    lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		entry.bytes = (uint64_t)st.st_size;
		g_array_append_val(spool->entries, entry);
		spool->status.bytes += entry.bytes;
		spool->next = MAX(spool->next, entry.number + 1);
	}
	g_array_sort(spool->entries, compare_entries);
}

/* Of an entry that is there. */
static void remove_entry(SptSpool *spool, guint at)
{
	struct entry entry = g_array_index(spool->entries, struct entry, at);
	g_autofree char *path = path_of_entry(spool, entry.number);

	g_unlink(path);
	spool->status.bytes -= entry.bytes;
	g_array_remove_index(spool->entries, at);
}

static void spool_make_room(SptSpool *spool, uint64_t bytes)
{
	while (spool->entries->len && spool->status.bytes + bytes > spool->most_bytes) {
		remove_entry(spool, 0);
		spool->status.dropped++;
	}
}

SptSpool *spt_spool_new(const char *directory, uint64_t most_bytes, GError **error)
{
	g_autoptr(GDir) dir = NULL;
	SptSpool *spool;

	if (g_mkdir_with_parents(directory, 0700) < 0 || !(dir = g_dir_open(directory, 0, NULL)) ||
	    access(directory, W_OK | X_OK) < 0) {
		spt_set_error(
			error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
			"Cannot keep requests in %s: %s; name another directory with --spool",
			directory, g_strerror(errno));
		return NULL;
	}
	spool = g_new0(SptSpool, 1);
	spool->directory = g_strdup(directory);
	spool->most_bytes = most_bytes;
	spool->entries = g_array_new(FALSE, FALSE, sizeof(struct entry));
	g_mutex_init(&spool->lock);
	find_entries(spool, dir);
	spool_make_room(spool, 0);
	return spool;
}

void spt_spool_free(SptSpool *spool)
{
	if (!spool)
		return;
	g_mutex_clear(&spool->lock);
	g_array_unref(spool->entries);
	g_free(spool->directory);
	g_free(spool);
}

static bool write_whole(int fd, const void *bytes, size_t n)
{
	for (size_t at = 0; at < n;) {
		ssize_t written = write(fd, (const char *)bytes + at, n - at);

		if (written < 0 && errno != EINTR)
			return false;
		at += (size_t)MAX(written, 0);
	}
	return true;
}

static bool write_request(const SptSpool *spool, uint64_t number, const void *bytes, size_t n)
{
	g_autofree char *part = g_build_filename(spool->directory, PART_NAME, NULL),
			*path = path_of_entry(spool, number);
	struct header header = { .magic = MAGIC, .bytes = n, .crc = spt_crc32c(0, bytes, n) };
	int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	bool ok = fd >= 0 && write_whole(fd, &header, sizeof(header)) && write_whole(fd, bytes, n);

	if (fd >= 0 && close(fd) < 0)
		ok = false;
	if (ok && rename(part, path) == 0)
		return true;
	g_unlink(part);
	return false;
}

void spt_spool_put(SptSpool *spool, const void *bytes, size_t n)
{
	struct entry entry = { .bytes = n + sizeof(struct header) };

	g_mutex_lock(&spool->lock);
	spool_make_room(spool, entry.bytes);
	entry.number = spool->next++;
	if (entry.bytes > spool->most_bytes) {
		spool->status.dropped++;
	} else if (!write_request(spool, entry.number, bytes, n)) {
		spool->status.failed++;
	} else {
		g_array_append_val(spool->entries, entry);
		spool->status.bytes += entry.bytes;
	}
	g_mutex_unlock(&spool->lock);
}

/* The request in a file, as it was put; NULL: it is not. */
static char *read_request(const SptSpool *spool, uint64_t number, size_t *ret_bytes)
{
	g_autofree char *path = path_of_entry(spool, number), *text = NULL;
	struct header header;
	gsize bytes;

	if (!g_file_get_contents(path, &text, &bytes, NULL) || bytes < sizeof(header))
		return NULL;
	memcpy(&header, text, sizeof(header));
	*ret_bytes = bytes - sizeof(header);
	if (memcmp(header.magic, MAGIC, MAGIC_BYTES) != 0 || header.bytes != *ret_bytes ||
	    header.crc != spt_crc32c(0, text + sizeof(header), *ret_bytes))
		return NULL;
	memmove(text, text + sizeof(header), *ret_bytes);
	return g_steal_pointer(&text);
}

char *spt_spool_oldest(SptSpool *spool, size_t *ret_bytes, uint64_t *ret_number)
{
	char *request = NULL;

	g_mutex_lock(&spool->lock);
	while (!request && spool->entries->len) {
		*ret_number = g_array_index(spool->entries, struct entry, 0).number;
		request = read_request(spool, *ret_number, ret_bytes);
		if (request)
			break;
		spool->status.damaged++;
		remove_entry(spool, 0);
	}
	g_mutex_unlock(&spool->lock);
	return request;
}

void spt_spool_done(SptSpool *spool, uint64_t number)
{
	g_mutex_lock(&spool->lock);
	/* It may have been dropped while it was being sent. */
	for (guint i = 0; i < spool->entries->len; i++)
		if (g_array_index(spool->entries, struct entry, i).number == number) {
			remove_entry(spool, i);
			break;
		}
	g_mutex_unlock(&spool->lock);
}

void spt_spool_status(SptSpool *spool, SptSpoolStatus *ret)
{
	g_mutex_lock(&spool->lock);
	*ret = spool->status;
	ret->requests = spool->entries->len;
	g_mutex_unlock(&spool->lock);
}
