/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/script-lines.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/realtime.h"
#include "object/regular.h"

#define SOURCE_MAX_BYTES (16 << 20)
#define SOURCE_MAX_LINES (1u << 20)
#define CHUNK_BYTES	 65536
/* Sources that are known at a time, and their lines; beyond that all are forgotten. */
#define SOURCES_MAX 8192
#define LINES_MAX   (8u << 20)
#define WAIT_US	    250000
#define AGAIN_US    1000000 /* when one of another length is read again */
/* Threads that still wait for an answer; while there are that many, no more sources are read. */
#define LEFT_MAX 8
/* Programs can have any number of scripts: reading them takes a tenth of the time, in the mean. */
#define TIME_PART 10
#define AHEAD_US  1000000

struct source {
	GArray *begins; /* uint32_t: at which character each line but the first does */
	uint32_t n;	/* characters; 0: it could not be read */
	gint64 read_us;
};

struct question {
	int root;
	char *path; /* NULL: there are no more */
};

/* What a thread and who asks it have together. */
struct reader {
	GAsyncQueue *questions, *answers; /* struct question, struct source */
	gint is_left;			  /* nobody waits for its answer any more */
};

static gint n_left;

struct SptScriptLines {
	GHashTable *sources; /* "root\npath" -> struct source */
	unsigned n_lines;
	struct reader *reader; /* NULL: none yet */
	GThread *thread;
	gint64 paid_us;
};

static void source_free(void *data)
{
	struct source *source = data;

	g_array_unref(source->begins);
	g_free(source);
}

static void question_free(void *data)
{
	struct question *question = data;

	if (question->root >= 0)
		close(question->root);
	g_free(question->path);
	g_free(question);
}

static void reader_clear(void *data)
{
	struct reader *reader = data;

	g_async_queue_unref(reader->questions);
	g_async_queue_unref(reader->answers);
}

/* What opening a device would do is not wanted: only a path is opened first. */
static int open_source_in(int root, const char *path, size_t *ret_bytes)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int at = (int)syscall(SYS_openat2, root, path, &how, sizeof(how)), fd = -1;
	struct stat stat;

	if (at >= 0 && fstat(at, &stat) == 0 && stat.st_size > 0 &&
	    stat.st_size <= SOURCE_MAX_BYTES) {
		*ret_bytes = (size_t)stat.st_size;
		fd = spt_open_regular_at(at);
	}
	if (at >= 0)
		close(at);
	return fd;
}

/* A character beyond the first 65,536 is two in UTF-16, and four bytes here. */
static void count_lines(struct source *source, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		source->n += (bytes[i] < 0x80 || bytes[i] >= 0xc0) + (bytes[i] >= 0xf0);
		if (bytes[i] == '\n')
			g_array_append_val(source->begins, source->n);
	}
}

static void read_lines(struct source *source, int fd, size_t bytes)
{
	static const uint8_t mark[] = { 0xef, 0xbb, 0xbf };
	g_autofree uint8_t *chunk = g_malloc(CHUNK_BYTES);
	size_t at = 0, n;

	while (at < bytes && source->begins->len < SOURCE_MAX_LINES) {
		ssize_t got = pread(fd, chunk, MIN(CHUNK_BYTES, bytes - at), (off_t)at);

		if (got <= 0)
			break;
		n = (size_t)got;
		if (at == 0 && n >= sizeof(mark) && !memcmp(chunk, mark, sizeof(mark)))
			count_lines(source, chunk + sizeof(mark), n - sizeof(mark));
		else
			count_lines(source, chunk, n);
		at += n;
	}
	if (at < bytes)
		source->n = 0;
}

static struct source *read_source(const struct question *question)
{
	struct source *source = g_new0(struct source, 1);
	size_t bytes;
	int fd = open_source_in(question->root, question->path, &bytes);

	source->begins = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	source->read_us = g_get_monotonic_time();
	if (fd < 0)
		return source;
	read_lines(source, fd, bytes);
	close(fd);
	return source;
}

static void *script_lines_work(void *data)
{
	struct reader *reader = data;
	struct question *question;
	bool is_last = false;

	spt_realtime_none();
	while (!is_last) {
		question = g_async_queue_pop(reader->questions);
		is_last = !question->path;
		if (!is_last)
			g_async_queue_push(reader->answers, read_source(question));
		question_free(question);
	}
	if (g_atomic_int_get(&reader->is_left))
		g_atomic_int_add(&n_left, -1);
	g_atomic_rc_box_release_full(reader, reader_clear);
	return NULL;
}

static void script_lines_put(struct reader *reader, int root, const char *path)
{
	struct question *question = g_new0(struct question, 1);

	question->root = root;
	question->path = g_strdup(path);
	g_async_queue_push(reader->questions, question);
}

