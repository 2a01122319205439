/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the writer for declared kinds.  Each is a stream of its own.  Its rows wait as
 * numbers, one row after the other, for the flush that writes their nodes; a text is its place
 * among the kind's texts.
 */
#include <string.h>

#include "capture/declared.h"
#include "capture/events.h"
#include "capture/writer-private.h"

/* Rows that make a block: with these it is below the size of a block whatever the numbers are. */
#define BLOCK_VALUES 400000u
#define BLOCK_TEXT_BYTES (1u << 20)

struct kind {
	SptDeclarationRow row;		/* its texts are in the writer's */
	uint32_t stream;		/* 0: it is not declared in the file yet */
	GArray *numbers;		/* uint64_t; as many a row as there are columns */
	GByteArray *texts;		/* with their nuls */
};

struct spt_writer_declared {
	GPtrArray *kinds;		/* struct kind */
	GHashTable *by_id;		/* id of the caller -> struct kind */
	GStringChunk *texts;
};

static void kind_free(gpointer data)
{
	struct kind *kind = data;

	g_array_unref(kind->numbers);
	g_byte_array_unref(kind->texts);
	g_free(kind);
}

static struct spt_writer_declared *declared_of(SptCaptureWriter *writer)
{
	struct spt_writer_declared *declared = writer->declared;

	if (!declared) {
		declared = writer->declared = g_new0(struct spt_writer_declared, 1);
		declared->kinds = g_ptr_array_new_with_free_func(kind_free);
		declared->by_id = g_hash_table_new(NULL, NULL);
		declared->texts = g_string_chunk_new(1024);
	}
	return declared;
}

void spt_writer_free_declared(SptCaptureWriter *writer)
{
	if (!writer->declared)
		return;
	g_ptr_array_unref(writer->declared->kinds);
	g_hash_table_unref(writer->declared->by_id);
	g_string_chunk_free(writer->declared->texts);
	g_clear_pointer(&writer->declared, g_free);
}

static const char *keep_name(struct spt_writer_declared *declared, const char *name)
{
	const char *text = name ? name : "";

	return g_string_chunk_insert_len(declared->texts, text,
					 (gssize)strnlen(text, SPT_DECLARED_NAME_BYTES));
}

static bool are_alike(const SptDeclarationRow *a, const SptDeclarationRow *b)
{
	if (a->shape != b->shape || a->n_fields != b->n_fields || strcmp(a->name, b->name) != 0)
		return false;
	for (unsigned i = 0; i < a->n_fields; i++)
		if (a->fields[i].type != b->fields[i].type ||
		    strcmp(a->fields[i].name, b->fields[i].name) != 0 ||
		    strcmp(a->fields[i].unit, b->fields[i].unit) != 0)
			return false;
	return true;
}

static struct kind *find_alike(const struct spt_writer_declared *declared,
			       const SptDeclarationRow *row)
{
	for (unsigned i = 0; i < declared->kinds->len; i++) {
		struct kind *kind = declared->kinds->pdata[i];

		if (are_alike(&kind->row, row))
			return kind;
	}
	return NULL;
}

void spt_writer_declare(SptCaptureWriter *writer, const SptDeclarationRow *row)
{
	struct spt_writer_declared *declared = declared_of(writer);
	SptDeclarationRow kept = *row;
	struct kind *kind;

	kept.name = keep_name(declared, row->name);
	kept.title = keep_name(declared, row->title && *row->title ? row->title : row->name);
	kept.n_fields = MIN(row->n_fields, SPT_DECLARED_FIELDS);
	for (unsigned i = 0; i < kept.n_fields; i++) {
		kept.fields[i].name = keep_name(declared, row->fields[i].name);
		kept.fields[i].unit = keep_name(declared, row->fields[i].unit);
	}
	kind = find_alike(declared, &kept);
	if (!kind && (!*kept.name || declared->kinds->len >= SPT_DECLARED_KINDS))
		return;
	if (!kind) {
		kind = g_new0(struct kind, 1);
		kind->row = kept;
		kind->numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		kind->texts = g_byte_array_new();
		g_ptr_array_add(declared->kinds, kind);
	}
	g_hash_table_insert(declared->by_id, GUINT_TO_POINTER(row->id), kind);
}

