/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables into flat arrays.  A block's rows are decoded, all of them are checked, and only then do they count, so that
 * no reference leads nowhere.  Memory and work both hang on one budget: a column of one constant makes millions
 * of rows out of a few bytes, therefore rows are paid for before they are made, also those that replace others.
 */
#include "capture/rows.h"

#include <string.h>

#include "capture/store.h"

/* A host has some twenty facts; a table that is chosen to collide in the hash must stay cheap. */
#define MAX_HOST_KEYS 4096

struct SptRows {
	SptCapture *capture;
	uint64_t budget_bytes;
	SptStore objects, processes, threads, streams;		/* by id */
	SptStore nodes, samples, names, accounts, losses;		/* in order */
	SptStore scratch;
	uint32_t samples_stream;
	uint32_t sample_columns[SPT_SAMPLE_COLUMNS];		/* 0: not declared */
};

static bool damaged(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool damaged(GError **error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_propagate_error(error, g_error_new_valist(SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED, format, arguments));
	va_end(arguments);
	return false;
}

bool spt_rows_spend(SptRows *rows, uint64_t bytes, GError **error)
{
	if (bytes > rows->budget_bytes)
		return damaged(error, "it unpacks to far more than a file of this size can hold");
	rows->budget_bytes -= bytes;
	return true;
}

static bool exists_or_0(const SptStore *store, uint32_t id)
{
	return id == 0 || spt_store_has(store, id);
}

/* Decodes behind the last row of @store, without counting the rows yet.  NULL is an error: also no rows need a place. */
static void *decode(SptRows *rows, SptStore *store, const SptSchema *schema, const SptTable *table, GError **error)
{
	void *first;

	if (!spt_rows_spend(rows, (uint64_t)table->rows * store->schema->row_bytes, error) ||
	    !spt_store_reserve(store, MAX(store->n + table->rows, 1), error))
		return NULL;
	first = spt_store_row(store, store->n);
	return spt_schema_decode(schema, table, first, rows->capture->texts, error) ? first : NULL;
}

static void *decode_scratch(SptRows *rows, const SptSchema *schema, const SptTable *table, GError **error)
{
	g_clear_pointer(&rows->scratch.data, g_free);
	rows->scratch = (SptStore) { .schema = schema };
	return decode(rows, &rows->scratch, schema, table, error);
}

/* Puts the rows of scratch at their ids. */
static bool put_by_id(SptRows *rows, SptStore *store, uint32_t n, GError **error)
{
	uint64_t end = store->n;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = spt_store_id(&rows->scratch, i);

		if (id == 0)
			return damaged(error, "row %u has id 0, which is reserved", i);
		end = MAX(end, (uint64_t)id + 1);
	}
	if (!spt_rows_spend(rows, (end - store->n) * store->schema->row_bytes, error) ||
	    !spt_store_reserve(store, end, error))
		return false;
	store->n = end;
	for (uint32_t i = 0; i < n; i++)
		memcpy(spt_store_row(store, spt_store_id(&rows->scratch, i)), spt_store_row(&rows->scratch, i),
		       store->schema->row_bytes);
	return true;
}

static bool take_host(SptRows *rows, const SptTable *table, GError **error)
{
	GHashTable *host = rows->capture->host;
	const SptHostRow *row = decode_scratch(rows, &spt_schema_host, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++, row++) {
		if (g_hash_table_size(host) >= MAX_HOST_KEYS)
			return damaged(error, "it has more facts about the host than %u", MAX_HOST_KEYS);
		g_hash_table_insert(host, (char *)row->key, (char *)row->value);
	}
	return true;
}

static bool take_objects(SptRows *rows, const SptTable *table, GError **error)
{
	SptObjectRow *row = decode_scratch(rows, &spt_schema_object, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++)
		if (row[i].kind > SPT_OBJECT_FILE)
			row[i].kind = SPT_OBJECT_UNKNOWN;
	return put_by_id(rows, &rows->objects, table->rows, error);
}

/* Parents may come behind their children within a block: they are checked once all are there. */
static bool take_processes(SptRows *rows, const SptTable *table, GError **error)
{
	const SptProcessRow *row = decode_scratch(rows, &spt_schema_process, table, error);
	bool whole = true;

	if (!row || !put_by_id(rows, &rows->processes, table->rows, error))
		return false;
	for (uint32_t i = 0; i < table->rows; i++, row++) {
		SptProcessRow *process = spt_store_row(&rows->processes, row->id);

		if (exists_or_0(&rows->processes, process->parent))
			continue;
		if (whole)
			whole = damaged(error, "process %u has parent %u, which is not there", row->id, process->parent);
		process->parent = 0;
	}
	return whole;
}

static bool take_threads(SptRows *rows, const SptTable *table, GError **error)
{
	const SptThreadRow *row = decode_scratch(rows, &spt_schema_thread, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++)
		if (!exists_or_0(&rows->processes, row[i].process))
			return damaged(error, "thread %u is of process %u, which is not there", row[i].id, row[i].process);
	return put_by_id(rows, &rows->threads, table->rows, error);
}

