/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows <-> columns, by list.  A number that does not fit its member, a text without an end, a
 * coding of the wrong kind: each is damage.  It is found here, so that users of a decoded row need
 * not check again.
 */
#include "capture/schema.h"

#include <stddef.h>
#include <string.h>

#include "base/words.h"
#include "capture/columns.h"
#include "capture/stream-rows.h"

#define BUILD_ID_ROOM sizeof(((SptObjectRow *)0)->build_id)
#define BATCH 256

_Static_assert(offsetof(SptObjectRow, build_id_bytes) ==
		       offsetof(SptObjectRow, build_id) + BUILD_ID_ROOM,
	       "SPT_FIELD_BUILD_ID finds the length behind the bytes");
_Static_assert(sizeof(SptObjectKind) == sizeof(uint32_t),
	       "an object's kind is decoded as a number of 32 bits");

#define SCHEMA(Row, list) { sizeof(Row), G_N_ELEMENTS(list), list }

static const SptField host_fields[] = {
	{ 1, SPT_FIELD_TEXT, offsetof(SptHostRow, key) },
	{ 2, SPT_FIELD_TEXT, offsetof(SptHostRow, value) },
};
const SptSchema spt_schema_host = SCHEMA(SptHostRow, host_fields);

static const SptField object_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptObjectRow, id) },
	{ 2, SPT_FIELD_U32, offsetof(SptObjectRow, kind) },
	{ 3, SPT_FIELD_TEXT, offsetof(SptObjectRow, path) },
	{ 4, SPT_FIELD_BUILD_ID, offsetof(SptObjectRow, build_id) },
	{ 5, SPT_FIELD_U32, offsetof(SptObjectRow, dev_major) },
	{ 6, SPT_FIELD_U32, offsetof(SptObjectRow, dev_minor) },
	{ 7, SPT_FIELD_U64, offsetof(SptObjectRow, inode) },
	{ 8, SPT_FIELD_U32, offsetof(SptObjectRow, generation) },
	{ 9, SPT_FIELD_U64, offsetof(SptObjectRow, bytes) },
	{ 10, SPT_FIELD_U64, offsetof(SptObjectRow, mtime_ns) },
	{ 11, SPT_FIELD_TEXT, offsetof(SptObjectRow, language) },
};
const SptSchema spt_schema_object = SCHEMA(SptObjectRow, object_fields);

static const SptField process_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptProcessRow, id) },
	{ 2, SPT_FIELD_U32, offsetof(SptProcessRow, pid) },
	{ 3, SPT_FIELD_U32, offsetof(SptProcessRow, parent) },
	{ 4, SPT_FIELD_U64, offsetof(SptProcessRow, start_time) },
	{ 5, SPT_FIELD_U32, offsetof(SptProcessRow, flags) },
	{ 6, SPT_FIELD_TEXT, offsetof(SptProcessRow, name) },
	{ 7, SPT_FIELD_U64, offsetof(SptProcessRow, end_time) },
};
const SptSchema spt_schema_process = SCHEMA(SptProcessRow, process_fields);

static const SptField thread_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptThreadRow, id) },
	{ 2, SPT_FIELD_U32, offsetof(SptThreadRow, process) },
	{ 3, SPT_FIELD_U32, offsetof(SptThreadRow, tid) },
	{ 4, SPT_FIELD_U64, offsetof(SptThreadRow, start_time) },
	{ 5, SPT_FIELD_TEXT, offsetof(SptThreadRow, name) },
	{ 6, SPT_FIELD_U64, offsetof(SptThreadRow, end_time) },
	{ 7, SPT_FIELD_TEXT, offsetof(SptThreadRow, former) },
};
const SptSchema spt_schema_thread = SCHEMA(SptThreadRow, thread_fields);

static const SptField node_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptNodeRow, parent) },
	{ 2, SPT_FIELD_U32, offsetof(SptNodeRow, how) },
	{ 3, SPT_FIELD_U32, offsetof(SptNodeRow, epoch) },
};
const SptSchema spt_schema_node = SCHEMA(SptNodeRow, node_fields);