static unsigned n_columns_of(const struct kind *kind)
{
	return SPT_DECLARED_COLUMNS + kind->row.n_fields;
}

/* The role that also readers of older versions know, for the first field of its type. */
static SptRole role_of(const SptDeclarationRow *row, unsigned field)
{
	bool is_text = row->fields[field].type == SPT_VALUE_TEXT;

	for (unsigned i = 0; i < field; i++)
		if ((row->fields[i].type == SPT_VALUE_TEXT) == is_text)
			return SPT_ROLE_FIELD;
	if (is_text)
		return SPT_ROLE_TEXT;
	return row->shape == SPT_DECLARED_COUNTER ? SPT_ROLE_VALUE : SPT_ROLE_FIELD;
}

static void declare_kind(SptCaptureWriter *writer, struct kind *kind)
{
	static const SptStreamKind shapes[] = {
		[SPT_DECLARED_INSTANT] = SPT_STREAM_MARKS,
		[SPT_DECLARED_INTERVAL] = SPT_STREAM_SPANS,
		[SPT_DECLARED_COUNTER] = SPT_STREAM_COUNTER,
	};
	const SptStreamRow stream = { .kind = shapes[kind->row.shape],
				      .name = kind->row.name,
				      .title = kind->row.title };
	SptStreamColumnRow columns[SPT_DECLARED_COLUMNS + SPT_DECLARED_FIELDS];

	for (unsigned i = 0; i < SPT_DECLARED_COLUMNS; i++)
		columns[i] = (SptStreamColumnRow){ .column = i + 1,
						   .role = spt_declared_roles[i].role,
						   .name = spt_declared_roles[i].name };
	for (unsigned i = 0; i < kind->row.n_fields; i++)
		columns[SPT_DECLARED_COLUMNS + i] = (SptStreamColumnRow){
			.column = SPT_DECLARED_COLUMNS + i + 1,
			.role = role_of(&kind->row, i),
			.name = kind->row.fields[i].name,
			.type = kind->row.fields[i].type,
			.unit = kind->row.fields[i].unit,
		};
	kind->stream = spt_capture_writer_stream(writer, &stream, columns, n_columns_of(kind));
}

static size_t writer_declared_rows_of(const struct kind *kind)
{
	return kind->numbers->len / n_columns_of(kind);
}

static bool is_text_column(const struct kind *kind, unsigned column)
{
	return column >= SPT_DECLARED_COLUMNS &&
	       kind->row.fields[column - SPT_DECLARED_COLUMNS].type == SPT_VALUE_TEXT;
}

static void encode_numbers(SptTableBuilder *builder, const struct kind *kind, unsigned column)
{
	uint64_t *values = spt_table_room(builder, SPT_TABLE_ROOM_VALUES, 1);
	unsigned stride = n_columns_of(kind);

	for (size_t i = 0; i < writer_declared_rows_of(kind); i++)
		values[i] = g_array_index(kind->numbers, uint64_t, i * stride + column);
	spt_table_add_numbers(builder, column + 1, values);
}

static void encode_texts(SptTableBuilder *builder, const struct kind *kind, unsigned column)
{
	g_autofree SptBytes *values = g_new(SptBytes, writer_declared_rows_of(kind));
	unsigned stride = n_columns_of(kind);

	for (size_t i = 0; i < writer_declared_rows_of(kind); i++) {
		const char *text = (const char *)kind->texts->data +
				   g_array_index(kind->numbers, uint64_t, i * stride + column);

		values[i] = (SptBytes){ text, strlen(text) };
	}
	spt_table_add_bytes(builder, column + 1, values);
}

static void drop_rows_of(struct kind *kind)
{
	g_array_set_size(kind->numbers, 0);
	g_byte_array_set_size(kind->texts, 0);
}