static bool take_nodes(SptRows *rows, const SptTable *table, GError **error)
{
	SptStore *store = &rows->nodes;
	SptNode *node = decode(rows, store, store->schema, table, error);

	if (!node)
		return false;
	if (store->n + table->rows > UINT32_MAX)
		return damaged(error, "there are more nodes than ids");
	for (uint32_t i = 0; i < table->rows; i++, node++) {
		uint32_t id = (uint32_t)store->n + i, distance = node->parent;

		if (distance == 0 || distance > id)
			return damaged(error, "node %u has no parent before it", id);
		if (!exists_or_0(&rows->objects, node->frame.object))
			return damaged(error, "node %u is in object %u, which is not there", id, node->frame.object);
		if (node->frame.kind > SPT_FRAME_EXACT)
			node->frame.kind = SPT_FRAME_CALL;
		node->parent = id - distance;
	}
	store->n += table->rows;
	return true;
}

static bool take_streams(SptRows *rows, const SptTable *table, GError **error)
{
	SptStreamRow *row = decode_scratch(rows, &spt_schema_stream, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++, row++) {
		bool samples = row->kind == SPT_STREAM_SAMPLES && strcmp(row->name, SPT_SAMPLES_NAME) == 0;

		if (spt_store_has(&rows->streams, row->id))
			row->rows = ((SptStreamRow *)spt_store_row(&rows->streams, row->id))->rows;
		if (samples && rows->samples_stream == 0) {
			rows->samples_stream = row->id;
			memset(rows->sample_columns, 0, sizeof(rows->sample_columns));
		} else if (!samples && rows->samples_stream == row->id) {
			rows->samples_stream = 0;
		}
	}
	return put_by_id(rows, &rows->streams, table->rows, error);
}

static void declare_sample_column(SptRows *rows, const SptStreamColumnRow *row)
{
	for (unsigned i = 0; i < SPT_SAMPLE_COLUMNS; i++) {
		if (spt_sample_columns[i].role == row->role)
			rows->sample_columns[i] = row->column;
		else if (rows->sample_columns[i] == row->column)
			rows->sample_columns[i] = 0;
	}
}

static bool take_stream_columns(SptRows *rows, const SptTable *table, GError **error)
{
	const SptStreamColumnRow *row = decode_scratch(rows, &spt_schema_stream_column, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++, row++) {
		if (!spt_store_has(&rows->streams, row->stream))
			return damaged(error, "it declares a column of stream %u, which is not there", row->stream);
		if (row->column == SPT_EVENT_STREAM_COLUMN)
			return damaged(error, "it declares column 0 of stream %u, which is reserved", row->stream);
		if (row->stream == rows->samples_stream)
			declare_sample_column(rows, row);
	}
	return true;
}

static bool take_samples(SptRows *rows, const SptTable *table, GError **error)
{
	SptField fields[SPT_SAMPLE_COLUMNS];
	SptSchema declared = { sizeof(SptSampleRow), 0, fields };
	const SptSampleRow *sample;

	for (unsigned i = 0; i < SPT_SAMPLE_COLUMNS; i++) {
		if (rows->sample_columns[i] == 0)
			continue;
		fields[declared.n_fields] = spt_sample_columns[i].field;
		fields[declared.n_fields++].column = rows->sample_columns[i];
	}
	sample = decode(rows, &rows->samples, &declared, table, error);
	if (!sample)
		return false;
	for (uint32_t i = 0; i < table->rows; i++, sample++) {
		if (!exists_or_0(&rows->threads, sample->thread))
			return damaged(error, "row %u is of thread %u, which is not there", i, sample->thread);
		if (sample->node >= rows->nodes.n)
			return damaged(error, "row %u has node %u, which is not there", i, sample->node);
	}
	rows->samples.n += table->rows;
	return true;
}

static bool take_events(SptRows *rows, const SptTable *table, GError **error)
{
	const SptColumn *column = spt_table_column(table, SPT_EVENT_STREAM_COLUMN);
	SptColumnCursor cursor;
	SptStreamRow *stream;

	if (!column || column->coding != SPT_CODING_CONST || !spt_column_begin(&cursor, column, table->rows) ||
	    !spt_column_done(&cursor))
		return damaged(error, "its rows do not tell their stream");
	if (cursor.value == 0 || cursor.value > UINT32_MAX || !spt_store_has(&rows->streams, (uint32_t)cursor.value))
		return damaged(error, "its rows are of stream %" G_GUINT64_FORMAT ", which is not there", cursor.value);
	stream = spt_store_row(&rows->streams, cursor.value);
	if (stream->id == rows->samples_stream && !take_samples(rows, table, error))
		return false;
	stream->rows += table->rows;
	return true;
}

static bool take_names(SptRows *rows, const SptTable *table, GError **error)
{
	const SptNameRow *name = decode(rows, &rows->names, &spt_schema_name, table, error);

	if (!name)
		return false;
	for (uint32_t i = 0; i < table->rows; i++)
		if (!exists_or_0(&rows->objects, name[i].object))
			return damaged(error, "row %u names object %u, which is not there", i, name[i].object);
	rows->names.n += table->rows;
	return true;
}

