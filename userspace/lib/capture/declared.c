/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations are collected once for a capture; events are read again from the file. */
#include "capture/declared.h"

#include <string.h>

#include "capture/events.h"

#define BATCH 256
/* As for other streams (stream-rows.c): no real file has more. */

enum { TIME, DURATION, CPU, THREAD, NODE };

const SptDeclaredColumn spt_declared_roles[SPT_DECLARED_COLUMNS] = {
	[TIME] = { SPT_ROLE_TIME, "time" },	  [DURATION] = { SPT_ROLE_DURATION, "duration" },
	[CPU] = { SPT_ROLE_CPU, "cpu" },	  [THREAD] = { SPT_ROLE_THREAD, "thread" },
	[NODE] = { SPT_ROLE_NODE, "node" },
};

struct declarations {
	SptDeclared *kinds;
	unsigned n;
	GHashTable *by_name;		/* const SptDeclared */
	GStringChunk *texts;
};

static void declarations_free(gpointer data)
{
	struct declarations *declarations = data;

	g_free(declarations->kinds);
	g_hash_table_unref(declarations->by_name);
	g_string_chunk_free(declarations->texts);
	g_free(declarations);
}

/* A name as it can be shown anywhere. */
static char *clean_name(const char *name)
{
	g_autofree char *cut = g_strndup(name, SPT_DECLARED_NAME_BYTES);
	g_autofree char *valid = g_utf8_make_valid(cut, -1);
	GString *clean = g_string_new(NULL);

	for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
		gunichar letter = g_utf8_get_char(at);

		g_string_append_unichar(clean, g_unichar_isprint(letter) ? letter : 0xfffd);
	}
	return g_string_free(clean, FALSE);
}

static const char *keep_clean(struct declarations *declarations, const char *name)
{
	g_autofree char *clean = clean_name(name);

	return g_string_chunk_insert_const(declarations->texts, clean);
}

/* Another kind of the same name has the number of its stream behind it: "name~7". */
static const char *unique_name(struct declarations *declarations, const char *name, uint32_t stream)
{
	g_autofree char *clean = clean_name(*name ? name : "?");
	g_autofree char *other = g_strdup(clean);

	for (uint32_t i = stream; g_hash_table_contains(declarations->by_name, other); i++) {
		g_free(other);
		other = g_strdup_printf("%s~%u", clean, i);
	}
	return g_string_chunk_insert(declarations->texts, other);
}

static bool is_declaration(const SptCapture *capture, const SptStreamRow *stream)
{
	return stream->id && stream->id != capture->samples_stream && stream->title &&
	       *stream->title &&
	       (stream->kind == SPT_STREAM_MARKS || stream->kind == SPT_STREAM_SPANS ||
		stream->kind == SPT_STREAM_COUNTER);
}

static SptDeclaredShape declared_shape_of(const SptStreamRow *stream)
{
	return stream->kind == SPT_STREAM_MARKS ? SPT_DECLARED_INSTANT :
	       stream->kind == SPT_STREAM_SPANS ? SPT_DECLARED_INTERVAL :
						  SPT_DECLARED_COUNTER;
}

static void add_field(struct declarations *declarations, SptDeclared *kind,
		      const SptStreamColumnRow *column)
{
	unsigned i = 0;
	const char *name;

	/* The last declaration of a column counts. */
	while (i < kind->n_fields && kind->columns[SPT_DECLARED_COLUMNS + i] != column->column)
		i++;
	if (i == SPT_DECLARED_FIELDS || !spt_value_type_name((SptValueType)column->type))
		return;
	name = keep_clean(declarations, column->name);
	for (unsigned k = 0; k < kind->n_fields; k++)
		if (!*name || (k != i && strcmp(kind->fields[k].name, name) == 0))
			return;
	kind->n_fields = MAX(kind->n_fields, i + 1);
	kind->columns[SPT_DECLARED_COLUMNS + i] = column->column;
	kind->fields[i] = (SptDeclaredField){ name, keep_clean(declarations, column->unit),
					      (SptValueType)column->type };
}

