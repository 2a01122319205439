/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the writer for events: their rows become columns soon, and blocks in the end. */
#include <string.h>

#include "capture/event-streams.h"
#include "capture/events.h"
#include "capture/writer-private.h"

#define SAMPLES_STREAM 1

static bool write_declaration(SptCaptureWriter *writer, const SptStreamRow *row,
			      const SptStreamColumnRow *columns, unsigned n)
{
	return spt_writer_write_rows(writer, SPT_BLOCK_STREAM, &spt_schema_stream, row, 1) &&
	       spt_writer_write_rows(writer, SPT_BLOCK_STREAM_COLUMN, &spt_schema_stream_column,
				     columns, n);
}

uint32_t spt_capture_writer_stream(SptCaptureWriter *writer, const SptStreamRow *row,
				   const SptStreamColumnRow *columns, unsigned n)
{
	SptStreamRow stream = *row;
	g_autofree SptStreamColumnRow *ours = n ? g_memdup2(columns, n * sizeof(*columns)) : NULL;

	stream.id = SAMPLES_STREAM + ++writer->n_streams;
	for (unsigned i = 0; i < n; i++)
		ours[i].stream = stream.id;
	if (!writer->error)
		write_declaration(writer, &stream, ours, n);
	return stream.id;
}

static const SptStreamType samples_type = {
	SPT_SAMPLES_NAME, "cpu", "ns", SPT_STREAM_SAMPLES, spt_sample_columns, SPT_SAMPLE_COLUMNS,
};

static unsigned n_all_streams(void)
{
	return SPT_ROWS + spt_event_kind_numbers();
}

void spt_writer_begin_streams(SptCaptureWriter *writer)
{
	const SptEventKind *of;

	writer->streams = g_new0(struct spt_writer_stream, n_all_streams());
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		if (kind != SPT_ROW_EVENT)
			writer->streams[kind] = (struct spt_writer_stream){
				.type = spt_row_types[kind].stream,
				.kind = kind,
				.rows = writer->rows[kind],
			};
	writer->streams[SPT_ROW_SAMPLE].type = &samples_type;
	for (unsigned i = 0; (of = spt_event_kind(i)); i++)
		if (of->fields)
			writer->streams[SPT_ROWS + of->number] = (struct spt_writer_stream){
				.type = spt_event_stream(of),
				.kind = SPT_ROW_EVENT,
				.rows = g_array_sized_new(FALSE, FALSE, sizeof(SptEventRow),
							  SPT_COLUMNS_TILE),
			};
}

void spt_writer_drop_stream_rows(SptCaptureWriter *writer)
{
	for (unsigned i = 0; i < n_all_streams(); i++) {
		if (!writer->streams[i].type)
			continue;
		g_array_set_size(writer->streams[i].rows, 0);
		spt_columns_restart(&writer->streams[i].columns);
	}
}

void spt_writer_free_streams(SptCaptureWriter *writer)
{
	for (unsigned i = 0; i < n_all_streams(); i++) {
		g_free(writer->streams[i].columns.values);
		if (i >= SPT_ROWS && writer->streams[i].rows)
			g_array_unref(writer->streams[i].rows);
	}
	g_free(writer->streams);
}

/* The stream is declared before its first rows. */
static bool declare_stream(SptCaptureWriter *writer, struct spt_writer_stream *stream)
{
	const SptStreamType *type = stream->type;
	bool is_samples = type == &samples_type;
	uint32_t id = SAMPLES_STREAM + (is_samples ? 0 : ++writer->n_streams);
	const SptStreamRow row = {
		.id = id,
		.kind = type->kind,
		.name = type->name,
		.metric = type->metric,
		.unit = type->unit,
		.factor = is_samples ? writer->period_ns : 0,
	};
	SptStreamColumnRow columns[SPT_TABLE_MAX_COLUMNS];

	for (unsigned i = 0; i < type->n_columns; i++)
		columns[i] = (SptStreamColumnRow){ .stream = id,
						   .column = type->columns[i].field.column,
						   .role = type->columns[i].role,
						   .name = type->columns[i].name };
	stream->id = id;
	return write_declaration(writer, &row, columns, type->n_columns);
}

/* The next rows become columns: those from @at on, at most a tile of them. */
static void writer_streams_add_columns(struct spt_writer_stream *stream, guint at)
{
	const SptStreamType *type = stream->type;
	size_t row_bytes = spt_row_types[stream->kind].schema->row_bytes;
	SptField fields[SPT_TABLE_MAX_COLUMNS];
	SptSchema schema = { row_bytes, type->n_columns, fields };
	SptColumns *columns = &stream->columns;

	for (unsigned i = 0; i < type->n_columns; i++)
		fields[i] = type->columns[i].field;
	if (!columns->values)
		spt_columns_begin(columns,
				  g_new(uint64_t, type->n_columns * SPT_WRITER_BLOCK_ROWS),
				  SPT_WRITER_BLOCK_ROWS);
	spt_columns_add(columns, &schema, stream->rows->data + at * row_bytes,
			MIN(stream->rows->len - at, SPT_COLUMNS_TILE));
}

static void encode_columns(SptCaptureWriter *writer, const struct spt_writer_stream *stream,
			   size_t from, size_t n)
{
	const SptSampleColumn *of = stream->type->columns;

	spt_table_begin(&writer->builder, n);
	spt_table_add_const(&writer->builder, SPT_EVENT_STREAM_COLUMN, stream->id);
	for (unsigned i = 0; i < stream->type->n_columns; i++)
		spt_columns_encode(&stream->columns, i, of[i].field.column, from, n,
				   &writer->builder);
	spt_table_end(&writer->builder);
}

