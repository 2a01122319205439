/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a capture.  Rows wait for the flush, those of events as columns: the best coding of a
 * column can be chosen when all of its rows are known.  A flush uses one write() if it can, so that
 * a recorder that is killed leaves whole flushes; a failed write is cut off again.
 */
#include "capture/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/words.h"
#include "capture/block.h"
#include "capture/events.h"
#include "capture/nodes.h"
#include "capture/part.h"
#include "capture/row-packer.h"
#include "capture/writer-private.h"

/* Level 6 saves another 2 % of a second's small numbers, but costs half as much more. */
#define ZSTD_LEVEL 3
/* For whole blocks of rows, which it packs as well, in less time. */
#define ZSTD_LEVEL_EARLY 1
/*
 * Only an artificial name is longer than this; with the limit, a block's text stays within the size
 * of a GByteArray.
 */
#define TEXT_MAX_BYTES (16u << 10)
#define COMMAND_LINES_BYTES (64u << 10)
#define MAPS_ROWS 4096u
/* Readers allow 64 rows of an event, and 25 samples, for each byte; of a small file a million. */
#define ROWS_OF_ANY_FILE 500000u
#define ROWS_PER_FILE_BYTE 16u
/* Larger amounts do not wait for the rest of a flush. */
#define WAITING_MAX_BYTES (16u << 20)