/* Writes the rows of a kind as a block. */
static bool write_rows_of(SptCaptureWriter *writer, struct kind *kind)
{
	SptIndexRow entry = { .type = SPT_BLOCK_EVENT, .rows = writer_declared_rows_of(kind) };
	unsigned stride = n_columns_of(kind);
	bool ok;

	entry.stream = kind->stream;
	spt_table_begin(&writer->builder, writer_declared_rows_of(kind));
	spt_table_add_const(&writer->builder, SPT_EVENT_STREAM_COLUMN, kind->stream);
	for (unsigned i = 0; i < stride; i++)
		if (is_text_column(kind, i))
			encode_texts(&writer->builder, kind, i);
		else
			encode_numbers(&writer->builder, kind, i);
	spt_table_end(&writer->builder);
	entry.first_time = UINT64_MAX;
	for (size_t i = 0; i < writer_declared_rows_of(kind); i++) {
		uint64_t time = g_array_index(kind->numbers, uint64_t, i * stride);

		entry.first_time = MIN(entry.first_time, time);
		entry.last_time = MAX(entry.last_time, time);
	}
	ok = spt_writer_write_block(writer, entry);
	drop_rows_of(kind);
	return ok;
}

/* Before the flush that writes their nodes. */
static void write_rows_early(SptCaptureWriter *writer, struct kind *kind)
{
	if (!kind->stream)
		declare_kind(writer, kind);
	if (!writer->error) {
		writer->is_early = true;
		write_rows_of(writer, kind);
		writer->is_early = false;
	}
	drop_rows_of(kind);
}

static uint64_t keep_text(struct kind *kind, const char *text)
{
	const char *end = "";
	guint at = kind->texts->len;

	if (text)
		g_byte_array_append(kind->texts, (const guint8 *)text,
				    (guint)strnlen(text, SPT_DECLARED_TEXT_BYTES));
	g_byte_array_append(kind->texts, (const guint8 *)end, 1);
	return at;
}

static uint64_t number_of_value(struct kind *kind, unsigned field, SptValue value)
{
	switch (kind->row.fields[field].type) {
	case SPT_VALUE_TEXT:
		return keep_text(kind, value.text);
	case SPT_VALUE_I64:
		return spt_zigzag((uint64_t)value.integer);
	default:
		return value.number;
	}
}

void spt_writer_put_declared(SptCaptureWriter *writer, const SptDeclaredRow *row)
{
	struct kind *kind = g_hash_table_lookup(declared_of(writer)->by_id,
						GUINT_TO_POINTER(row->kind));
	uint64_t numbers[SPT_DECLARED_COLUMNS + SPT_DECLARED_FIELDS] = {
		row->time, row->duration_ns, row->cpu, row->thread,
		row->node ? row->node + writer->node_base : 0
	};

	if (!kind || writer->error)
		return;
	for (unsigned i = 0; i < kind->row.n_fields; i++)
		numbers[SPT_DECLARED_COLUMNS + i] = number_of_value(kind, i, row->values[i]);
	g_array_append_vals(kind->numbers, numbers, n_columns_of(kind));
	if (kind->numbers->len >= BLOCK_VALUES || kind->texts->len >= BLOCK_TEXT_BYTES)
		write_rows_early(writer, kind);
}

bool spt_writer_write_declared(SptCaptureWriter *writer)
{
	GPtrArray *kinds = writer->declared ? writer->declared->kinds : NULL;

	for (unsigned i = 0; kinds && i < kinds->len; i++) {
		struct kind *kind = kinds->pdata[i];
		bool is_empty = kind->numbers->len == 0;

		/* In the end also what never came: who asks for it is answered with none. */
		if (!kind->stream && (!is_empty || writer->is_last))
			declare_kind(writer, kind);
		if (writer->error || (!is_empty && !write_rows_of(writer, kind)))
			return false;
	}
	return true;
}

void spt_writer_drop_declared(SptCaptureWriter *writer)
{
	GPtrArray *kinds = writer->declared ? writer->declared->kinds : NULL;

	for (unsigned i = 0; kinds && i < kinds->len; i++)
		drop_rows_of(kinds->pdata[i]);
}
