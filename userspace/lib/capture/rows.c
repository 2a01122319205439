/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns tables into flat arrays.  A block's rows are decoded and all checked before any counts, so
 * that no reference is invalid.  Memory and work have a budget each.  A constant column makes
 * millions of rows of a few bytes, so they are charged first, also those that replace others.
 */
#include "capture/rows.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/words.h"
#include "capture/events.h"
#include "capture/leaves.h"
#include "capture/nodes.h"
#include "capture/row-packer.h"
#include "capture/samples.h"
#include "capture/store.h"

/* A host has some twenty facts; a table of colliding keys must stay cheap. */
#define MAX_HOST_KEYS 4096

/*
 * A file costs at most 4 times its size and 64 MiB, or, if that is more, 64 times its size: very
 * similar stacks pack that well.  Thousands of similar recordings that are merged pack better
 * still, so a file that a writer has ended may have a share of the machine's memory.  This covers
 * all but the packed samples, which take no more than the file, and the reader's two buffers of a
 * block each.
 */
#define MACHINE_PART 16
#define LEAST_MEMORY_BYTES (44ull << 20)
#define MEMORY_PER_FILE_BYTE 3
#define MOST_MEMORY_PER_FILE_BYTE 63
#define OTHER_MEMORY_BYTES (20ull << 20)
/* Sum of rows and payloads; identical samples take less than a bit each. */
#define LEAST_WORK_BYTES (256ull << 20)
#define WORK_PER_FILE_BYTE 1024

/* Unpacked. */
static const SptSchema schema_nodes = { sizeof(SptNode), 0, NULL };
static const SptSchema schema_bundled = { sizeof(SptBundledRow), 0, NULL };

struct SptRows {
	SptCapture *capture;
	uint64_t memory_bytes;					/* limit */
	uint64_t texts_bytes;
	uint64_t work_bytes;					/* rest */
	SptStore objects, processes, threads, streams;		/* by id */
	SptStore nodes, names, columns, command_lines, maps;	/* in order */
	SptStore plain[SPT_ROWS];				/* likewise */
	SptStore texts, bundled;				/* likewise; texts from 1 on */
	GArray *places;						/* SptBlockPlace */
	SptNodeUnpacker unpacker;
	SptStore scratch;
	SptLeaves leaves;
	bool has_leaves;					/* until rows need their memory */
	uint32_t samples_stream;
	SptSampleLayout layout;					/* as declared */
};

G_GNUC_PRINTF(2, 3) static bool rows_damaged(GError **error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_propagate_error(error, g_error_new_valist(SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED,
						    spt_words(format), arguments));
	va_end(arguments);
	return false;
}

static bool work(SptRows *rows, uint64_t bytes, GError **error)
{
	if (bytes > rows->work_bytes)
		return rows_damaged(error,
				    "it unpacks to far more than a file of this size can hold");
	rows->work_bytes -= bytes;
	return true;
}

/* The memory that may still be taken. */
static uint64_t memory_left(const SptRows *rows)
{
	uint64_t used = spt_store_bytes(&rows->objects) + spt_store_bytes(&rows->processes) +
			spt_store_bytes(&rows->threads) + spt_store_bytes(&rows->streams) +
			spt_store_bytes(&rows->nodes) + spt_store_bytes(&rows->names) +
			spt_store_bytes(&rows->columns) + spt_store_bytes(&rows->texts) +
			spt_store_bytes(&rows->bundled) + spt_store_bytes(&rows->command_lines) +
			spt_store_bytes(&rows->maps) +
			2 * (uint64_t)rows->places->len * sizeof(SptBlockPlace) +
			rows->texts_bytes + rows->leaves.bytes +
			spt_node_unpacker_bytes(&rows->unpacker);

	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		used += spt_store_bytes(&rows->plain[kind]);
	return rows->memory_bytes - MIN(used, rows->memory_bytes);
}