static bool writer_fail(SptCaptureWriter *writer, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* The first failure is kept: later ones are only its consequence. */
static bool writer_fail(SptCaptureWriter *writer, const char *format, ...)
{
	g_autofree char *why = NULL;
	va_list arguments;

	if (writer->error)
		return false;
	va_start(arguments, format);
	why = g_strdup_vprintf(spt_words(format), arguments);
	va_end(arguments);
	writer->error = g_error_new(SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_IO,
				    spt_words("Cannot write capture %s: %s."), writer->path, why);
	return false;
}

static bool report(const SptCaptureWriter *writer, GError **error)
{
	if (writer->error && error)
		*error = g_error_copy(writer->error);
	return !writer->error;
}

static const char *writer_name_of(const SptCaptureWriter *writer)
{
	return writer->part_path ? writer->part_path : writer->path;
}

/* Cuts off the data of a failed write.  A stream cannot be cut off, and ends inside a block. */
static void undo_write(SptCaptureWriter *writer)
{
	if (ftruncate(writer->fd, (off_t)writer->flushed_bytes) < 0)
		return;
}

/* Writes everything that waits. */
static bool writer_write_out(SptCaptureWriter *writer)
{
	size_t done = 0;

	while (done < writer->waiting->len) {
		ssize_t n = write(writer->fd, writer->waiting->data + done,
				  writer->waiting->len - done);

		if (n < 0 && errno != EINTR) {
			writer_fail(writer, "writing %s failed: %s", writer_name_of(writer),
				    g_strerror(errno));
			undo_write(writer);
			return false;
		}
		if (n > 0)
			done += (size_t)n;
	}
	g_byte_array_set_size(writer->waiting, 0);
	return true;
}

/* A flush is complete. */
static bool end_flush(SptCaptureWriter *writer)
{
	if (!writer_write_out(writer))
		return false;
	writer->flushed_bytes = writer->bytes;
	return true;
}

static bool writer_put(SptCaptureWriter *writer, const uint8_t *data, size_t bytes)
{
	g_byte_array_append(writer->waiting, data, (guint)bytes);
	writer->bytes += bytes;
	return writer->waiting->len < WAITING_MAX_BYTES || writer_write_out(writer);
}

static bool put_block(SptCaptureWriter *writer, SptIndexRow entry, uint8_t *block, size_t bytes)
{
	entry.position = writer->bytes;
	spt_block_set_number(block, bytes, writer->n_blocks);
	if (!writer_put(writer, block, bytes))
		return false;
	writer->n_blocks++;
	g_array_append_val(writer->index, entry);
	return true;
}

/*
 * Readers take a file that has far more rows than its bytes can hold for a hostile one.
 * Millions of equal rows pack better than that, and their blocks are padded.
 */
static size_t least_bytes_of_block(const SptCaptureWriter *writer)
{
	uint64_t rows = writer->n_rows - MIN(writer->n_rows, ROWS_OF_ANY_FILE),
		 bytes = writer->bytes + writer->early->len, due = rows / ROWS_PER_FILE_BYTE;

	return (size_t)MIN(due - MIN(due, bytes), SPT_BLOCK_MAX_BYTES / 2);
}

bool spt_writer_write_block(SptCaptureWriter *writer, SptIndexRow entry)
{
	ZSTD_CCtx_setParameter(writer->zstd, ZSTD_c_compressionLevel,
			       writer->is_early ? ZSTD_LEVEL_EARLY : ZSTD_LEVEL);
	writer->n_rows += entry.rows;
	spt_block_pack(writer->block, writer->zstd, (uint16_t)entry.type, writer->n_blocks,
		       writer->builder.payload, writer->builder.cuts, least_bytes_of_block(writer));
	if (!writer->is_early)
		return put_block(writer, entry, writer->block->data, writer->block->len);
	entry.position = writer->block->len;
	g_byte_array_append(writer->early, writer->block->data, writer->block->len);
	g_array_append_val(writer->early_entries, entry);
	return true;
}

static bool write_early(SptCaptureWriter *writer)
{
	uint8_t *next = writer->early->data;

	for (unsigned i = 0; i < writer->early_entries->len; i++) {
		SptIndexRow entry = g_array_index(writer->early_entries, SptIndexRow, i);

		if (!put_block(writer, entry, next, entry.position))
			return false;
		next += entry.position;
	}
	return true;
}

static void encode_rows(SptCaptureWriter *writer, const SptSchema *schema, const void *rows,
			size_t n)
{
	spt_table_begin(&writer->builder, n);
	spt_schema_encode(schema, rows, n, &writer->builder);
	spt_table_end(&writer->builder);
}

/* Writes all @n rows, in as many blocks as they need. */
bool spt_writer_write_rows(SptCaptureWriter *writer, SptBlockType type, const SptSchema *schema,
		       const void *rows, size_t n)
{
	const uint8_t *next = rows;

	while (n > 0) {
		size_t now = MIN(n, SPT_WRITER_BLOCK_ROWS);

		for (encode_rows(writer, schema, next, now);
		     writer->builder.payload->len > SPT_BLOCK_MAX_BYTES && now > 1;) {
			now /= 2;
			encode_rows(writer, schema, next, now);
		}
		if (writer->builder.payload->len > SPT_BLOCK_MAX_BYTES)
			return writer_fail(writer, "a single row is larger than a block may be");
		if (!spt_writer_write_block(writer, (SptIndexRow){ .type = type, .rows = now }))
			return false;
		next += now * schema->row_bytes;
		n -= now;
	}
	return true;
}

static bool write_array(SptCaptureWriter *writer, SptBlockType type, const SptSchema *schema,
			const GArray *rows)
{
	return spt_writer_write_rows(writer, type, schema, rows->data, rows->len);
}

static bool write_nodes(SptCaptureWriter *writer, SptStash *stash)
{
	uint32_t begin = writer->n_nodes, end = stash ? spt_stash_n_nodes(stash) : 0;
	g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(SptNodeRow));
	g_autoptr(GArray) frames = g_array_new(FALSE, FALSE, sizeof(SptFrame));
	g_autoptr(GArray) old_frames = g_array_new(FALSE, FALSE, sizeof(SptOldFrameRow));
	g_autoptr(GError) error = NULL;

	if (begin >= end)
		return true;
	writer->n_nodes = end;
	/* Reached by a recording of many days that drops its stash again and again. */
	if ((uint64_t)writer->node_base + end > UINT32_MAX) {
		writer_fail(
			writer,
			"it has as many stacks as a recording can have; what came before can be opened, and another recording can go on");
		undo_write(writer);
		return false;
	}
	if (!spt_node_packer_pack(writer->node_packer, stash, begin, writer->node_base, rows,
				  frames, old_frames, &error))
		return writer_fail(writer, "%s", error->message);
	return write_array(writer, SPT_BLOCK_FRAME, &spt_schema_frame, frames) &&
		write_array(writer, SPT_BLOCK_OLD_FRAME, &spt_schema_old_frame, old_frames) &&
		write_array(writer, SPT_BLOCK_NODE, &spt_schema_node, rows);
}