static bool begin_reader(SptScriptLines *lines)
{
	if (lines->reader)
		return true;
	if (g_atomic_int_get(&n_left) >= LEFT_MAX)
		return false;
	lines->reader = g_atomic_rc_box_new0(struct reader);
	lines->reader->questions = g_async_queue_new_full(question_free);
	lines->reader->answers = g_async_queue_new_full(source_free);
	lines->thread = g_thread_try_new("lines", script_lines_work,
					 g_atomic_rc_box_acquire(lines->reader), NULL);
	if (lines->thread)
		return true;
	g_atomic_rc_box_release_full(lines->reader, reader_clear);
	g_atomic_rc_box_release_full(lines->reader, reader_clear);
	lines->reader = NULL;
	return false;
}

/* The thread ends when it has done what it was asked for; that may be never. */
static void end_reader(SptScriptLines *lines, bool is_waited)
{
	if (!lines->reader)
		return;
	if (!is_waited) {
		g_atomic_int_inc(&n_left);
		g_atomic_int_set(&lines->reader->is_left, 1);
	}
	script_lines_put(lines->reader, -1, NULL);
	if (is_waited)
		g_thread_join(lines->thread);
	else
		g_thread_unref(lines->thread);
	g_atomic_rc_box_release_full(lines->reader, reader_clear);
	lines->reader = NULL;
}

SptScriptLines *spt_script_lines_new(void)
{
	SptScriptLines *lines = g_new0(SptScriptLines, 1);

	lines->sources = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, source_free);
	return lines;
}

void spt_script_lines_free(SptScriptLines *lines)
{
	if (!lines)
		return;
	end_reader(lines, true);
	g_hash_table_unref(lines->sources);
	g_free(lines);
}

/* Takes over @root.  NULL: there is no answer, or no time for one. */
static struct source *ask_source(SptScriptLines *lines, int root, const char *path)
{
	gint64 begin = g_get_monotonic_time();
	struct source *source;

	lines->paid_us = MAX(lines->paid_us, begin);
	if (lines->paid_us - begin > AHEAD_US || !begin_reader(lines)) {
		close(root);
		return NULL;
	}
	script_lines_put(lines->reader, root, path);
	source = g_async_queue_timeout_pop(lines->reader->answers, WAIT_US);
	lines->paid_us += (g_get_monotonic_time() - begin) * TIME_PART;
	if (source)
		return source;
	end_reader(lines, false);
	return NULL;
}

/*
 * The root of a process, and what distinguishes it, without a question to its file system.
 * That of one that has ended is taken to be ours.
 */
static int open_root(uint32_t pid, struct statx *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%u/root", pid);
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, ret) == 0)
		return fd;
	close(fd);
	return -1;
}

/* Whether it is what has @n characters, or was read so lately that it will be the same again. */
static bool is_source(const struct source *source, uint32_t n)
{
	return source->n == n || g_get_monotonic_time() - source->read_us < AGAIN_US;
}

static const struct source *get_source(SptScriptLines *lines, uint32_t pid, const char *path,
				       uint32_t n)
{
	struct statx stat;
	int root = open_root(pid, &stat);
	g_autofree char *key = NULL;
	struct source *source;

	if (root < 0)
		return NULL;
	key = g_strdup_printf("%u:%u:%" G_GUINT64_FORMAT "\n%s", stat.stx_dev_major,
			      stat.stx_dev_minor, (uint64_t)stat.stx_ino, path);
	source = g_hash_table_lookup(lines->sources, key);
	if (source && is_source(source, n)) {
		close(root);
		return source;
	}
	source = ask_source(lines, root, path);
	if (!source)
		return NULL;
	if (g_hash_table_size(lines->sources) >= SOURCES_MAX || lines->n_lines >= LINES_MAX) {
		g_hash_table_remove_all(lines->sources);
		lines->n_lines = 0;
	}
	lines->n_lines += source->begins->len;
	g_hash_table_insert(lines->sources, g_steal_pointer(&key), source);
	return source;
}

uint32_t spt_script_lines_find(SptScriptLines *lines, uint32_t pid, const char *path, uint32_t at,
			       uint32_t n)
{
	const struct source *source = pid && *path == '/' ? get_source(lines, pid, path, n) : NULL;
	uint32_t first = 0, end;

	if (!source || !n || source->n != n || at > n)
		return 0;
	/* How many lines but the first begin there or before. */
	for (end = source->begins->len; first < end;) {
		uint32_t middle = first + (end - first) / 2;

		if (g_array_index(source->begins, uint32_t, middle) <= at)
			first = middle + 1;
		else
			end = middle;
	}
	return first + 1;
}