/* The sums of leaves can be missing. */
static void drop_leaves(SptRows *rows)
{
	spt_leaves_clear(&rows->leaves);
	rows->has_leaves = false;
}

/* Whether @bytes more may be taken. */
static bool has_memory(SptRows *rows, uint64_t bytes, GError **error)
{
	if (bytes > memory_left(rows))
		drop_leaves(rows);
	return bytes <= memory_left(rows) ||
	       rows_damaged(error, "it takes far more memory than a file of this size is worth");
}

/* Charges for @n rows in all. */
static bool reserve(SptRows *rows, SptStore *store, uint64_t n, GError **error)
{
	return (n <= store->room || has_memory(rows, spt_store_more_bytes(store, n), error)) &&
	       spt_store_reserve(store, n, error);
}

static bool exists_or_0(const SptStore *store, uint32_t id)
{
	return id == 0 || spt_store_has(store, id);
}

/* Copies a column's texts as they are; fields without texts do not matter. */
static uint64_t bytes_of_texts(const SptSchema *schema, const SptTable *table)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < schema->n_fields; i++) {
		const SptColumn *column = schema->fields[i].type == SPT_FIELD_TEXT ?
			spt_table_column(table, schema->fields[i].column) : NULL;

		bytes += column ? column->bytes : 0;
	}
	return bytes;
}

/*
 * Decodes behind the last row of @store, without counting the rows yet.  NULL is an error: even no
 * rows need an address.
 */
static void *rows_decode(SptRows *rows, SptStore *store, const SptSchema *schema,
			 const SptTable *table, GError **error)
{
	uint64_t texts = bytes_of_texts(schema, table);
	void *first;

	if (!work(rows, (uint64_t)table->rows * store->schema->row_bytes, error) ||
	    !has_memory(rows, texts, error) ||
	    !reserve(rows, store, MAX(store->n + table->rows, 1), error))
		return NULL;
	rows->texts_bytes += texts;
	first = spt_store_row(store, store->n);
	return spt_schema_decode(schema, table, first, rows->capture->texts, error) ? first : NULL;
}

static void *decode_scratch(SptRows *rows, const SptSchema *schema, const SptTable *table,
			    GError **error)
{
	g_clear_pointer(&rows->scratch.data, g_free);
	rows->scratch = (SptStore) { .schema = schema };
	return rows_decode(rows, &rows->scratch, schema, table, error);
}

/* Moves the rows of scratch to their ids. */
static bool put_by_id(SptRows *rows, SptStore *store, uint32_t n, GError **error)
{
	uint64_t end = store->n;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = spt_store_id(&rows->scratch, i);

		if (id == 0)
			return rows_damaged(error, "row %u has id 0, which is reserved", i);
		end = MAX(end, (uint64_t)id + 1);
	}
	if (!work(rows, (end - store->n) * store->schema->row_bytes, error) ||
	    !reserve(rows, store, end, error))
		return false;
	store->n = end;
	for (uint32_t i = 0; i < n; i++)
		memcpy(spt_store_row(store, spt_store_id(&rows->scratch, i)),
		       spt_store_row(&rows->scratch, i), store->schema->row_bytes);
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
			return rows_damaged(error, "it has more facts about the host than %u",
					    MAX_HOST_KEYS);
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
		if (row[i].kind > SPT_OBJECT_EMBEDDED)
			row[i].kind = SPT_OBJECT_UNKNOWN;
	return put_by_id(rows, &rows->objects, table->rows, error);
}

/* Parents may come after their children within a block: they are checked when all are there. */
static bool take_processes(SptRows *rows, const SptTable *table, GError **error)
{
	SptProcessRow *row = decode_scratch(rows, &spt_schema_process, table, error);
	bool whole = true;

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++)
		spt_unpack_process(&row[i]);
	if (!put_by_id(rows, &rows->processes, table->rows, error))
		return false;
	for (uint32_t i = 0; i < table->rows; i++, row++) {
		SptProcessRow *process = spt_store_row(&rows->processes, row->id);

		if (exists_or_0(&rows->processes, process->parent))
			continue;
		if (whole)
			whole = rows_damaged(error, "process %u has parent %u, which is not there",
					     row->id, process->parent);
		process->parent = 0;
	}
	return whole;
}