/* Writes the columns of a stream, in as many blocks as they need. */
static bool write_columns(SptCaptureWriter *writer, struct spt_writer_stream *stream)
{
	SptColumns *columns = &stream->columns;
	size_t now;

	if (!stream->id && !declare_stream(writer, stream))
		return false;
	for (size_t at = 0; at < columns->n; at += now) {
		SptIndexRow entry = { .type = SPT_BLOCK_EVENT, .stream = stream->id };

		now = columns->n - at;
		for (encode_columns(writer, stream, at, now);
		     writer->builder.payload->len > SPT_BLOCK_MAX_BYTES && now > 1;) {
			now /= 2;
			encode_columns(writer, stream, at, now);
		}
		entry.rows = now;
		/* The first column of every stream has times. */
		spt_columns_range(columns, 0, at, now, &entry.first_time, &entry.last_time);
		if (!spt_writer_write_block(writer, entry))
			return false;
	}
	spt_columns_restart(columns);
	return true;
}

static bool write_stream(SptCaptureWriter *writer, struct spt_writer_stream *stream)
{
	const SptStreamType *type = stream->type;
	GArray *rows = stream->rows;

	spt_pack_nodes(type->columns, type->n_columns, rows, writer->node_base);
	for (guint at = 0; at < rows->len; at += SPT_COLUMNS_TILE) {
		writer_streams_add_columns(stream, at);
		if (stream->columns.n == SPT_WRITER_BLOCK_ROWS && !write_columns(writer, stream))
			return false;
	}
	return stream->columns.n == 0 || write_columns(writer, stream);
}

bool spt_writer_write_stream(SptCaptureWriter *writer, SptRowKind kind)
{
	bool ok = true;

	if (kind != SPT_ROW_EVENT)
		return write_stream(writer, &writer->streams[kind]);
	for (unsigned i = SPT_ROWS; ok && i < n_all_streams(); i++)
		if (writer->streams[i].type)
			ok = write_stream(writer, &writer->streams[i]);
	return ok;
}

/* As many rows as a block has are packed at once. */
static void write_columns_early(SptCaptureWriter *writer, struct spt_writer_stream *stream)
{
	if (!writer->error && (stream->id || declare_stream(writer, stream))) {
		writer->is_early = true;
		write_columns(writer, stream);
		writer->is_early = false;
	}
	spt_columns_restart(&stream->columns);
}

/* The tile is full. */
static G_GNUC_NO_INLINE void add_tile_of_stream(SptCaptureWriter *writer,
						struct spt_writer_stream *stream)
{
	spt_pack_nodes(stream->type->columns, stream->type->n_columns, stream->rows,
		       writer->node_base);
	writer_streams_add_columns(stream, 0);
	g_array_set_size(stream->rows, 0);
	if (stream->columns.n == SPT_WRITER_BLOCK_ROWS)
		write_columns_early(writer, stream);
}

/* @n: no more than its tile has room for. */
static inline void put_into_tile(SptCaptureWriter *writer, struct spt_writer_stream *stream,
				 const uint8_t *rows, guint n)
{
	GArray *tile = stream->rows;
	size_t row_bytes = spt_row_types[stream->kind].schema->row_bytes;

	/* It was made with room for them. */
	memcpy(tile->data + tile->len * row_bytes, rows, n * row_bytes);
	tile->len += n;
	if (stream->kind == SPT_ROW_ALLOCATION)
		spt_pack_allocations(&g_array_index(tile, SptAllocationRow, tile->len - n), n);
	if (tile->len == SPT_COLUMNS_TILE)
		add_tile_of_stream(writer, stream);
}

static G_GNUC_NO_INLINE void put_many_rows(SptCaptureWriter *writer,
					   struct spt_writer_stream *stream, const uint8_t *rows,
					   size_t n)
{
	size_t row_bytes = spt_row_types[stream->kind].schema->row_bytes;

	for (guint now; n > 0; n -= now, rows += now * row_bytes) {
		now = (guint)MIN(n, SPT_COLUMNS_TILE - stream->rows->len);
		put_into_tile(writer, stream, rows, now);
	}
}

/* Most come one by one. */
static inline void put_rows_of_stream(SptCaptureWriter *writer, struct spt_writer_stream *stream,
				      const uint8_t *rows, size_t n)
{
	if (n == 1)
		put_into_tile(writer, stream, rows, 1);
	else
		put_many_rows(writer, stream, rows, n);
}

/* Rows of a kind that follow each other are put together. */
static G_GNUC_NO_INLINE void put_events(SptCaptureWriter *writer, const SptEventRow *rows,
					size_t n)
{
	for (size_t i = 0, next; i < n; i = next) {
		struct spt_writer_stream *stream = &writer->streams[SPT_ROWS];

		for (next = i + 1; next < n && rows[next].kind == rows[i].kind;)
			next++;
		if (rows[i].kind >= spt_event_kind_numbers() || !stream[rows[i].kind].type)
			continue;
		put_rows_of_stream(writer, &stream[rows[i].kind], (const uint8_t *)&rows[i],
				   next - i);
	}
}

void spt_writer_put_stream_rows(SptCaptureWriter *writer, SptRowKind kind, const uint8_t *rows,
				size_t n)
{
	if (kind == SPT_ROW_EVENT)
		put_events(writer, (const SptEventRow *)rows, n);
	else
		put_rows_of_stream(writer, &writer->streams[kind], rows, n);
}