bool spt_capture_writer_events(SptCaptureWriter *writer, uint32_t stream,
			       const SptEventColumn *columns, unsigned n, size_t rows,
			       const uint64_t *times, GError **error)
{
	SptIndexRow entry = { .type = stream ? SPT_BLOCK_EVENT : SPT_BLOCK_FILE,
			      .stream = stream,
			      .rows = rows };

	if (writer->error)
		return report(writer, error);
	spt_table_begin(&writer->builder, rows);
	if (stream)
		spt_table_add_const(&writer->builder, SPT_EVENT_STREAM_COLUMN, stream);
	for (unsigned i = 0; i < n; i++) {
		if (columns[i].bytes)
			spt_table_add_bytes(&writer->builder, columns[i].column, columns[i].bytes);
		else
			spt_table_add_numbers(&writer->builder, columns[i].column,
					      columns[i].numbers);
	}
	spt_table_end(&writer->builder);
	for (size_t i = 0; times && i < rows; i++) {
		entry.first_time = i ? MIN(entry.first_time, times[i]) : times[i];
		entry.last_time = MAX(entry.last_time, times[i]);
	}
	if (writer->builder.payload->len > SPT_BLOCK_MAX_BYTES)
		writer_fail(writer, "a single row is larger than a block may be");
	else if (spt_writer_write_block(writer, entry))
		end_flush(writer);
	return report(writer, error);
}

static bool writer_waits(SptRowKind kind)
{
	return kind == SPT_ROW_COMMAND_LINE || kind == SPT_ROW_MAP;
}

static void drop_rows(SptCaptureWriter *writer)
{
	GArray *const others[] = { writer->host, writer->process_ends, writer->bundled,
				   writer->bundled_texts };

	for (unsigned i = 0; i < G_N_ELEMENTS(others); i++)
		g_array_set_size(others[i], 0);
	g_byte_array_set_size(writer->early, 0);
	g_array_set_size(writer->early_entries, 0);
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		if (!writer_waits(kind))
			g_array_set_size(writer->rows[kind], 0);
	spt_writer_drop_stream_rows(writer);
	spt_writer_drop_declared(writer);
	g_string_chunk_clear(writer->texts);
}

static bool write_kind(SptCaptureWriter *writer, SptRowKind kind)
{
	const SptRowType *type = &spt_row_types[kind];

	return write_array(writer, type->block, type->schema, writer->rows[kind]);
}

static bool write_command_lines(SptCaptureWriter *writer)
{
	if (writer->command_bytes < COMMAND_LINES_BYTES && !writer->is_last)
		return true;
	if (!write_kind(writer, SPT_ROW_COMMAND_LINE))
		return false;
	g_array_set_size(writer->rows[SPT_ROW_COMMAND_LINE], 0);
	g_string_chunk_clear(writer->command_texts);
	writer->command_bytes = 0;
	return true;
}

static bool write_maps(SptCaptureWriter *writer)
{
	GArray *maps = writer->rows[SPT_ROW_MAP];

	if (maps->len < MAPS_ROWS && !writer->is_last)
		return true;
	spt_pack_maps(maps);
	if (!write_kind(writer, SPT_ROW_MAP))
		return false;
	g_array_set_size(maps, 0);
	return true;
}