static bool take_process_ends(SptRows *rows, const SptTable *table, GError **error)
{
	const SptProcessEndRow *row = decode_scratch(rows, &spt_schema_process_end, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++)
		if (!spt_store_has(&rows->processes, row[i].process))
			return rows_damaged(error, "process %u ended and is not there",
					    row[i].process);
	for (uint32_t i = 0; i < table->rows; i++) {
		SptProcessRow *process = spt_store_row(&rows->processes, row[i].process);

		process->end_time = row[i].lifetime;
		spt_unpack_process(process);
	}
	return true;
}

static bool take_threads(SptRows *rows, const SptTable *table, GError **error)
{
	SptThreadRow *row = decode_scratch(rows, &spt_schema_thread, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++) {
		if (!exists_or_0(&rows->processes, row[i].process))
			return rows_damaged(error, "thread %u is of process %u, which is not there",
					    row[i].id, row[i].process);
		spt_unpack_thread(&row[i], spt_store_row(&rows->processes, row[i].process));
	}
	return put_by_id(rows, &rows->threads, table->rows, error);
}

static bool take_nodes(SptRows *rows, const SptTable *table, GError **error)
{
	SptStore *store = &rows->nodes;
	const SptNodeRow *row = decode_scratch(rows, &spt_schema_node, table, error);

	if (!row || !reserve(rows, store, store->n + table->rows, error) ||
	    !has_memory(rows, spt_node_unpacker_more_bytes(&rows->unpacker, table->rows), error))
		return false;
	if (store->n + table->rows > UINT32_MAX)
		return rows_damaged(error, "there are more nodes than ids");
	for (uint32_t i = 0; i < table->rows; i++) {
		SptNode *node = spt_store_row(store, store->n + i);

		if (!spt_node_unpacker_next(&rows->unpacker, &row[i], node, error))
			return false;
		if (!exists_or_0(&rows->objects, node->frame.object))
			return rows_damaged(error, "node %u is in object %u, which is not there",
					    (uint32_t)store->n + i, node->frame.object);
	}
	store->n += table->rows;
	return true;
}

static bool rows_take_streams(SptRows *rows, const SptTable *table, GError **error)
{
	SptStreamRow *row = decode_scratch(rows, &spt_schema_stream, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++, row++) {
		bool samples =
			row->kind == SPT_STREAM_SAMPLES && strcmp(row->name, SPT_SAMPLES_NAME) == 0;

		if (spt_store_has(&rows->streams, row->id))
			row->rows = ((SptStreamRow *)spt_store_row(&rows->streams, row->id))->rows;
		if (samples && rows->samples_stream == 0) {
			rows->samples_stream = row->id;
			rows->layout = (SptSampleLayout){ 0 };
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
			rows->layout.columns[i] = row->column;
		else if (rows->layout.columns[i] == row->column)
			rows->layout.columns[i] = 0;
	}
}

static bool take_stream_columns(SptRows *rows, const SptTable *table, GError **error)
{
	const SptStreamColumnRow *row =
		rows_decode(rows, &rows->columns, &spt_schema_stream_column, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++, row++) {
		if (!spt_store_has(&rows->streams, row->stream))
			return rows_damaged(error,
					    "it declares a column of stream %u, which is not there",
					    row->stream);
		if (row->column == SPT_EVENT_STREAM_COLUMN)
			return rows_damaged(error,
					    "it declares column 0 of stream %u, which is reserved",
					    row->stream);
		if (row->stream == rows->samples_stream)
			declare_sample_column(rows, row);
	}
	rows->columns.n += table->rows;
	return true;
}

static bool check_samples(const SptRows *rows, const SptSampleRow *sample, uint32_t n,
			  uint32_t first, GError **error)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!exists_or_0(&rows->threads, sample[i].thread))
			return rows_damaged(error, "row %u is of thread %u, which is not there",
					    first + i, sample[i].thread);
		if (sample[i].node >= rows->nodes.n)
			return rows_damaged(error, "row %u has node %u, which is not there",
					    first + i, sample[i].node);
	}
	return true;
}