static const SptField frame_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptFrame, object) },
	{ 2, SPT_FIELD_U64, offsetof(SptFrame, offset) },
	{ 3, SPT_FIELD_U32, offsetof(SptFrame, kind) },
};
const SptSchema spt_schema_frame = SCHEMA(SptFrame, frame_fields);

static const SptField old_frame_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptOldFrameRow, distance) },
};
const SptSchema spt_schema_old_frame = SCHEMA(SptOldFrameRow, old_frame_fields);

static const SptField stream_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptStreamRow, id) },
	{ 2, SPT_FIELD_U32, offsetof(SptStreamRow, kind) },
	{ 3, SPT_FIELD_TEXT, offsetof(SptStreamRow, name) },
	{ 4, SPT_FIELD_TEXT, offsetof(SptStreamRow, metric) },
	{ 5, SPT_FIELD_TEXT, offsetof(SptStreamRow, unit) },
	{ 6, SPT_FIELD_U64, offsetof(SptStreamRow, factor) },
	{ 7, SPT_FIELD_TEXT, offsetof(SptStreamRow, title) },
};
const SptSchema spt_schema_stream = SCHEMA(SptStreamRow, stream_fields);

static const SptField stream_column_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptStreamColumnRow, stream) },
	{ 2, SPT_FIELD_U32, offsetof(SptStreamColumnRow, column) },
	{ 3, SPT_FIELD_U32, offsetof(SptStreamColumnRow, role) },
	{ 4, SPT_FIELD_TEXT, offsetof(SptStreamColumnRow, name) },
	{ 5, SPT_FIELD_U32, offsetof(SptStreamColumnRow, type) },
	{ 6, SPT_FIELD_TEXT, offsetof(SptStreamColumnRow, unit) },
};
const SptSchema spt_schema_stream_column = SCHEMA(SptStreamColumnRow, stream_column_fields);

static const SptField name_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptNameRow, object) },
	{ 2, SPT_FIELD_U64, offsetof(SptNameRow, offset) },
	{ 3, SPT_FIELD_TEXT, offsetof(SptNameRow, symbol) },
	{ 4, SPT_FIELD_U64, offsetof(SptNameRow, distance) },
	{ 5, SPT_FIELD_U64, offsetof(SptNameRow, symbol_bytes) },
	{ 6, SPT_FIELD_TEXT, offsetof(SptNameRow, module) },
};
const SptSchema spt_schema_name = SCHEMA(SptNameRow, name_fields);

#define LOST(reason) { 16 + (reason), SPT_FIELD_U64, offsetof(SptAccountRow, lost[reason]) }

static const SptField account_fields[] = {
	{ 1, SPT_FIELD_U64, offsetof(SptAccountRow, time) },
	{ 2, SPT_FIELD_U32, offsetof(SptAccountRow, cpu) },
	{ 3, SPT_FIELD_U64, offsetof(SptAccountRow, grid) },
	{ 4, SPT_FIELD_U64, offsetof(SptAccountRow, delivered) },
	{ 5, SPT_FIELD_U64, offsetof(SptAccountRow, idle) },
	{ 6, SPT_FIELD_U64, offsetof(SptAccountRow, offline) },
	{ 7, SPT_FIELD_U64, offsetof(SptAccountRow, excluded) },
	{ 8, SPT_FIELD_U64, offsetof(SptAccountRow, pending) },
	{ 9, SPT_FIELD_U64, offsetof(SptAccountRow, samples) },
	{ 10, SPT_FIELD_U64, offsetof(SptAccountRow, state_lost) },
	{ 11, SPT_FIELD_U64, offsetof(SptAccountRow, cost_ns) },
	{ 12, SPT_FIELD_U64, offsetof(SptAccountRow, ticks) },
	LOST(0), LOST(1), LOST(2), LOST(3), LOST(4), LOST(5), LOST(6), LOST(7),
	{ 24, SPT_FIELD_U64, offsetof(SptAccountRow, filtered) },
	{ 25, SPT_FIELD_U64, offsetof(SptAccountRow, budget) },
};
static const SptSchema schema_account = SCHEMA(SptAccountRow, account_fields);