/* With the rows that belong to it. */
static bool write_next(SptCaptureWriter *writer, SptStash *stash, SptRowKind kind)
{
	switch (kind) {
	case SPT_ROW_PROCESS:
		return write_kind(writer, kind) &&
		       write_array(writer, SPT_BLOCK_PROCESS_END, &spt_schema_process_end,
				   writer->process_ends);
	case SPT_ROW_COMMAND_LINE:
		return write_command_lines(writer);
	case SPT_ROW_MAP:
		return write_maps(writer) && write_nodes(writer, stash);
	case SPT_ROW_NAME:
		return write_kind(writer, kind) &&
		       write_array(writer, SPT_BLOCK_TEXT, &spt_schema_text,
				   writer->bundled_texts) &&
		       write_array(writer, SPT_BLOCK_BUNDLED, &spt_schema_bundled, writer->bundled);
	case SPT_ROW_SAMPLE:
		return write_early(writer) && spt_writer_write_stream(writer, kind);
	case SPT_ROW_DECLARED:
		return spt_writer_write_declared(writer);
	default:
		return spt_row_types[kind].stream ? spt_writer_write_stream(writer, kind) :
						    write_kind(writer, kind);
	}
}

bool spt_capture_writer_flush(SptCaptureWriter *writer, SptStash *stash, GError **error)
{
	bool ok;

	spt_pack_processes(writer->packer, writer->rows[SPT_ROW_PROCESS], writer->process_ends);
	spt_pack_threads(writer->packer, writer->rows[SPT_ROW_THREAD]);
	spt_pack_names(writer->packer, writer->rows[SPT_ROW_NAME]);
	spt_pack_samples(writer->rows[SPT_ROW_SAMPLE]);
	ok = !writer->error && write_array(writer, SPT_BLOCK_HOST, &spt_schema_host, writer->host);
	for (unsigned kind = 0; ok && kind < SPT_ROWS; kind++)
		ok = write_next(writer, stash, kind);
	if (ok)
		end_flush(writer);
	drop_rows(writer);
	return report(writer, error);
}

/*
 * The index lists every block before it: the list must not grow while it is written.
 */
static bool write_index(SptCaptureWriter *writer)
{
	g_autoptr(GArray) index = g_steal_pointer(&writer->index);

	writer->index = g_array_new(FALSE, FALSE, sizeof(SptIndexRow));
	return write_array(writer, SPT_BLOCK_INDEX, &spt_schema_index, index);
}

void spt_capture_writer_keep_old(SptCaptureWriter *writer)
{
	writer->keeps_old = true;
}

/* A recording is not overwritten by one that has nothing. */
static bool is_needless(SptCaptureWriter *writer)
{
	if (!writer->keeps_old || writer->has_samples || writer->error ||
	    access(writer->path, F_OK) < 0)
		return false;
	writer_fail(writer, "no sample was taken, so the existing recording of that name was kept");
	writer->error->code = SPT_CAPTURE_ERROR_EMPTY;
	return true;
}

static void name_file(SptCaptureWriter *writer, int fd)
{
	if (!spt_part_is_named(fd, writer->part_path))
		writer_fail(
			writer,
			"%s is no longer the file that was written: somebody removed or replaced it",
			writer->part_path);
	else if (writer->keeps_old && !spt_part_keep_old(writer->path))
		writer_fail(
			writer,
			"the one before cannot be renamed to end in .old: %s; %s is whole and can be opened",
			g_strerror(errno), writer->part_path);
	else if (rename(writer->part_path, writer->path) < 0)
		writer_fail(writer,
			    "%s cannot be given that name: %s; it is whole and can be opened",
			    writer->part_path, g_strerror(errno));
}

static void close_and_name(SptCaptureWriter *writer)
{
	/* The file stays locked until it has its name. */
	int fd = writer->part_path ? fcntl(writer->fd, F_DUPFD_CLOEXEC, 0) : -1;

	/* Where writing is delayed (quota, network), close() reports errors. */
	if (close(writer->fd) < 0)
		writer_fail(writer, "writing %s failed: %s", writer_name_of(writer),
			    g_strerror(errno));
	writer->fd = -1;
	if (writer->part_path && !writer->error)
		name_file(writer, fd);
	if (fd >= 0)
		close(fd);
}