static void add_up_samples(SptCapture *capture, const SptSampleRow *sample, uint32_t n)
{
	uint64_t weight = 0, first = capture->first_time, last = capture->last_time;
	uint32_t cpu = capture->last_cpu;

	for (uint32_t i = 0; i < n; i++) {
		weight += sample[i].weight;
		first = MIN(first, sample[i].time);
		last = MAX(last, sample[i].time);
		cpu = MAX(cpu, sample[i].cpu);
	}
	capture->n_samples += n;
	capture->weight += weight;
	capture->first_time = first;
	capture->last_time = last;
	capture->last_cpu = cpu;
}

static void add_to_leaves(SptRows *rows, const SptSampleRow *samples, uint32_t n)
{
	if (rows->has_leaves &&
	    !spt_leaves_add(&rows->leaves, samples, n, &rows->threads,
			    (uint32_t)rows->processes.n, (uint32_t)rows->nodes.n,
			    memory_left(rows)))
		drop_leaves(rows);
}

static bool rows_add_samples(SptRows *rows, const SptTable *table, SptSampleRow *batch,
			     GError **error)
{
	SptSampleTable samples;
	uint32_t done = 0;
	int n = 0;

	if (spt_sample_table_begin(&samples, table, &rows->layout, true)) {
		while (done < table->rows && (n = spt_sample_table_next(&samples, batch)) > 0) {
			if (!check_samples(rows, batch, (uint32_t)n, done, error))
				return false;
			add_to_leaves(rows, batch, (uint32_t)n);
			add_up_samples(rows->capture, batch, (uint32_t)n);
			done += (uint32_t)n;
		}
	}
	return done == table->rows ||
	       rows_damaged(error, "a column of its samples does not hold what its rows need");
}

/* Adds all of a block or nothing: sums of a part of it are of no use. */
static bool take_samples(SptRows *rows, const SptBlockHeader *header, const SptTable *table,
			 const uint8_t *stored, GError **error)
{
	g_autofree SptSampleRow *batch = g_new0(SptSampleRow, SPT_SAMPLE_BATCH);
	SptCapture before = *rows->capture;

	if (!work(rows, (uint64_t)table->rows * sizeof(SptSampleRow), error))
		return false;
	if (!rows_add_samples(rows, table, batch, error)) {
		drop_leaves(rows);
		*rows->capture = before;
		return false;
	}
	spt_sample_blocks_add(rows->capture->blocks, header, stored, &rows->layout);
	return true;
}

/* The stream of a block of events. */
static bool rows_find_stream(const SptTable *table, uint64_t *ret)
{
	const SptColumn *column = spt_table_column(table, SPT_EVENT_STREAM_COLUMN);
	SptColumnCursor cursor;

	if (!column || column->coding != SPT_CODING_CONST ||
	    !spt_column_begin(&cursor, column, table->rows) || !spt_column_done(&cursor))
		return false;
	*ret = cursor.value;
	return true;
}

static bool take_events(SptRows *rows, const SptBlockHeader *header, const SptTable *table,
			const uint8_t *stored, GError **error)
{
	SptStreamRow *stream;
	uint64_t id;

	if (!rows_find_stream(table, &id))
		return rows_damaged(error, "its rows do not name their stream");
	if (id == 0 || id > UINT32_MAX || !spt_store_has(&rows->streams, (uint32_t)id))
		return rows_damaged(error, "its rows are of stream %" PRIu64 ", which is not there",
				    id);
	stream = spt_store_row(&rows->streams, id);
	if (stream->id == rows->samples_stream ?
		    !take_samples(rows, header, table, stored, error) :
		    !spt_events_may_have(rows->capture, stream->rows, table->rows) &&
			    !work(rows, UINT64_MAX, error))
		return false;
	stream->rows += table->rows;
	return true;
}

