/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writer and reader use these lists, as they do for samples. */
#include "capture/stream-rows.h"

#include <stddef.h>
#include <string.h>

#include "capture/events.h"
#include "capture/row-packer.h"

/*
 * No real file has more rows than this for its bytes, nor more than this in one table.  A program
 * that allocates and frees in a loop packs to 0.1 bytes a row.
 */

_Static_assert(SPT_TALLIES == 13, "a column for each number of each of them");
_Static_assert(SPT_THREAD_STATES == 12, "a column for each of them");

#define COLUMN(role, number, type, Row, member)                                                    \
	{ role, { number, type, offsetof(Row, member) }, #member }
#define WAIT(role, number, type, member) COLUMN(role, number, type, SptWaitRow, member)

static const SptSampleColumn wait_columns[] = {
	WAIT(SPT_ROLE_TIME, 1, SPT_FIELD_U64, time),
	WAIT(SPT_ROLE_CPU, 2, SPT_FIELD_U32, cpu),
	WAIT(SPT_ROLE_THREAD, 3, SPT_FIELD_U32, thread),
	WAIT(SPT_ROLE_NODE, 4, SPT_FIELD_U32, node),
	WAIT(SPT_ROLE_WEIGHT, 5, SPT_FIELD_U64, weight_ns),
	WAIT(SPT_ROLE_DURATION, 6, SPT_FIELD_U64, duration_ns),
	WAIT(SPT_ROLE_OTHER_NODE, 7, SPT_FIELD_U32, waker_node),
	WAIT(SPT_ROLE_STATE, 8, SPT_FIELD_U8, state),
	WAIT(SPT_ROLE_WAKER, 9, SPT_FIELD_U32, waker),
	WAIT(SPT_ROLE_RUNNABLE, 10, SPT_FIELD_U64, runnable_ns),
	WAIT(SPT_ROLE_FLAGS, 11, SPT_FIELD_U8, flags),
	WAIT(SPT_ROLE_CPU_BEFORE, 12, SPT_FIELD_U32, cpu_before),
	WAIT(SPT_ROLE_CONTEXT, 13, SPT_FIELD_U8, waker_context),
};

const SptStreamType spt_stream_waits = {
	"waits", "off-cpu", "ns", SPT_STREAM_SPANS, wait_columns, G_N_ELEMENTS(wait_columns),
};

#define TIMES(role, number, type, member) COLUMN(role, number, type, SptThreadTimeRow, member)
#define STATE_NS(i) TIMES(SPT_ROLE_STATE_NS + (i), 10 + (i), SPT_FIELD_U64, ns[i])

static const SptSampleColumn thread_time_columns[] = {
	TIMES(SPT_ROLE_TIME, 1, SPT_FIELD_U64, time),
	TIMES(SPT_ROLE_SINCE, 2, SPT_FIELD_U64, since),
	TIMES(SPT_ROLE_THREAD, 3, SPT_FIELD_U32, thread),
	TIMES(SPT_ROLE_VOLUNTARY, 4, SPT_FIELD_U64, voluntary),
	TIMES(SPT_ROLE_INVOLUNTARY, 5, SPT_FIELD_U64, involuntary),
	TIMES(SPT_ROLE_WAKES, 6, SPT_FIELD_U64, wakes),
	TIMES(SPT_ROLE_LONGEST, 7, SPT_FIELD_U64, longest_ns),
	TIMES(SPT_ROLE_HAS_BEGIN, 8, SPT_FIELD_U8, has_begin),
	TIMES(SPT_ROLE_HAS_END, 9, SPT_FIELD_U8, has_end),
	STATE_NS(0), STATE_NS(1), STATE_NS(2), STATE_NS(3), STATE_NS(4), STATE_NS(5),
	STATE_NS(6), STATE_NS(7), STATE_NS(8), STATE_NS(9), STATE_NS(10), STATE_NS(11),
};

const SptStreamType spt_stream_thread_times = {
	"thread-times", "wall", "ns", SPT_STREAM_SUMS,
	thread_time_columns, G_N_ELEMENTS(thread_time_columns),
};

#define LANE(role, number, type, member) COLUMN(role, number, type, SptLaneRow, member)

static const SptSampleColumn lane_columns[] = {
	LANE(SPT_ROLE_TIME, 1, SPT_FIELD_U64, time),
	LANE(SPT_ROLE_CPU, 2, SPT_FIELD_U32, cpu),
	LANE(SPT_ROLE_THREAD, 3, SPT_FIELD_U32, thread),
	LANE(SPT_ROLE_STATE, 4, SPT_FIELD_U8, state),
};

const SptStreamType spt_stream_lanes = {
	"lanes", "switches", "events", SPT_STREAM_SWITCHES, lane_columns, G_N_ELEMENTS(lane_columns),
};

#define ACCOUNT(role, number, type, member)                                                        \
	COLUMN(role, number, type, SptSourceAccountRow, member)
#define TALLY_PART(i, part, member)                                                                \
	ACCOUNT(SPT_ROLE_TALLY + 4 * (i) + (part), 10 + 4 * (i) + (part), SPT_FIELD_U64,           \
		tallies[i].member)
#define TALLY(i)                                                                                   \
	TALLY_PART(i, 0, events), TALLY_PART(i, 1, value), TALLY_PART(i, 2, ns),                   \
		TALLY_PART(i, 3, weight)

static const SptSampleColumn source_account_columns[] = {
	ACCOUNT(SPT_ROLE_TIME, 1, SPT_FIELD_U64, time),
	ACCOUNT(SPT_ROLE_CPU, 2, SPT_FIELD_U32, cpu),
	ACCOUNT(SPT_ROLE_SOURCE, 3, SPT_FIELD_U32, kind),
	ACCOUNT(SPT_ROLE_COST, 4, SPT_FIELD_U64, cost_ns),
	ACCOUNT(SPT_ROLE_CALLS, 5, SPT_FIELD_U64, calls),
	TALLY(0), TALLY(1), TALLY(2), TALLY(3), TALLY(4), TALLY(5), TALLY(6),
	TALLY(7), TALLY(8), TALLY(9), TALLY(10), TALLY(11), TALLY(12),
};

const SptStreamType spt_stream_source_accounts = {
	"source-accounts", "", "events", SPT_STREAM_SUMS,
	source_account_columns, G_N_ELEMENTS(source_account_columns),
};

#define ALLOCATION(role, number, type, member) COLUMN(role, number, type, SptAllocationRow, member)

static const SptSampleColumn allocation_columns[] = {
	ALLOCATION(SPT_ROLE_TIME, 1, SPT_FIELD_U64, time),
	ALLOCATION(SPT_ROLE_DURATION, 2, SPT_FIELD_U64, duration_ns),
	ALLOCATION(SPT_ROLE_THREAD, 3, SPT_FIELD_U32, thread),
	ALLOCATION(SPT_ROLE_NODE, 4, SPT_FIELD_U32, node),
	ALLOCATION(SPT_ROLE_SIZE, 5, SPT_FIELD_U64, bytes),
	ALLOCATION(SPT_ROLE_WEIGHT, 6, SPT_FIELD_U64, weight),
	ALLOCATION(SPT_ROLE_HANDLE, 7, SPT_FIELD_U64, handle),
	ALLOCATION(SPT_ROLE_FLAGS, 8, SPT_FIELD_U32, flags),
	ALLOCATION(SPT_ROLE_OTHER_NODE, 9, SPT_FIELD_U32, free_node),
	ALLOCATION(SPT_ROLE_MEMORY_NODE, 10, SPT_FIELD_U32, memory_node),
};

const SptStreamType spt_stream_allocations = {
	"allocations", "allocated", "bytes", SPT_STREAM_SPANS,
	allocation_columns, G_N_ELEMENTS(allocation_columns),
};

#define RESIDENT(role, number, type, member) COLUMN(role, number, type, SptResidentRow, member)

static const SptSampleColumn resident_columns[] = {
	RESIDENT(SPT_ROLE_TIME, 1, SPT_FIELD_U64, time),
	RESIDENT(SPT_ROLE_THREAD, 2, SPT_FIELD_U32, thread),
	RESIDENT(SPT_ROLE_VALUE, 3, SPT_FIELD_U64, bytes),
};

const SptStreamType spt_stream_resident = {
	"resident", "resident", "bytes", SPT_STREAM_COUNTER,
	resident_columns, G_N_ELEMENTS(resident_columns),
};

const SptStreamType *spt_stream_type_of(const SptStreamRow *stream)
{
	for (unsigned kind = 0; kind < SPT_ROWS; kind++) {
		const SptStreamType *type = spt_row_types[kind].stream;

		if (type && spt_stream_is_of(stream, type))
			return type;
	}
	return spt_event_stream_of(stream);
}

/* The stream of a type; 0: the capture has none. */
static uint32_t stream_rows_find_stream(const SptCapture *capture, const SptStreamType *type)
{
	for (uint32_t i = 1; i < capture->n_streams; i++) {
		const SptStreamRow *row = &capture->streams[i];

		if (row->id && row->id != capture->samples_stream && spt_stream_is_of(row, type))
			return i;
	}
	return 0;
}

/* The column of the stream that has a role; 0: none. */
static uint32_t stream_rows_column_of(const SptCapture *capture, uint32_t stream, uint32_t role)
{
	uint32_t column = 0;

	for (uint64_t i = 0; i < capture->n_columns; i++)
		if (capture->columns[i].stream == stream && capture->columns[i].role == role)
			column = capture->columns[i].column;
	return column;
}

/* Sets the ids in a column that are not below @n to 0; with @threads, those of no thread. */
static inline void clear_ids(uint8_t *member, size_t stride, uint32_t rows,
			     const SptThreadRow *threads, uint64_t n)
{
	for (; rows > 0; rows--, member += stride) {
		uint32_t id;

		memcpy(&id, member, sizeof(id));
		if (id >= n || (threads && threads[id].id != id))
			memset(member, 0, sizeof(id));
	}
}

/* Ids are valid, or 0. */
static void check_ids(const SptCapture *capture, const SptSampleColumn *column, uint8_t *member,
		      size_t stride, uint32_t rows)
{
	if (column->field.type != SPT_FIELD_U32)
		return;
	switch (column->role) {
	case SPT_ROLE_THREAD:
	case SPT_ROLE_WAKER:
		clear_ids(member, stride, rows, capture->threads, capture->n_threads);
		break;
	case SPT_ROLE_NODE:
	case SPT_ROLE_OTHER_NODE:
		clear_ids(member, stride, rows, NULL, capture->n_nodes);
		break;
	default:
		break;
	}
}

static bool stream_rows_decode(const SptCapture *capture, const SptStreamType *type,
			       const uint32_t *columns, const SptTable *table, uint8_t *rows,
			       size_t stride)
{
	for (unsigned i = 0; i < type->n_columns; i++) {
		const SptColumn *column =
			columns[i] ? spt_table_column(table, columns[i]) : NULL;
		uint8_t *member = rows + type->columns[i].field.at;
		SptColumnCursor cursor;

		if (!column)
			continue;
		if (!spt_column_begin(&cursor, column, table->rows) ||
		    !spt_field_decode(&type->columns[i].field, &cursor, member, stride,
				      table->rows) ||
		    !spt_column_done(&cursor))
			return false;
		check_ids(capture, &type->columns[i], member, stride, table->rows);
	}
	for (uint32_t i = 0; type == &spt_stream_allocations && i < table->rows; i++)
		spt_unpack_allocation((SptAllocationRow *)rows + i);
	return true;
}

/* A stream that is read. */
struct source {
	const SptStreamType *type;
	const SptEventKind *kind;	/* of all its events; NULL: their own column says it */
	uint32_t stream;
	uint32_t columns[SPT_TABLE_MAX_COLUMNS];
};

struct SptStreamReader {
	const SptCapture *capture;
	const SptSchema *schema;
	GArray *sources;		/* struct source; the first is read now */
	SptEvents *events;		/* of the source that is read; NULL: not begun */
	/* Events of which kinds, up to NULL; NULL: of all that the streams have */
	const SptEventKind *const *kinds;
	uint64_t n;			/* rows of the source so far */
	uint8_t *rows;
};

static void add_source(SptStreamReader *reader, const SptStreamType *type,
		       const SptEventKind *kind)
{
	struct source source = { .type = type, .kind = kind };

	source.stream = stream_rows_find_stream(reader->capture, type);
	if (!source.stream)
		return;
	for (unsigned i = 0; i < type->n_columns; i++)
		source.columns[i] = stream_rows_column_of(reader->capture, source.stream,
							  type->columns[i].role);
	g_array_append_val(reader->sources, source);
}

static SptStreamReader *stream_reader_begin(const SptCapture *capture, SptRowKind kind)
{
	SptStreamReader *reader = g_new0(SptStreamReader, 1);

	reader->capture = capture;
	reader->schema = spt_row_types[kind].schema;
	reader->sources = g_array_new(FALSE, FALSE, sizeof(struct source));
	add_source(reader, spt_row_types[kind].stream, NULL);
	return reader;
}

SptStreamReader *spt_stream_reader_new(const SptCapture *capture, SptRowKind kind)
{
	SptStreamReader *reader = stream_reader_begin(capture, kind);
	const SptEventKind *of;

	for (unsigned i = 0; kind == SPT_ROW_EVENT && (of = spt_event_kind(i)); i++)
		if (of->fields)
			add_source(reader, spt_event_stream(of), of);
	return reader;
}

SptStreamReader *spt_event_reader_new(const SptCapture *capture, const SptEventKind *const *kinds)
{
	SptStreamReader *reader = stream_reader_begin(capture, SPT_ROW_EVENT);

	reader->kinds = kinds;
	for (; *kinds; kinds++)
		add_source(reader, spt_event_stream(*kinds), *kinds);
	return reader;
}

void spt_stream_reader_free(SptStreamReader *reader)
{
	if (!reader)
		return;
	spt_events_free(reader->events);
	g_array_unref(reader->sources);
	g_free(reader->rows);
	g_free(reader);
}

/* The next table; NULL: there are no more of the first source. */
static const SptTable *next_table(SptStreamReader *reader, const struct source *source)
{
	const SptTable *table;

	if (!reader->events) {
		reader->events = spt_events_new(reader->capture, SPT_BLOCK_EVENT, source->stream);
		reader->n = 0;
	}
	table = spt_events_next(reader->events, NULL);
	/* The file may be another one than when it was opened. */
	if (!table || !spt_events_may_have(reader->capture, reader->n, table->rows))
		return NULL;
	reader->n += table->rows;
	return table;
}

/* Numbers of @kinds, as bits.  Those in a stream of all kinds are the device's, which are small. */
static uint64_t bits_of_kinds(const SptEventKind *const *kinds)
{
	uint64_t bits = 0;

	for (; *kinds; kinds++)
		if ((*kinds)->number < 64)
			bits |= 1ull << (*kinds)->number;
	return bits;
}

/* Says of which kind the rows are, or drops those that are not wanted.  Returns their number. */
static uint32_t sort_out_events(const SptStreamReader *reader, const struct source *source,
				uint32_t n_rows)
{
	SptEventRow *rows = (SptEventRow *)reader->rows;
	uint64_t wanted;
	uint32_t n = 0;

	for (uint32_t i = 0; source->kind && i < n_rows; i++)
		rows[i].kind = source->kind->number;
	if (source->kind || !reader->kinds)
		return n_rows;
	wanted = bits_of_kinds(reader->kinds);
	for (uint32_t i = 0; i < n_rows; i++)
		if (rows[i].kind < 64 && (wanted >> rows[i].kind & 1))
			rows[n++] = rows[i];
	return n;
}

/* The rows of the next table; 0: there are none that can be read. */
static uint32_t read_rows(SptStreamReader *reader, const struct source *source,
			  const SptTable *table)
{
	size_t stride = reader->schema->row_bytes;

	if (!table->rows || !stream_rows_decode(reader->capture, source->type, source->columns,
						table, reader->rows, stride))
		return 0;
	return reader->schema == spt_row_types[SPT_ROW_EVENT].schema ?
		       sort_out_events(reader, source, table->rows) :
		       table->rows;
}

const void *spt_stream_reader_next(SptStreamReader *reader, uint32_t *ret_n)
{
	*ret_n = 0;
	while (reader->sources->len) {
		const struct source *source = &g_array_index(reader->sources, struct source, 0);
		const SptTable *table = next_table(reader, source);

		g_clear_pointer(&reader->rows, g_free);
		if (table)
			reader->rows = g_try_malloc0_n(table->rows, reader->schema->row_bytes);
		if (table && (reader->rows || !table->rows)) {
			*ret_n = read_rows(reader, source, table);
			if (*ret_n)
				return reader->rows;
			continue;
		}
		g_clear_pointer(&reader->events, spt_events_free);
		g_array_remove_index(reader->sources, 0);
	}
	return NULL;
}

void *spt_stream_rows(const SptCapture *capture, SptRowKind kind, uint64_t *ret_n)
{
	g_autoptr(SptStreamReader) reader = spt_stream_reader_new(capture, kind);
	size_t stride = spt_row_types[kind].schema->row_bytes;
	uint64_t room = 0, n_all = 0;
	uint8_t *all = NULL;
	const void *rows;
	uint32_t n;

	/* No GByteArray: it ends at 4 GiB. */
	while ((rows = spt_stream_reader_next(reader, &n))) {
		if (n > room - n_all) {
			room = MAX(room + room / 2, n_all + n);
			all = g_realloc_n(all, room, stride);
		}
		memcpy(all + n_all * stride, rows, n * stride);
		n_all += n;
	}
	*ret_n = n_all;
	return all;
}

static uint64_t rows_of_stream(const SptCapture *capture, const SptStreamType *type)
{
	uint32_t stream = stream_rows_find_stream(capture, type);

	return stream ? capture->streams[stream].rows : 0;
}

bool spt_capture_has_stream(const SptCapture *capture, SptRowKind kind)
{
	const SptEventKind *of;

	for (unsigned i = 0; kind == SPT_ROW_EVENT && (of = spt_event_kind(i)); i++)
		if (of->fields && rows_of_stream(capture, spt_event_stream(of)) > 0)
			return true;
	return rows_of_stream(capture, spt_row_types[kind].stream) > 0;
}

uint64_t spt_capture_n_events(const SptCapture *capture, const SptEventKind *kind)
{
	return rows_of_stream(capture, &spt_stream_old_events) +
	       rows_of_stream(capture, spt_event_stream(kind));
}
