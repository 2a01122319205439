/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a capture, block by block, up to its end or to the first invalid byte.  It uses plain
 * reads, no mapping: a file that somebody truncates meanwhile is damaged then, and causes no
 * signal.
 */
#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/words.h"
#include "capture/block.h"
#include "capture/rows.h"
#include "capture/samples.h"

/* The last block of a file that was finished has fewer bytes. */
#define END_BYTES 512

typedef struct {
	uint8_t *data;
	size_t room;
} Buffer;

typedef struct {
	SptCapture *capture;
	SptRows *rows;
	ZSTD_DCtx *zstd;
	Buffer stored, payload;
	int fd;
	SptProgress progress;		/* or NULL */
	void *progress_data;
	uint32_t n_blocks;
	uint64_t position;
} Reader;

static bool reader_damaged(GError **error, const char *clause)
{
	g_set_error_literal(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED, spt_words(clause));
	return false;
}

static uint8_t *buffer_reserve(Buffer *buffer, size_t bytes)
{
	if (bytes > buffer->room) {
		g_free(buffer->data);
		buffer->data = g_try_malloc(bytes);
		buffer->room = buffer->data ? bytes : 0;
	}
	return buffer->data;
}

/* The number of bytes that are available, up to @bytes; -1 and errno if that is not known. */
static ssize_t reader_read_at(int fd, uint64_t position, uint8_t *data, size_t bytes)
{
	size_t got = 0;

	while (got < bytes) {
		ssize_t n = pread(fd, data + got, bytes - got, (off_t)(position + got));

		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0)
			got += (size_t)n;
	}
	return (ssize_t)got;
}

static bool read_whole(const Reader *reader, uint64_t position, uint8_t *data, size_t bytes,
		       GError **error)
{
	ssize_t got = reader_read_at(reader->fd, position, data, bytes);

	if (got < 0) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO, "reading failed: %s",
			      g_strerror(errno));
		return false;
	}
	return (size_t)got == bytes ||
	       reader_damaged(error, "the file became shorter while it was read");
}

/*
 * The block at the present position, with @left bytes to the end.  False with a clause for the
 * error message, or without if the block is incomplete.
 */
static bool read_block(Reader *reader, uint64_t left, GError **error)
{
	uint8_t bytes[SPT_BLOCK_HEADER_BYTES];
	SptBlockHeader header;
	SptTable table;

	if (left < sizeof(bytes))
		return false;
	if (!read_whole(reader, reader->position, bytes, sizeof(bytes), error))
		return false;
	if (!spt_block_header_parse(&header, bytes))
		return reader_damaged(error, "no block begins here");
	if (header.number != reader->n_blocks)
		return reader_damaged(error, "its number is not the one expected here");
	if (header.stored_bytes > left - sizeof(bytes))
		return false;
	if (!buffer_reserve(&reader->stored, (size_t)header.stored_bytes + 1))
		return reader_damaged(error, "there is not enough memory to read it");
	if (!read_whole(reader, reader->position + sizeof(bytes), reader->stored.data,
			header.stored_bytes, error))
		return false;
	if (!spt_block_crc_matches(bytes, &header, reader->stored.data))
		return reader_damaged(error, "its checksum differs");
	if (spt_rows_wants(header.type)) {
		uint8_t *buffer =
			buffer_reserve(&reader->payload, (size_t)header.payload_bytes + 1);
		const uint8_t *payload;

		if (!buffer)
			return reader_damaged(error, "there is not enough memory to unpack it");
		payload =
			spt_block_unpack(reader->zstd, &header, reader->stored.data, buffer, error);
		if (!payload || !spt_table_parse(&table, payload, header.payload_bytes, error) ||
		    !spt_rows_take(reader->rows, &header, &table, reader->stored.data, error))
			return false;
	}
	if (!spt_rows_place(reader->rows, &header, &table, reader->position, error))
		return false;
	reader->position += sizeof(bytes) + header.stored_bytes;
	reader->n_blocks++;
	return true;
}