bool spt_rows_place(SptRows *rows, const SptBlockHeader *header, const SptTable *table,
		    uint64_t position, GError **error)
{
	SptBlockPlace place = { position, SPT_BLOCK_HEADER_BYTES + header->stored_bytes,
				header->type, 0 };
	uint64_t stream = 0;

	if (header->type == SPT_BLOCK_EVENT && rows_find_stream(table, &stream))
		place.stream = (uint32_t)stream;
	if (header->type != SPT_BLOCK_FILE &&
	    (place.stream == 0 || place.stream == rows->samples_stream))
		return true;
	if (!has_memory(rows, 2 * sizeof(place), error))
		return false;
	g_array_append_val(rows->places, place);
	return true;
}

static bool take_names(SptRows *rows, const SptTable *table, GError **error)
{
	const SptNameRow *name = rows_decode(rows, &rows->names, &spt_schema_name, table, error);

	if (!name)
		return false;
	for (uint32_t i = 0; i < table->rows; i++)
		if (!exists_or_0(&rows->objects, name[i].object))
			return rows_damaged(error, "row %u names object %u, which is not there", i,
					    name[i].object);
	rows->names.n += table->rows;
	return true;
}

static bool take_command_lines(SptRows *rows, const SptTable *table, GError **error)
{
	const SptCommandLineRow *row =
		rows_decode(rows, &rows->command_lines, &spt_schema_command_line, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++)
		if (!spt_store_has(&rows->processes, row[i].process))
			return rows_damaged(error, "process %u has a command line and is not there",
					    row[i].process);
	rows->command_lines.n += table->rows;
	return true;
}

static bool take_maps(SptRows *rows, const SptTable *table, GError **error)
{
	const SptMapRow *row = rows_decode(rows, &rows->maps, &spt_schema_map, table, error);

	if (!row)
		return false;
	for (uint32_t i = 0; i < table->rows; i++) {
		if (!spt_store_has(&rows->processes, row[i].process))
			return rows_damaged(error,
					    "row %u is a mapping of process %u, which is not there",
					    i, row[i].process);
		if (!exists_or_0(&rows->objects, row[i].object))
			return rows_damaged(error,
					    "row %u is a mapping of object %u, which is not there",
					    i, row[i].object);
		if (row[i].bytes > UINT64_MAX - row[i].start)
			return rows_damaged(error, "row %u is a mapping beyond the end of memory",
					    i);
	}
	rows->maps.n += table->rows;
	return true;
}

/*
 * Whether this row must follow @before (NULL: there is none), which has the number of rows that
 * follow it.
 */
static bool is_due(const SptBundledRow *before, const SptPackedBundledRow *row)
{
	if (!before || before->level == 0)
		return row->level < SPT_MOST_LEVELS;
	return row->object == before->object && row->offset == before->offset &&
	       row->level == before->level - 1;
}

static const char *rows_text_of(const SptRows *rows, uint32_t number)
{
	return number ? ((const SptTextRow *)spt_store_row(&rows->texts, number))->text : "";
}