static const SptField loss_fields[] = {
	{ 1, SPT_FIELD_U64, offsetof(SptLossRow, first_time) },
	{ 2, SPT_FIELD_U64, offsetof(SptLossRow, last_time) },
	{ 3, SPT_FIELD_U32, offsetof(SptLossRow, cpu) },
	{ 4, SPT_FIELD_U32, offsetof(SptLossRow, reason) },
	{ 5, SPT_FIELD_U64, offsetof(SptLossRow, weight) },
};
static const SptSchema schema_loss = SCHEMA(SptLossRow, loss_fields);

static const SptField index_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptIndexRow, type) },
	{ 2, SPT_FIELD_U64, offsetof(SptIndexRow, position) },
	{ 3, SPT_FIELD_U64, offsetof(SptIndexRow, rows) },
	{ 4, SPT_FIELD_U32, offsetof(SptIndexRow, stream) },
	{ 5, SPT_FIELD_U64, offsetof(SptIndexRow, first_time) },
	{ 6, SPT_FIELD_U64, offsetof(SptIndexRow, last_time) },
};
const SptSchema spt_schema_index = SCHEMA(SptIndexRow, index_fields);

static const SptField end_fields[] = {
	{ 1, SPT_FIELD_U64, offsetof(SptEndRow, time) },
};
const SptSchema spt_schema_end = SCHEMA(SptEndRow, end_fields);

static const SptField process_end_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptProcessEndRow, process) },
	{ 2, SPT_FIELD_U64, offsetof(SptProcessEndRow, lifetime) },
};
const SptSchema spt_schema_process_end = SCHEMA(SptProcessEndRow, process_end_fields);

static const SptField command_line_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptCommandLineRow, process) },
	{ 2, SPT_FIELD_TEXT, offsetof(SptCommandLineRow, text) },
	{ 3, SPT_FIELD_TEXT, offsetof(SptCommandLineRow, cgroup) },
};
const SptSchema spt_schema_command_line = SCHEMA(SptCommandLineRow, command_line_fields);

static const SptField map_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptMapRow, process) },
	{ 2, SPT_FIELD_U64, offsetof(SptMapRow, time) },
	{ 3, SPT_FIELD_U64, offsetof(SptMapRow, start) },
	{ 4, SPT_FIELD_U64, offsetof(SptMapRow, bytes) },
	{ 5, SPT_FIELD_U64, offsetof(SptMapRow, offset) },
	{ 6, SPT_FIELD_U32, offsetof(SptMapRow, object) },
	{ 7, SPT_FIELD_U8, offsetof(SptMapRow, how) },
};
const SptSchema spt_schema_map = SCHEMA(SptMapRow, map_fields);

static const SptField text_fields[] = {
	{ 1, SPT_FIELD_TEXT, offsetof(SptTextRow, text) },
};
const SptSchema spt_schema_text = SCHEMA(SptTextRow, text_fields);

static const SptField bundled_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptPackedBundledRow, object) },
	{ 2, SPT_FIELD_U64, offsetof(SptPackedBundledRow, offset) },
	{ 3, SPT_FIELD_U32, offsetof(SptPackedBundledRow, level) },
	{ 4, SPT_FIELD_U32, offsetof(SptPackedBundledRow, function) },
	{ 5, SPT_FIELD_U32, offsetof(SptPackedBundledRow, directory) },
	{ 6, SPT_FIELD_U32, offsetof(SptPackedBundledRow, file) },
	{ 7, SPT_FIELD_U32, offsetof(SptPackedBundledRow, line) },
	{ 8, SPT_FIELD_U64, offsetof(SptPackedBundledRow, distance) },
	{ 9, SPT_FIELD_U64, offsetof(SptPackedBundledRow, symbol_bytes) },
	{ 10, SPT_FIELD_U8, offsetof(SptPackedBundledRow, is_symbol) },
};
const SptSchema spt_schema_bundled = SCHEMA(SptPackedBundledRow, bundled_fields);