/* Rows without references. */
static bool take_plain(SptRows *rows, SptStore *store, const SptTable *table, GError **error)
{
	if (!decode(rows, store, store->schema, table, error))
		return false;
	store->n += table->rows;
	return true;
}

static bool take_end(SptRows *rows, const SptTable *table, GError **error)
{
	const SptEndRow *row = decode_scratch(rows, &spt_schema_end, table, error);

	if (!row)
		return false;
	rows->capture->finished = true;
	rows->capture->end_time = row->time;
	return true;
}

bool spt_rows_wants(uint16_t type)
{
	return (type >= SPT_BLOCK_HOST && type <= SPT_BLOCK_LOSS) || type == SPT_BLOCK_END;
}

bool spt_rows_take(SptRows *rows, uint16_t type, const SptTable *table, GError **error)
{
	switch (type) {
	case SPT_BLOCK_HOST:
		return take_host(rows, table, error);
	case SPT_BLOCK_OBJECT:
		return take_objects(rows, table, error);
	case SPT_BLOCK_PROCESS:
		return take_processes(rows, table, error);
	case SPT_BLOCK_THREAD:
		return take_threads(rows, table, error);
	case SPT_BLOCK_NODE:
		return take_nodes(rows, table, error);
	case SPT_BLOCK_STREAM:
		return take_streams(rows, table, error);
	case SPT_BLOCK_STREAM_COLUMN:
		return take_stream_columns(rows, table, error);
	case SPT_BLOCK_EVENT:
		return take_events(rows, table, error);
	case SPT_BLOCK_NAME:
		return take_names(rows, table, error);
	case SPT_BLOCK_ACCOUNT:
		return take_plain(rows, &rows->accounts, table, error);
	case SPT_BLOCK_LOSS:
		return take_plain(rows, &rows->losses, table, error);
	case SPT_BLOCK_END:
		return take_end(rows, table, error);
	}
	return true;
}

/* Each process is visited once: a walk towards the ancestors ends at the first that an earlier walk has seen. */
static bool cut_circles(SptProcessRow *processes, uint64_t n)
{
	g_autofree uint32_t *seen_by = g_try_new0(uint32_t, n);
	bool whole = true;

	for (uint64_t start = 1; start < n; start++) {
		uint32_t id = (uint32_t)start;

		while (seen_by && id != 0 && seen_by[id] == 0) {
			seen_by[id] = (uint32_t)start;
			id = processes[id].parent;
		}
		if (!seen_by || (id != 0 && seen_by[id] == start)) {
			processes[id].parent = 0;
			whole = false;
		}
	}
	return whole;
}

static void *steal_by_id(SptStore *store, uint32_t *ret_n)
{
	uint64_t n;
	void *data;

	spt_store_fill_holes(store);
	data = spt_store_steal(store, &n);
	*ret_n = (uint32_t)n;
	return data;
}

bool spt_rows_finish(SptRows *rows)
{
	SptCapture *capture = rows->capture;

	capture->objects = steal_by_id(&rows->objects, &capture->n_objects);
	capture->processes = steal_by_id(&rows->processes, &capture->n_processes);
	capture->threads = steal_by_id(&rows->threads, &capture->n_threads);
	capture->streams = steal_by_id(&rows->streams, &capture->n_streams);
	capture->nodes = steal_by_id(&rows->nodes, &capture->n_nodes);
	capture->samples = spt_store_steal(&rows->samples, &capture->n_samples);
	capture->names = spt_store_steal(&rows->names, &capture->n_names);
	capture->accounts = spt_store_steal(&rows->accounts, &capture->n_accounts);
	capture->losses = spt_store_steal(&rows->losses, &capture->n_losses);
	return cut_circles(capture->processes, capture->n_processes);
}

SptRows *spt_rows_new(SptCapture *capture, uint64_t budget_bytes)
{
	/* Its fields are what the file declares, but the rows are always these. */
	static const SptSchema sample_schema = { .row_bytes = sizeof(SptSampleRow) };
	SptRows *rows = g_new0(SptRows, 1);

	rows->capture = capture;
	rows->budget_bytes = budget_bytes;
	rows->objects = spt_store_new(&spt_schema_object, 1);
	rows->processes = spt_store_new(&spt_schema_process, 1);
	rows->threads = spt_store_new(&spt_schema_thread, 1);
	rows->streams = spt_store_new(&spt_schema_stream, 1);
	rows->nodes = spt_store_new(&spt_schema_node, 1);
	rows->samples = spt_store_new(&sample_schema, 0);
	rows->names = spt_store_new(&spt_schema_name, 0);
	rows->accounts = spt_store_new(&spt_schema_account, 0);
	rows->losses = spt_store_new(&spt_schema_loss, 0);
	return rows;
}

/* What finish() did not hand over is only scratch. */
void spt_rows_free(SptRows *rows)
{
	g_free(rows->scratch.data);
	g_free(rows);
}