static bool take_bundled(SptRows *rows, const SptTable *table, GError **error)
{
	SptStore *store = &rows->bundled;
	const SptPackedBundledRow *row = decode_scratch(rows, &spt_schema_bundled, table, error);

	if (!row || !reserve(rows, store, store->n + table->rows, error))
		return false;
	for (uint32_t i = 0; i < table->rows; i++, row++) {
		uint64_t at = store->n + i;

		if (!exists_or_0(&rows->objects, row->object))
			return rows_damaged(error, "row %u is of object %u, which is not there", i,
					    row->object);
		if (MAX(MAX(row->function, row->directory), row->file) >= rows->texts.n)
			return rows_damaged(error, "row %u has a text that is not there", i);
		if (!is_due(at ? spt_store_row(store, at - 1) : NULL, row))
			return rows_damaged(error, "row %u has level %u, which is not due", i,
					    row->level);
		if (row->is_symbol && (!row->function || row->distance > row->offset))
			return rows_damaged(
				error,
				"row %u has a symbol without a name, or one that begins before its object",
				i);
		*(SptBundledRow *)spt_store_row(store, at) = (SptBundledRow){
			.object = row->object,
			.offset = row->offset,
			.level = row->level,
			.function = rows_text_of(rows, row->function),
			.directory = rows_text_of(rows, row->directory),
			.file = rows_text_of(rows, row->file),
			.line = row->line,
			.is_symbol = row->is_symbol,
			.distance = row->distance,
			.symbol_bytes = row->symbol_bytes,
		};
	}
	store->n += table->rows;
	return true;
}

/* The rest of an incomplete place is behind the end of a truncated file. */
static void drop_half_place(SptStore *bundled)
{
	while (bundled->n > 0 &&
	       ((const SptBundledRow *)spt_store_row(bundled, bundled->n - 1))->level > 0)
		bundled->n--;
}

/* Handles rows without references. */
static bool take_plain(SptRows *rows, SptStore *store, const SptTable *table, GError **error)
{
	if (!rows_decode(rows, store, store->schema, table, error))
		return false;
	store->n += table->rows;
	return true;
}

static bool rows_take_end(SptRows *rows, const SptTable *table, GError **error)
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
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		if (spt_row_types[kind].block == type)
			return true;
	return (type >= SPT_BLOCK_HOST && type <= SPT_BLOCK_LOSS) ||
	       (type >= SPT_BLOCK_END && type <= SPT_BLOCK_MAP);
}

bool spt_rows_take(SptRows *rows, const SptBlockHeader *header, const SptTable *table,
		   const uint8_t *stored, GError **error)
{
	if (!work(rows, header->payload_bytes, error))
		return false;
	switch (header->type) {
	case SPT_BLOCK_HOST:
		return take_host(rows, table, error);
	case SPT_BLOCK_OBJECT:
		return take_objects(rows, table, error);
	case SPT_BLOCK_PROCESS:
		return take_processes(rows, table, error);
	case SPT_BLOCK_PROCESS_END:
		return take_process_ends(rows, table, error);
	case SPT_BLOCK_THREAD:
		return take_threads(rows, table, error);
	case SPT_BLOCK_NODE:
		return take_nodes(rows, table, error);
	case SPT_BLOCK_FRAME:
		return take_plain(rows, &rows->unpacker.frames, table, error);
	case SPT_BLOCK_OLD_FRAME:
		return take_plain(rows, &rows->unpacker.old_frames, table, error);
	case SPT_BLOCK_STREAM:
		return rows_take_streams(rows, table, error);
	case SPT_BLOCK_STREAM_COLUMN:
		return take_stream_columns(rows, table, error);
	case SPT_BLOCK_EVENT:
		return take_events(rows, header, table, stored, error);
	case SPT_BLOCK_NAME:
		return take_names(rows, table, error);
	case SPT_BLOCK_TEXT:
		return take_plain(rows, &rows->texts, table, error);
	case SPT_BLOCK_BUNDLED:
		return take_bundled(rows, table, error);
	case SPT_BLOCK_COMMAND_LINE:
		return take_command_lines(rows, table, error);
	case SPT_BLOCK_MAP:
		return take_maps(rows, table, error);
	case SPT_BLOCK_END:
		return rows_take_end(rows, table, error);
	}
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		if (spt_row_types[kind].rows_at && spt_row_types[kind].block == header->type)
			return take_plain(rows, &rows->plain[kind], table, error);
	return true;
}

/*
 * Visits each process once: a walk towards the ancestors ends at the first one that an earlier walk
 * has visited.
 */
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