static void declared_add_column(struct declarations *declarations, SptDeclared *kind,
				const SptStreamColumnRow *column)
{
	if (column->type) {
		add_field(declarations, kind, column);
		return;
	}
	for (unsigned i = 0; i < SPT_DECLARED_COLUMNS; i++)
		if (spt_declared_roles[i].role == column->role)
			kind->columns[i] = column->column;
}

static gpointer declared_collect(const SptCapture *capture, G_GNUC_UNUSED gpointer key)
{
	struct declarations *declarations = g_new0(struct declarations, 1);
	g_autofree uint32_t *kind_of = g_new0(uint32_t, MAX(capture->n_streams, 1));
	unsigned n = 0;

	for (uint32_t i = 1; i < capture->n_streams && n < SPT_DECLARED_KINDS; i++)
		if (is_declaration(capture, &capture->streams[i]))
			kind_of[i] = ++n;
	declarations->kinds = g_new0(SptDeclared, MAX(n, 1));
	declarations->n = n;
	declarations->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	declarations->texts = g_string_chunk_new(1024);
	for (uint32_t i = 1; i < capture->n_streams; i++) {
		const SptStreamRow *stream = &capture->streams[i];
		SptDeclared *kind = &declarations->kinds[MAX(kind_of[i], 1) - 1];

		if (!kind_of[i])
			continue;
		kind->name = unique_name(declarations, stream->name, i);
		kind->title = keep_clean(declarations, stream->title);
		kind->shape = declared_shape_of(stream);
		kind->rows = stream->rows;
		kind->stream = stream->id;
		g_hash_table_insert(declarations->by_name, (gpointer)kind->name, kind);
	}
	for (uint64_t i = 0; i < capture->n_columns; i++) {
		uint32_t stream = capture->columns[i].stream;

		if (stream < capture->n_streams && kind_of[stream])
			declared_add_column(declarations, &declarations->kinds[kind_of[stream] - 1],
					    &capture->columns[i]);
	}
	return declarations;
}

static const struct declarations *declarations_of(const SptCapture *capture)
{
	static const char key;

	return spt_capture_keep(capture, (gpointer)&key, declared_collect, declarations_free);
}

const SptDeclared *spt_declared(const SptCapture *capture, unsigned i)
{
	const struct declarations *declarations = declarations_of(capture);

	return i < declarations->n ? &declarations->kinds[i] : NULL;
}

const SptDeclared *spt_declared_find(const SptCapture *capture, const char *name)
{
	return g_hash_table_lookup(declarations_of(capture)->by_name, name);
}