bool spt_capture_writer_finish(SptCaptureWriter *writer, SptStash *stash, uint64_t time,
			       GError **error)
{
	const SptEndRow end = { time };

	if (is_needless(writer))
		return report(writer, error);
	writer->is_last = true;
	if (!spt_capture_writer_flush(writer, stash, error))
		return false;
	if (!write_index(writer) ||
	    !spt_writer_write_rows(writer, SPT_BLOCK_END, &spt_schema_end, &end, 1) ||
	    !end_flush(writer))
		return report(writer, error);
	close_and_name(writer);
	if (!report(writer, error))
		return false;
	writer->finished = true;
	writer_fail(writer, "it is finished already");
	return true;
}

/*
 * Renaming over a directory would fail after all the work; over a device it would succeed, and
 * replace the device.
 */
static bool check_target(SptCaptureWriter *writer)
{
	struct stat status;

	if (!*writer->path)
		return writer_fail(writer, "its name is empty");
	if (stat(writer->path, &status) < 0)
		return true;
	if (S_ISDIR(status.st_mode))
		return writer_fail(writer, "it is a directory; give the name of a file in it");
	return S_ISREG(status.st_mode) ||
	       writer_fail(
		       writer,
		       "it is not a regular file; a capture replaces the file of its name at the end");
}

static bool writer_open_part(SptCaptureWriter *writer)
{
	g_autofree char *why = NULL;
	bool is_busy;

	if (!check_target(writer))
		return false;
	writer->fd = spt_part_create(writer->part_path);
	if (writer->fd >= 0)
		return true;
	is_busy = errno == EWOULDBLOCK;
	why = spt_part_failure(writer->part_path, errno);
	writer_fail(writer, "%s", why);
	if (is_busy)
		writer->error->code = SPT_CAPTURE_ERROR_BUSY;
	return false;
}

static void writer_begin(SptCaptureWriter *writer)
{
	spt_file_header_pack(writer->block);
	if (writer_put(writer, writer->block->data, writer->block->len))
		end_flush(writer);
}

static SptCaptureWriter *make_writer(const char *path)
{
	SptCaptureWriter *writer = g_new0(SptCaptureWriter, 1);

	writer->path = g_strdup(path);
	writer->fd = -1;
	writer->n_nodes = 1;
	writer->zstd = ZSTD_createCCtx();
	writer->block = g_byte_array_new();
	writer->waiting = g_byte_array_new();
	writer->texts = g_string_chunk_new(4096);
	writer->packer = spt_packer_new();
	writer->node_packer = spt_node_packer_new();
	spt_table_builder_init(&writer->builder);
	writer->host = g_array_new(FALSE, FALSE, sizeof(SptHostRow));
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		writer->rows[kind] =
			g_array_sized_new(FALSE, FALSE, spt_row_types[kind].schema->row_bytes,
					  SPT_COLUMNS_TILE);
	spt_writer_begin_streams(writer);
	writer->early = g_byte_array_new();
	writer->early_entries = g_array_new(FALSE, FALSE, sizeof(SptIndexRow));
	writer->command_texts = g_string_chunk_new(4096);
	writer->index = g_array_new(FALSE, FALSE, sizeof(SptIndexRow));
	writer->process_ends = g_array_new(FALSE, FALSE, sizeof(SptProcessEndRow));
	writer->bundled = g_array_new(FALSE, FALSE, sizeof(SptPackedBundledRow));
	writer->bundled_texts = g_array_new(FALSE, FALSE, sizeof(SptTextRow));
	writer->text_numbers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (!writer->zstd)
		writer_fail(writer, "there is not enough memory");
	return writer;
}