/* A thread without a later row ended with its process. */
static void end_threads(SptThreadRow *threads, uint64_t n, const SptProcessRow *processes)
{
	for (uint64_t id = 1; id < n; id++)
		if (threads[id].end_time == 0)
			threads[id].end_time = processes[threads[id].process].end_time;
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
	capture->n_frames = spt_node_unpacker_n_frames(&rows->unpacker);
	capture->has_leaves = rows->has_leaves;
	spt_leaves_finish(&rows->leaves, capture);
	capture->names = spt_store_steal(&rows->names, &capture->n_names);
	drop_half_place(&rows->bundled);
	capture->bundled = spt_store_steal(&rows->bundled, &capture->n_bundled);
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		if (spt_row_types[kind].rows_at)
			*(void **)((char *)capture + spt_row_types[kind].rows_at) = spt_store_steal(
				&rows->plain[kind],
				(uint64_t *)((char *)capture + spt_row_types[kind].n_at));
	capture->command_lines = spt_store_steal(&rows->command_lines, &capture->n_command_lines);
	capture->maps = spt_store_steal(&rows->maps, &capture->n_maps);
	capture->columns = spt_store_steal(&rows->columns, &capture->n_columns);
	capture->samples_stream = rows->samples_stream;
	capture->n_places = rows->places->len;
	capture->places = (SptBlockPlace *)g_array_free(g_steal_pointer(&rows->places), FALSE);
	end_threads(capture->threads, capture->n_threads, capture->processes);
	return cut_circles(capture->processes, capture->n_processes);
}

static uint64_t memory_for(uint64_t file_bytes, bool is_ended)
{
	uint64_t large = file_bytes * MOST_MEMORY_PER_FILE_BYTE,
		 least = LEAST_MEMORY_BYTES + file_bytes * MEMORY_PER_FILE_BYTE,
		 machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	if (is_ended)
		least = MAX(least, machine / MACHINE_PART);
	return MAX(least, large - MIN(large, OTHER_MEMORY_BYTES));
}

SptRows *spt_rows_new(SptCapture *capture, uint64_t file_bytes, bool is_ended)
{
	SptRows *rows = g_new0(SptRows, 1);

	rows->capture = capture;
	rows->has_leaves = true;
	capture->blocks = spt_sample_blocks_new();
	capture->first_time = UINT64_MAX;
	rows->memory_bytes = memory_for(file_bytes, is_ended);
	rows->work_bytes = LEAST_WORK_BYTES + file_bytes * WORK_PER_FILE_BYTE;
	rows->objects = spt_store_new(&spt_schema_object, 1);
	rows->processes = spt_store_new(&spt_schema_process, 1);
	rows->threads = spt_store_new(&spt_schema_thread, 1);
	rows->streams = spt_store_new(&spt_schema_stream, 1);
	rows->nodes = spt_store_new(&schema_nodes, 1);
	spt_node_unpacker_init(&rows->unpacker);
	rows->names = spt_store_new(&spt_schema_name, 0);
	for (unsigned kind = 0; kind < SPT_ROWS; kind++)
		rows->plain[kind] = spt_store_new(spt_row_types[kind].schema, 0);
	rows->command_lines = spt_store_new(&spt_schema_command_line, 0);
	rows->maps = spt_store_new(&spt_schema_map, 0);
	rows->columns = spt_store_new(&spt_schema_stream_column, 0);
	rows->texts = spt_store_new(&spt_schema_text, 1);
	rows->bundled = spt_store_new(&schema_bundled, 0);
	rows->places = g_array_new(FALSE, FALSE, sizeof(SptBlockPlace));
	return rows;
}

/* Everything that finish() did not hand over is only scratch. */
void spt_rows_free(SptRows *rows)
{
	g_clear_pointer(&rows->places, g_array_unref);
	g_free(rows->scratch.data);
	g_free(rows->texts.data);
	spt_node_unpacker_clear(&rows->unpacker);
	g_free(rows);
}