const SptSampleColumn spt_sample_columns[SPT_SAMPLE_COLUMNS] = {
	{ SPT_ROLE_TIME, { 1, SPT_FIELD_U64, offsetof(SptSampleRow, time) }, "time" },
	{ SPT_ROLE_CPU, { 2, SPT_FIELD_U32, offsetof(SptSampleRow, cpu) }, "cpu" },
	{ SPT_ROLE_THREAD, { 3, SPT_FIELD_U32, offsetof(SptSampleRow, thread) }, "thread" },
	{ SPT_ROLE_NODE, { 4, SPT_FIELD_U32, offsetof(SptSampleRow, node) }, "node" },
	{ SPT_ROLE_WEIGHT, { 5, SPT_FIELD_U32, offsetof(SptSampleRow, weight) }, "weight" },
	{ SPT_ROLE_DELAY, { 6, SPT_FIELD_U64, offsetof(SptSampleRow, delay_ns) }, "delay" },
	{ SPT_ROLE_USER_END, { 7, SPT_FIELD_U8, offsetof(SptSampleRow, user_end) }, "user end" },
	{ SPT_ROLE_KERNEL_END,
	  { 8, SPT_FIELD_U8, offsetof(SptSampleRow, kernel_end) },
	  "kernel end" },
	{ SPT_ROLE_CONTEXT, { 9, SPT_FIELD_U8, offsetof(SptSampleRow, context) }, "context" },
};

static const SptField file_fields[] = {
	{ 1, SPT_FIELD_U32, offsetof(SptFileRow, object) },
	{ 2, SPT_FIELD_U64, offsetof(SptFileRow, position) },
	{ 3, SPT_FIELD_BYTES, offsetof(SptFileRow, data) },
	{ 4, SPT_FIELD_U32, offsetof(SptFileRow, kind) },
};
static const SptSchema schema_file = SCHEMA(SptFileRow, file_fields);

/* Rows of streams: each stream declares its columns. */
static const SptSchema schema_sample = { sizeof(SptSampleRow), 0, NULL };
static const SptSchema schema_wait = { sizeof(SptWaitRow), 0, NULL };
static const SptSchema schema_event = { sizeof(SptEventRow), 0, NULL };
static const SptSchema schema_thread_time = { sizeof(SptThreadTimeRow), 0, NULL };
static const SptSchema schema_source_account = { sizeof(SptSourceAccountRow), 0, NULL };
static const SptSchema schema_allocation = { sizeof(SptAllocationRow), 0, NULL };
static const SptSchema schema_resident = { sizeof(SptResidentRow), 0, NULL };
static const SptSchema schema_declaration = { sizeof(SptDeclarationRow), 0, NULL };
static const SptSchema schema_declared = { sizeof(SptDeclaredRow), 0, NULL };
static const SptSchema schema_lane = { sizeof(SptLaneRow), 0, NULL };