bool spt_declared_find_field(const SptDeclared *kind, const char *name, unsigned *ret)
{
	for (unsigned i = 0; i < kind->n_fields; i++) {
		if (strcmp(kind->fields[i].name, name) != 0)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

struct SptDeclaredReader {
	const SptCapture *capture;
	const SptDeclared *kind;
	SptEvents *events;
	uint64_t n;			/* rows so far */
	uint32_t left;			/* rows of the table */
	SptColumnCursor cursors[SPT_DECLARED_COLUMNS + SPT_DECLARED_FIELDS];
	bool has[SPT_DECLARED_COLUMNS + SPT_DECLARED_FIELDS];
	GStringChunk *texts;		/* of the batch */
	SptDeclaredRow rows[BATCH];
};

SptDeclaredReader *spt_declared_reader_new(const SptCapture *capture, const SptDeclared *kind)
{
	SptDeclaredReader *reader = g_new0(SptDeclaredReader, 1);

	reader->capture = capture;
	reader->kind = kind;
	reader->events = spt_events_new(capture, SPT_BLOCK_EVENT, kind->stream);
	reader->texts = g_string_chunk_new(4096);
	return reader;
}

void spt_declared_reader_free(SptDeclaredReader *reader)
{
	if (!reader)
		return;
	spt_events_free(reader->events);
	g_string_chunk_free(reader->texts);
	g_free(reader);
}

static bool declared_is_text(const SptDeclared *kind, unsigned column)
{
	return column >= SPT_DECLARED_COLUMNS &&
	       kind->fields[column - SPT_DECLARED_COLUMNS].type == SPT_VALUE_TEXT;
}

/* Begins a table.  False: a column is not of the type that was declared. */
static bool declared_begin_table(SptDeclaredReader *reader, const SptTable *table)
{
	const SptDeclared *kind = reader->kind;

	for (unsigned i = 0; i < SPT_DECLARED_COLUMNS + kind->n_fields; i++) {
		const SptColumn *column =
			kind->columns[i] ? spt_table_column(table, kind->columns[i]) : NULL;

		reader->has[i] = column != NULL;
		if (column && (declared_is_text(kind, i) != (column->coding == SPT_CODING_BYTES) ||
			       !spt_column_begin(&reader->cursors[i], column, table->rows)))
			return false;
	}
	reader->left = table->rows;
	reader->n += table->rows;
	return true;
}

static bool declared_find_table(SptDeclaredReader *reader)
{
	const SptTable *table;

	while (reader->left == 0) {
		table = spt_events_next(reader->events, NULL);
		if (!table || !spt_events_may_have(reader->capture, reader->n, table->rows))
			return false;
		if (!declared_begin_table(reader, table))
			reader->left = 0;
	}
	return true;
}

static bool read_texts(SptDeclaredReader *reader, unsigned column, unsigned field, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		SptBytes text = { "", 0 };

		if (reader->has[column] &&
		    !spt_column_next_bytes(&reader->cursors[column], &text))
			return false;
		reader->rows[i].values[field].text = g_string_chunk_insert_len(
			reader->texts, text.data,
			(gssize)MIN(text.bytes, SPT_DECLARED_TEXT_BYTES));
	}
	return true;
}

static bool read_numbers(SptDeclaredReader *reader, unsigned column, uint64_t *values, unsigned n)
{
	memset(values, 0, n * sizeof(*values));
	return !reader->has[column] ||
	       spt_column_next_numbers(&reader->cursors[column], values, n);
}

static bool read_field(SptDeclaredReader *reader, unsigned field, unsigned n)
{
	unsigned column = SPT_DECLARED_COLUMNS + field;
	bool is_signed = reader->kind->fields[field].type == SPT_VALUE_I64;
	uint64_t values[BATCH];

	if (declared_is_text(reader->kind, column))
		return read_texts(reader, column, field, n);
	if (!read_numbers(reader, column, values, n))
		return false;
	for (unsigned i = 0; i < n; i++)
		reader->rows[i].values[field].number =
			is_signed ? spt_unzigzag(values[i]) : values[i];
	return true;
}

static uint32_t existing_thread(const SptCapture *capture, uint64_t id)
{
	return id < capture->n_threads && capture->threads[id].id == id ? (uint32_t)id : 0;
}

static bool declared_read_batch(SptDeclaredReader *reader, unsigned n)
{
	const SptCapture *capture = reader->capture;
	uint64_t values[SPT_DECLARED_COLUMNS][BATCH];

	for (unsigned i = 0; i < SPT_DECLARED_COLUMNS; i++)
		if (!read_numbers(reader, i, values[i], n))
			return false;
	for (unsigned i = 0; i < n; i++)
		reader->rows[i] = (SptDeclaredRow){
			.time = values[TIME][i],
			.duration_ns = MIN(values[DURATION][i], UINT64_MAX - values[TIME][i]),
			.kind = reader->kind->stream,
			.cpu = (uint32_t)MIN(values[CPU][i], UINT32_MAX),
			.thread = existing_thread(capture, values[THREAD][i]),
			.node = values[NODE][i] < capture->n_nodes ? (uint32_t)values[NODE][i] : 0,
		};
	g_string_chunk_clear(reader->texts);
	for (unsigned i = 0; i < reader->kind->n_fields; i++)
		if (!read_field(reader, i, n))
			return false;
	return true;
}

const SptDeclaredRow *spt_declared_reader_next(SptDeclaredReader *reader, uint32_t *ret_n)
{
	while (declared_find_table(reader)) {
		unsigned n = MIN(reader->left, BATCH);

		if (!declared_read_batch(reader, n)) {
			reader->left = 0;
			continue;
		}
		reader->left -= n;
		*ret_n = n;
		return reader->rows;
	}
	*ret_n = 0;
	return NULL;
}
