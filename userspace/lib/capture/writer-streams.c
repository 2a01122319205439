/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of the writer for events: their rows become columns soon, and blocks in the end. */
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

static const SptStreamType *stream_type(SptRowKind kind)
{
	return kind == SPT_ROW_SAMPLE ? &samples_type : spt_row_types[kind].stream;
}

/* The stream of a kind, declared before its first rows. */
static bool declare_stream(SptCaptureWriter *writer, SptRowKind kind)
{
	const SptStreamType *type = stream_type(kind);
	uint32_t id = SAMPLES_STREAM + (kind == SPT_ROW_SAMPLE ? 0 : ++writer->n_streams);
	const SptStreamRow row = {
		.id = id,
		.kind = type->kind,
		.name = type->name,
		.metric = type->metric,
		.unit = type->unit,
		.factor = kind == SPT_ROW_SAMPLE ? writer->period_ns : 0,
	};
	SptStreamColumnRow columns[SPT_TABLE_MAX_COLUMNS];

	for (unsigned i = 0; i < type->n_columns; i++)
		columns[i] = (SptStreamColumnRow){ .stream = id,
						   .column = type->columns[i].field.column,
						   .role = type->columns[i].role,
						   .name = type->columns[i].name };
	writer->streams[kind] = id;
	return write_declaration(writer, &row, columns, type->n_columns);
}

/* The next rows of a kind become columns: those from @at on, at most a tile of them. */
static void writer_streams_add_columns(SptCaptureWriter *writer, SptRowKind kind, guint at)
{
	const SptStreamType *type = stream_type(kind);
	const GArray *rows = writer->rows[kind];
	size_t row_bytes = spt_row_types[kind].schema->row_bytes;
	SptField fields[SPT_TABLE_MAX_COLUMNS];
	SptSchema schema = { row_bytes, type->n_columns, fields };
	SptColumns *columns = &writer->columns[kind];

	for (unsigned i = 0; i < type->n_columns; i++)
		fields[i] = type->columns[i].field;
	if (!columns->values)
		spt_columns_begin(columns,
				  g_new(uint64_t, type->n_columns * SPT_WRITER_BLOCK_ROWS),
				  SPT_WRITER_BLOCK_ROWS);
	spt_columns_add(columns, &schema, rows->data + at * row_bytes,
			MIN(rows->len - at, SPT_COLUMNS_TILE));
}

static void encode_columns(SptCaptureWriter *writer, SptRowKind kind, size_t from, size_t n)
{
	const SptSampleColumn *of = stream_type(kind)->columns;

	spt_table_begin(&writer->builder, n);
	spt_table_add_const(&writer->builder, SPT_EVENT_STREAM_COLUMN, writer->streams[kind]);
	for (unsigned i = 0; i < stream_type(kind)->n_columns; i++)
		spt_columns_encode(&writer->columns[kind], i, of[i].field.column, from, n,
				   &writer->builder);
	spt_table_end(&writer->builder);
}

/* Writes the columns of a kind, in as many blocks as they need. */
static bool write_columns(SptCaptureWriter *writer, SptRowKind kind)
{
	SptColumns *columns = &writer->columns[kind];
	size_t now;

	if (!writer->streams[kind] && !declare_stream(writer, kind))
		return false;
	for (size_t at = 0; at < columns->n; at += now) {
		SptIndexRow entry = { .type = SPT_BLOCK_EVENT, .stream = writer->streams[kind] };

		now = columns->n - at;
		for (encode_columns(writer, kind, at, now);
		     writer->builder.payload->len > SPT_BLOCK_MAX_BYTES && now > 1;) {
			now /= 2;
			encode_columns(writer, kind, at, now);
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

bool spt_writer_write_stream(SptCaptureWriter *writer, SptRowKind kind)
{
	const SptStreamType *type = stream_type(kind);
	GArray *rows = writer->rows[kind];

	spt_pack_nodes(type->columns, type->n_columns, rows, writer->node_base);
	for (guint at = 0; at < rows->len; at += SPT_COLUMNS_TILE) {
		writer_streams_add_columns(writer, kind, at);
		if (writer->columns[kind].n == SPT_WRITER_BLOCK_ROWS &&
		    !write_columns(writer, kind))
			return false;
	}
	return writer->columns[kind].n == 0 || write_columns(writer, kind);
}

/* As many rows as a block has are packed at once. */
static void write_columns_early(SptCaptureWriter *writer, SptRowKind kind)
{
	if (!writer->error && (writer->streams[kind] || declare_stream(writer, kind))) {
		writer->is_early = true;
		write_columns(writer, kind);
		writer->is_early = false;
	}
	spt_columns_restart(&writer->columns[kind]);
}

void spt_writer_put_stream_rows(SptCaptureWriter *writer, SptRowKind kind, const uint8_t *rows,
			    size_t n)
{
	const SptStreamType *type = stream_type(kind);
	GArray *tile = writer->rows[kind];

	while (n > 0) {
		guint before = tile->len, now = (guint)MIN(n, SPT_COLUMNS_TILE - before);

		g_array_append_vals(tile, rows, now);
		if (kind == SPT_ROW_ALLOCATION)
			spt_pack_allocations(&g_array_index(tile, SptAllocationRow, before), now);
		rows += now * spt_row_types[kind].schema->row_bytes;
		n -= now;
		if (tile->len < SPT_COLUMNS_TILE)
			break;
		spt_pack_nodes(type->columns, type->n_columns, tile, writer->node_base);
		writer_streams_add_columns(writer, kind, 0);
		g_array_set_size(tile, 0);
		if (writer->columns[kind].n == SPT_WRITER_BLOCK_ROWS)
			write_columns_early(writer, kind);
	}
}