static char *describe_damage(const Reader *reader, uint64_t left, const GError *clause)
{
	if (!clause)
		return g_strdup_printf(spt_words("ends inside a block: the last %" PRIu64
						 " bytes, from byte %" PRIu64
						 " on, are incomplete and are skipped"),
				       left, reader->position);
	return g_strdup_printf(spt_words("cannot be read from byte %" PRIu64 " on (block %u): %s"),
			       reader->position, reader->n_blocks, clause->message);
}

static void read_blocks(Reader *reader)
{
	SptCapture *capture = reader->capture;

	while (reader->position < capture->file_bytes) {
		uint64_t left = capture->file_bytes - reader->position;
		g_autoptr(GError) clause = NULL;

		if (!read_block(reader, left, &clause)) {
			capture->damage = describe_damage(reader, left, clause);
			return;
		}
		if (reader->progress &&
		    !reader->progress((double)reader->position / (double)capture->file_bytes,
				      reader->progress_data)) {
			capture->damage = g_strdup(spt_words("was not read to its end"));
			return;
		}
	}
}

static bool refuse(GError **error, int code, const char *path, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

static bool refuse(GError **error, int code, const char *path, const char *format, ...)
{
	g_autofree char *why = NULL;
	va_list arguments;

	va_start(arguments, format);
	why = g_strdup_vprintf(spt_words(format), arguments);
	va_end(arguments);
	spt_set_error(error, SPT_CAPTURE_ERROR, code, "Cannot open capture %s: %s.", path, why);
	return false;
}

static bool fail_open(GError **error, const char *path)
{
	int problem = errno;
	g_autofree char *part = g_strconcat(path, ".part", NULL);

	if (problem == ENOENT && access(part, F_OK) == 0)
		return refuse(error, SPT_CAPTURE_ERROR_IO, path,
			      "there is no such file, but %s, which a recording that "
			      "did not finish has left; open that",
			      part);
	return refuse(error, SPT_CAPTURE_ERROR_IO, path, "%s", g_strerror(problem));
}

/* Non-blocking, since opening a fifo would wait for a writer. */
static bool helper_open_file(Reader *reader, const char *path, GError **error)
{
	struct stat status;

	reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (reader->fd < 0)
		return fail_open(error, path);
	if (fstat(reader->fd, &status) < 0)
		return refuse(error, SPT_CAPTURE_ERROR_IO, path, "%s", g_strerror(errno));
	if (S_ISDIR(status.st_mode))
		return refuse(error, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, path,
			      "it is a directory, not a file");
	if (!S_ISREG(status.st_mode))
		return refuse(error, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, path,
			      "it is not a regular file");
	if (status.st_size == 0)
		return refuse(error, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, path, "it is empty");
	reader->capture->file_bytes = (uint64_t)status.st_size;
	return true;
}

static bool reader_read_header(Reader *reader, const char *path, GError **error)
{
	/* The first bytes of .syscap files. */
	static const uint8_t others[] = { 0x5e, 0x97, 0xca, 0xfd };
	uint8_t header[SPT_FILE_HEADER_BYTES];
	ssize_t got = reader_read_at(reader->fd, 0, header, sizeof(header));
	uint32_t version;

	if (got < 0)
		return refuse(error, SPT_CAPTURE_ERROR_IO, path, "%s", g_strerror(errno));
	if (got >= (int)sizeof(others) && memcmp(header, others, sizeof(others)) == 0)
		return refuse(error, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, path,
			      "it is a capture of GNOME's Sysprof, which only that program can read");
	if (memcmp(header, SPT_FILE_MAGIC, MIN((size_t)got, SPT_FILE_MAGIC_BYTES)) != 0)
		return refuse(error, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, path,
			      "it is not a capture of Sysprof");
	if ((size_t)got < sizeof(header))
		return refuse(error, SPT_CAPTURE_ERROR_NOT_A_CAPTURE, path,
			      "it is cut off within its first %u bytes", SPT_FILE_HEADER_BYTES);
	memcpy(&version, header + SPT_FILE_MAGIC_BYTES, sizeof(version));
	version = GUINT32_FROM_LE(version);
	if (version < SPT_FILE_OLDEST_VERSION || version > SPT_FILE_VERSION)
		return refuse(
			error, SPT_CAPTURE_ERROR_VERSION, path,
			"its format has version %u, this program reads version %u; open it with the Sysprof that made it",
			version, SPT_FILE_VERSION);
	reader->position = sizeof(header);
	return true;
}

/* Whether the file ends as a writer ends it. */
static bool reader_is_ended(const Reader *reader)
{
	uint8_t bytes[END_BYTES];
	uint64_t most = MIN(reader->capture->file_bytes, sizeof(bytes));
	ssize_t n = reader_read_at(reader->fd, reader->capture->file_bytes - most, bytes, most);
	SptBlockHeader header;

	for (ssize_t i = n - SPT_BLOCK_HEADER_BYTES; i >= 0; i--) {
		const uint8_t *stored = bytes + i + SPT_BLOCK_HEADER_BYTES;

		if (spt_block_header_parse(&header, bytes + i) && header.type == SPT_BLOCK_END &&
		    stored + header.stored_bytes == bytes + n &&
		    spt_block_crc_matches(bytes + i, &header, stored))
			return true;
	}
	return false;
}

static bool reader_read_file(Reader *reader, const char *path, GError **error)
{
	SptCapture *capture = reader->capture;
	bool whole;

	if (!helper_open_file(reader, path, error) || !reader_read_header(reader, path, error))
		return false;
	reader->zstd = ZSTD_createDCtx();
	if (!reader->zstd)
		return refuse(error, SPT_CAPTURE_ERROR_IO, path, "there is not enough memory");
	reader->rows = spt_rows_new(capture, capture->file_bytes, reader_is_ended(reader));
	read_blocks(reader);
	whole = spt_rows_finish(reader->rows);
	if (reader->n_blocks == 0 && capture->damage)
		return refuse(error, SPT_CAPTURE_ERROR_DAMAGED, path,
			      "there is no whole block in it; it %s", capture->damage);
	if (reader->n_blocks == 0)
		return refuse(
			error, SPT_CAPTURE_ERROR_DAMAGED, path,
			"there is no whole block in it: the recording ended before anything was written");
	if (!whole && !capture->damage)
		capture->damage = g_strdup(spt_words(
			"names a process as its own ancestor; that process is shown without a parent"));
	return true;
}

SptCapture *spt_capture_open(const char *path, GError **error)
{
	return spt_capture_open_watched(path, NULL, NULL, error);
}

SptCapture *spt_capture_open_watched(const char *path, SptProgress progress, void *data,
				     GError **error)
{
	Reader reader = { .capture = g_new0(SptCapture, 1),
			  .fd = -1,
			  .progress = progress,
			  .progress_data = data };
	bool opened;

	reader.capture->path = g_strdup(path);
	reader.capture->host = g_hash_table_new(g_str_hash, g_str_equal);
	reader.capture->texts = g_ptr_array_new_with_free_func(g_free);
	reader.capture->fd = -1;
	opened = reader_read_file(&reader, path, error);
	if (opened && reader.capture->n_places > 0)
		reader.capture->fd = reader.fd;
	else if (reader.fd >= 0)
		close(reader.fd);
	ZSTD_freeDCtx(reader.zstd);
	g_clear_pointer(&reader.rows, spt_rows_free);
	g_free(reader.stored.data);
	g_free(reader.payload.data);
	if (!opened)
		g_clear_pointer(&reader.capture, spt_capture_free);
	return reader.capture;
}