SptCaptureWriter *spt_capture_writer_new(const char *path, GError **error)
{
	SptCaptureWriter *writer = make_writer(path);

	writer->part_path = g_strconcat(path, ".part", NULL);
	if (!writer->error && writer_open_part(writer))
		writer_begin(writer);
	if (!report(writer, error))
		g_clear_pointer(&writer, spt_capture_writer_free);
	return writer;
}

SptCaptureWriter *spt_capture_writer_new_stream(int fd, const char *name, GError **error)
{
	SptCaptureWriter *writer = make_writer(name);

	writer->fd = fd;
	if (!writer->error)
		writer_begin(writer);
	if (!report(writer, error))
		g_clear_pointer(&writer, spt_capture_writer_free);
	return writer;
}

bool spt_capture_save(const char *path, SptCaptureFill fill, void *data, GError **error)
{
	g_autoptr(SptCaptureWriter) writer = make_writer(path);

	writer->part_path = g_strconcat(path, ".part", NULL);
	if (!writer->error && writer_open_part(writer)) {
		if (!fill(writer->fd, data, error))
			return false;
		close_and_name(writer);
	}
	return report(writer, error);
}

void spt_capture_writer_next_stash(SptCaptureWriter *writer)
{
	spt_packer_forget_names(writer->packer);
	spt_node_packer_forget(writer->node_packer);
	writer->node_base += writer->n_nodes - 1;
	writer->n_nodes = 1;
}

void spt_capture_writer_free(SptCaptureWriter *writer)
{
	if (!writer)
		return;
	if (writer->fd >= 0) {
		if ((writer->flushed_bytes <= SPT_FILE_HEADER_BYTES ||
		     g_error_matches(writer->error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_EMPTY)) &&
		    writer->part_path && spt_part_is_named(writer->fd, writer->part_path))
			unlink(writer->part_path);
		close(writer->fd);
	}
	g_free(writer->path);
	g_free(writer->part_path);
	g_clear_error(&writer->error);
	ZSTD_freeCCtx(writer->zstd);
	spt_packer_free(writer->packer);
	spt_node_packer_free(writer->node_packer);
	spt_table_builder_clear(&writer->builder);
	g_byte_array_unref(writer->block);
	g_byte_array_unref(writer->waiting);
	g_string_chunk_free(writer->texts);
	g_array_unref(writer->host);
	spt_writer_free_streams(writer);
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		g_array_unref(writer->rows[kind]);
	g_byte_array_unref(writer->early);
	g_array_unref(writer->early_entries);
	g_string_chunk_free(writer->command_texts);
	g_array_unref(writer->index);
	g_array_unref(writer->process_ends);
	g_array_unref(writer->bundled);
	g_array_unref(writer->bundled_texts);
	g_hash_table_unref(writer->text_numbers);
	spt_writer_free_declared(writer);
	g_free(writer);
}

uint64_t spt_capture_writer_bytes(const SptCaptureWriter *writer)
{
	return writer->flushed_bytes;
}

static const char *writer_keep(GStringChunk *texts, const char *text)
{
	if (!text || !*text)
		return "";
	return g_string_chunk_insert_len(texts, text, (gssize)strnlen(text, TEXT_MAX_BYTES));
}

void spt_capture_writer_host(SptCaptureWriter *writer, const char *key, const char *value)
{
	SptHostRow row = { writer_keep(writer->texts, key), writer_keep(writer->texts, value) };

	if (strcmp(row.key, "period_ns") == 0)
		writer->period_ns = g_ascii_strtoull(row.value, NULL, 10);
	g_array_append_val(writer->host, row);
}

static void keep_bytes(GStringChunk *texts, uint8_t *member)
{
	SptBytes bytes;

	memcpy(&bytes, member, sizeof(bytes));
	bytes.bytes = MIN(bytes.bytes, SPT_FILE_PIECE_BYTES);
	bytes.data = bytes.bytes ? g_string_chunk_insert_len(texts, bytes.data,
							     (gssize)bytes.bytes) : "";
	memcpy(member, &bytes, sizeof(bytes));
}