#define IN_CAPTURE(list) \
	.rows_at = offsetof(SptCapture, list), .n_at = offsetof(SptCapture, n_##list)

const SptRowType spt_row_types[SPT_ROWS] = {
	[SPT_ROW_OBJECT] = { SPT_BLOCK_OBJECT, &spt_schema_object },
	[SPT_ROW_FILE] = { SPT_BLOCK_FILE, &schema_file },
	[SPT_ROW_PROCESS] = { SPT_BLOCK_PROCESS, &spt_schema_process },
	[SPT_ROW_THREAD] = { SPT_BLOCK_THREAD, &spt_schema_thread },
	[SPT_ROW_COMMAND_LINE] = { SPT_BLOCK_COMMAND_LINE, &spt_schema_command_line },
	[SPT_ROW_MAP] = { SPT_BLOCK_MAP, &spt_schema_map },
	[SPT_ROW_NAME] = { SPT_BLOCK_NAME, &spt_schema_name },
	[SPT_ROW_SAMPLE] = { SPT_BLOCK_EVENT, &schema_sample },
	[SPT_ROW_WAIT] = { .block = SPT_BLOCK_EVENT,
			   .schema = &schema_wait,
			   .by_time = true,
			   .time_at = offsetof(SptWaitRow, time),
			   .cpu_at = offsetof(SptWaitRow, cpu),
			   .stream = &spt_stream_waits },
	[SPT_ROW_EVENT] = { .block = SPT_BLOCK_EVENT,
			    .schema = &schema_event,
			    .by_time = true,
			    .time_at = offsetof(SptEventRow, time),
			    .cpu_at = offsetof(SptEventRow, cpu),
			    .stream = &spt_stream_old_events },
	[SPT_ROW_THREAD_TIME] = { .block = SPT_BLOCK_EVENT,
				  .schema = &schema_thread_time,
				  .stream = &spt_stream_thread_times },
	[SPT_ROW_LANE] = { .block = SPT_BLOCK_EVENT,
			   .schema = &schema_lane,
			   .by_time = true,
			   .time_at = offsetof(SptLaneRow, time),
			   .cpu_at = offsetof(SptLaneRow, cpu),
			   .stream = &spt_stream_lanes },
	[SPT_ROW_SOURCE_ACCOUNT] = { .block = SPT_BLOCK_EVENT,
				     .schema = &schema_source_account,
				     .stream = &spt_stream_source_accounts },
	[SPT_ROW_ALLOCATION] = { .block = SPT_BLOCK_EVENT,
				 .schema = &schema_allocation,
				 .stream = &spt_stream_allocations },
	[SPT_ROW_RESIDENT] = { .block = SPT_BLOCK_EVENT,
			       .schema = &schema_resident,
			       .stream = &spt_stream_resident },
	[SPT_ROW_DECLARATION] = { SPT_BLOCK_STREAM, &schema_declaration },
	[SPT_ROW_DECLARED] = { SPT_BLOCK_EVENT, &schema_declared },
	[SPT_ROW_LOSS] = { .block = SPT_BLOCK_LOSS,
			   .schema = &schema_loss,
			   IN_CAPTURE(losses),
			   .by_time = true,
			   .time_at = offsetof(SptLossRow, last_time),
			   .cpu_at = offsetof(SptLossRow, cpu) },
	[SPT_ROW_ACCOUNT] = { .block = SPT_BLOCK_ACCOUNT,
			      .schema = &schema_account,
			      IN_CAPTURE(accounts) },
};

static void encode_bytes(const SptField *field, const uint8_t *member, size_t stride, size_t n,
			 SptTableBuilder *builder)
{
	g_autofree SptBytes *values = g_new(SptBytes, n);

	for (size_t i = 0; i < n; i++, member += stride) {
		const char *text;

		if (field->type == SPT_FIELD_BUILD_ID) {
			values[i] = (SptBytes){ member, MIN(member[BUILD_ID_ROOM], BUILD_ID_ROOM) };
		} else if (field->type == SPT_FIELD_BYTES) {
			memcpy(&values[i], member, sizeof(values[i]));
		} else {
			memcpy(&text, member, sizeof(text));
			values[i] = (SptBytes) { text, text ? strlen(text) : 0 };
		}
	}
	spt_table_add_bytes(builder, field->column, values);
}

void spt_schema_encode(const SptSchema *schema, const void *rows, size_t n,
		       SptTableBuilder *builder)
{
	uint64_t *room = spt_table_room(builder, SPT_TABLE_ROOM_VALUES, schema->n_fields);
	const uint8_t *next = rows;
	SptColumns columns;

	spt_columns_begin(&columns, room, n);
	/* Rows are read once: columns one after the other would read all of them again. */
	for (size_t at = 0; at < n; at += SPT_COLUMNS_TILE)
		spt_columns_add(&columns, schema, next + at * schema->row_bytes,
				MIN(n - at, SPT_COLUMNS_TILE));
	for (unsigned i = 0; i < schema->n_fields; i++) {
		const SptField *field = &schema->fields[i];

		if (spt_field_is_number(field))
			spt_columns_encode(&columns, i, field->column, 0, n, builder);
		else
			encode_bytes(field, next + field->at, schema->row_bytes, n, builder);
	}
}

bool spt_field_decode(const SptField *field, SptColumnCursor *cursor, void *member, size_t stride,
		      uint32_t n)
{
	uint64_t values[BATCH], most = field->type == SPT_FIELD_U8 ? UINT8_MAX : UINT32_MAX;
	uint8_t *to = member;

	while (n > 0) {
		unsigned now = MIN(n, BATCH);
		uint64_t all = 0;

		if (!spt_column_next_numbers(cursor, values, now))
			return false;
		if (field->type == SPT_FIELD_U64) {
			for (unsigned i = 0; i < now; i++, to += stride)
				memcpy(to, &values[i], sizeof(values[i]));
		} else {
			for (unsigned i = 0; i < now; i++)
				all |= values[i];
			if (all > most)
				return false;
			if (field->type == SPT_FIELD_U32)
				for (unsigned i = 0; i < now; i++, to += stride)
					memcpy(to, &(uint32_t){ (uint32_t)values[i] },
					       sizeof(uint32_t));
			else
				for (unsigned i = 0; i < now; i++, to += stride)
					*to = (uint8_t)values[i];
		}
		n -= now;
	}
	return true;
}

static bool decode_numbers(const SptField *field, const SptColumn *column, uint8_t *member,
			   size_t stride, uint32_t rows)
{
	SptColumnCursor cursor;

	return spt_column_begin(&cursor, column, rows) &&
	       spt_field_decode(field, &cursor, member, stride, rows) && spt_column_done(&cursor);
}

/*
 * A text's length takes at least a byte of the data, so all texts with their nuls fit in twice the
 * memory.
 */
static bool decode_texts(const SptColumn *column, uint8_t *member, size_t stride, uint32_t rows,
			 GPtrArray *texts)
{
	SptColumnCursor cursor;
	SptBytes text;
	char *to;

	if (rows == 0 || column->bytes == 0)
		return rows == 0 && column->bytes == 0;
	to = g_try_malloc(column->bytes);
	if (!to)
		return false;
	g_ptr_array_add(texts, to);
	if (!spt_column_begin(&cursor, column, rows))
		return false;
	for (; rows > 0; rows--, member += stride) {
		if (!spt_column_next_bytes(&cursor, &text))
			return false;
		memcpy(to, text.data, text.bytes);
		to[text.bytes] = '\0';
		memcpy(member, &to, sizeof(to));
		to += text.bytes + 1;
	}
	return spt_column_done(&cursor);
}

static bool decode_build_ids(const SptColumn *column, uint8_t *member, size_t stride, uint32_t rows)
{
	SptColumnCursor cursor;
	SptBytes id;

	if (!spt_column_begin(&cursor, column, rows))
		return false;
	for (; rows > 0; rows--, member += stride) {
		if (!spt_column_next_bytes(&cursor, &id) || id.bytes > BUILD_ID_ROOM)
			return false;
		memcpy(member, id.data, id.bytes);
		member[BUILD_ID_ROOM] = (uint8_t)id.bytes;
	}
	return spt_column_done(&cursor);
}

static void set_empty_texts(uint8_t *member, size_t stride, uint32_t rows)
{
	const char *empty = "";

	for (; rows > 0; rows--, member += stride)
		memcpy(member, &empty, sizeof(empty));
}

bool spt_schema_decode(const SptSchema *schema, const SptTable *table, void *rows, GPtrArray *texts,
		       GError **error)
{
	for (unsigned i = 0; i < schema->n_fields; i++) {
		const SptField *field = &schema->fields[i];
		const SptColumn *column = spt_table_column(table, field->column);
		uint8_t *member = (uint8_t *)rows + field->at;
		bool whole = true;

		if (!column && field->type == SPT_FIELD_TEXT)
			set_empty_texts(member, schema->row_bytes, table->rows);
		else if (column && field->type == SPT_FIELD_TEXT)
			whole = decode_texts(column, member, schema->row_bytes, table->rows, texts);
		else if (column && field->type == SPT_FIELD_BUILD_ID)
			whole = decode_build_ids(column, member, schema->row_bytes, table->rows);
		else if (column)
			whole = decode_numbers(field, column, member, schema->row_bytes,
					       table->rows);
		if (!whole) {
			spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED,
				      "column %u does not hold what its rows need", field->column);
			return false;
		}
	}
	return true;
}