static void put_row_of_texts(SptCaptureWriter *writer, SptRowKind kind, const void *row)
{
	const SptSchema *schema = spt_row_types[kind].schema;
	GStringChunk *texts = writer_waits(kind) ? writer->command_texts : writer->texts;
	GArray *rows = writer->rows[kind];
	uint8_t *kept;

	g_array_append_vals(rows, row, 1);
	kept = (uint8_t *)rows->data + (rows->len - 1) * schema->row_bytes;
	for (unsigned i = 0; i < schema->n_fields; i++) {
		const char *text;

		if (schema->fields[i].type == SPT_FIELD_BYTES)
			keep_bytes(texts, kept + schema->fields[i].at);
		if (schema->fields[i].type != SPT_FIELD_TEXT)
			continue;
		memcpy(&text, kept + schema->fields[i].at, sizeof(text));
		text = writer_keep(texts, text);
		memcpy(kept + schema->fields[i].at, &text, sizeof(text));
	}
	if (kind == SPT_ROW_COMMAND_LINE)
		writer->command_bytes +=
			strlen(((SptCommandLineRow *)kept)->text) +
			strlen(((SptCommandLineRow *)kept)->cgroup) + sizeof(SptCommandLineRow);
}

static void writer_put_row(SptCaptureWriter *writer, SptRowKind kind, const void *row)
{
	if (kind == SPT_ROW_DECLARATION)
		spt_writer_declare(writer, row);
	else if (kind == SPT_ROW_DECLARED)
		spt_writer_put_declared(writer, row);
	else
		put_row_of_texts(writer, kind, row);
}

static G_GNUC_NO_INLINE void put_other_rows(SptCaptureWriter *writer, SptRowKind kind,
					    const void *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		writer_put_row(writer, kind, spt_nth_row(kind, rows, i));
}

void spt_capture_writer_put_rows(SptCaptureWriter *writer, SptRowKind kind, const void *rows,
				 size_t n)
{
	/* A recording of none of these is empty. */
	const uint64_t kinds = 1ull << SPT_ROW_SAMPLE | 1ull << SPT_ROW_WAIT |
			       1ull << SPT_ROW_EVENT | 1ull << SPT_ROW_ALLOCATION |
			       1ull << SPT_ROW_DECLARED;

	G_STATIC_ASSERT(SPT_ROWS <= 64);
	writer->has_samples |= kinds >> kind & 1;
	if (kind == SPT_ROW_SAMPLE)
		g_array_append_vals(writer->rows[kind], rows, (guint)n);
	else if (spt_row_types[kind].stream)
		spt_writer_put_stream_rows(writer, kind, rows, n);
	else
		put_other_rows(writer, kind, rows, n);
}

/* A text's number; a new text is written with the next flush. */
static uint32_t writer_number_text(SptCaptureWriter *writer, const char *text)
{
	g_autofree char *cut = text && *text ? g_strndup(text, TEXT_MAX_BYTES) : NULL;
	uint32_t number =
		cut ? GPOINTER_TO_UINT(g_hash_table_lookup(writer->text_numbers, cut)) : 0;
	SptTextRow row = { cut };

	if (number || !cut)
		return number;
	number = g_hash_table_size(writer->text_numbers) + 1;
	g_hash_table_insert(writer->text_numbers, g_steal_pointer(&cut), GUINT_TO_POINTER(number));
	g_array_append_val(writer->bundled_texts, row);
	return number;
}

void spt_capture_writer_bundled(SptCaptureWriter *writer, const SptBundledRow *row)
{
	SptPackedBundledRow packed = {
		.object = row->object,
		.offset = row->offset,
		.level = row->level,
		.function = writer_number_text(writer, row->function),
		.directory = writer_number_text(writer, row->directory),
		.file = writer_number_text(writer, row->file),
		.line = row->line,
		.is_symbol = row->is_symbol,
		.distance = row->distance,
		.symbol_bytes = row->symbol_bytes,
	};

	g_array_append_val(writer->bundled, packed);
}
