/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams of several captures that are declared alike become one, whose rows are taken from all of
 * them in order of time.  A column's role says whether its numbers are ids; all other columns are
 * copied.  Embedded files are rows like those of a stream, with a column that points to an object.
 */
#include "rewrite/merge-streams.h"

#include <string.h>

#include "base/words.h"
#include "capture/events.h"

#define BATCH 256
/*
 * Size of a block: enough to pack well, and below the limit of a block, no matter how many bytes
 * each number takes.
 */
#define BLOCK_VALUES 400000u
#define BLOCK_BYTES (4u << 20)

/* Nine streams of this library's, declared kinds, and others. */
#define MAX_STREAMS (SPT_DECLARED_KINDS + 1024)

/* The object of an embedded file: not a role of any stream. */
#define ROLE_OBJECT UINT32_MAX

/* A column of one capture, some rows at a time. */
struct reading {
	SptColumnCursor cursor;
	bool is_there, is_bytes;
	uint64_t numbers[BATCH];
	SptBytes bytes[BATCH];
};

/* A stream of one capture on its way into the result. */
struct feed {
	unsigned source;
	uint32_t id;
	SptEvents *events;		/* NULL until its turn comes */
	struct reading *columns;	/* as those of the stream */
	uint32_t left;			/* rows of the table beyond the batch */
	unsigned at, n; /* row of the batch, and the number of its rows; none: the end */
};

/* A column of the result. */
struct written {
	uint32_t column, role;
	bool is_known, is_bytes;	/* known: a row of this block had it */
	GArray *numbers;		/* uint64_t; of bytes: their lengths */
	GByteArray *bytes;
};

struct stream {
	SptStreamRow row;
	GArray *declared;		/* SptStreamColumnRow, by column */
	SptBlockType type;
	uint32_t id;			/* in the result */
	struct written *columns;
	unsigned n_columns;
	int time;			/* index of each column, -1: none */
	GArray *feeds;			/* struct feed */
};

struct merger {
	SptCaptureWriter *writer;
	const SptMergeSource *sources;
	const SptMergeTexts *texts;	/* NULL: all stay */
	GHashTable **cookies, **handles;	/* by source: cookie -> new cookie; likewise */
	uint64_t n_cookies, n_handles;
	GPtrArray *streams;		/* struct stream */
};

static int compare_columns(const void *a, const void *b)
{
	const SptStreamColumnRow *x = a, *y = b;

	return (x->column > y->column) - (x->column < y->column);
}

/* The last declaration of the columns of stream @id. */
static GArray *merge_streams_columns_of(const SptCapture *capture, uint32_t id)
{
	GArray *columns = g_array_new(FALSE, FALSE, sizeof(SptStreamColumnRow));

	for (uint64_t i = capture->n_columns; i > 0; i--) {
		const SptStreamColumnRow *row = &capture->columns[i - 1];
		bool known = row->stream != id;

		for (unsigned k = 0; !known && k < columns->len; k++)
			known = g_array_index(columns, SptStreamColumnRow, k).column == row->column;
		if (!known && columns->len < SPT_TABLE_MAX_COLUMNS - 1)
			g_array_append_vals(columns, row, 1);
	}
	g_array_sort(columns, compare_columns);
	return columns;
}

/* Numbers alone say what a column holds that is not a field; a field is what its name says. */
static bool same_column(const SptStreamColumnRow *x, const SptStreamColumnRow *y)
{
	return x->column == y->column && x->role == y->role && x->type == y->type &&
	       (!x->type || (strcmp(x->name, y->name) == 0 && strcmp(x->unit, y->unit) == 0));
}

/* Titles may differ: the first one stays. */
static bool same_declaration(const struct stream *stream, const SptStreamRow *row,
			     const GArray *declared)
{
	if (stream->type != SPT_BLOCK_EVENT || stream->row.kind != row->kind ||
	    stream->row.factor != row->factor || strcmp(stream->row.name, row->name) ||
	    strcmp(stream->row.metric, row->metric) || strcmp(stream->row.unit, row->unit) ||
	    !*stream->row.title != !*row->title || stream->declared->len != declared->len)
		return false;
	for (unsigned i = 0; i < declared->len; i++) {
		const SptStreamColumnRow *x =
			&g_array_index(stream->declared, SptStreamColumnRow, i);
		const SptStreamColumnRow *y = &g_array_index(declared, SptStreamColumnRow, i);

		if (!same_column(x, y))
			return false;
	}
	return true;
}

/* Takes over @declared. */
static struct stream *add_stream(struct merger *merger, SptBlockType type, const SptStreamRow *row,
				 GArray *declared)
{
	struct stream *stream = g_new0(struct stream, 1);

	*stream = (struct stream){
		.row = *row,
		.declared = declared,
		.type = type,
		.n_columns = declared->len,
		.time = -1,
		.columns = g_new0(struct written, MAX(declared->len, 1)),
		.feeds = g_array_new(FALSE, TRUE, sizeof(struct feed)),
	};
	for (unsigned i = 0; i < stream->n_columns; i++) {
		const SptStreamColumnRow *column = &g_array_index(declared, SptStreamColumnRow, i);

		stream->columns[i] = (struct written){
			.column = column->column, .role = column->role, .bytes = g_byte_array_new(),
			.numbers = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
		};
		if (column->role == SPT_ROLE_TIME && type == SPT_BLOCK_EVENT)
			stream->time = (int)i;
	}
	g_ptr_array_add(merger->streams, stream);
	return stream;
}

static void add_feed(struct stream *stream, unsigned source, uint32_t id)
{
	struct feed feed = { .source = source, .id = id };

	g_array_append_val(stream->feeds, feed);
}

static void close_feeds(struct stream *stream)
{
	for (unsigned i = 0; i < stream->feeds->len; i++) {
		struct feed *feed = &g_array_index(stream->feeds, struct feed, i);

		g_clear_pointer(&feed->events, spt_events_free);
		g_clear_pointer(&feed->columns, g_free);
	}
}

static void stream_free(gpointer data)
{
	struct stream *stream = data;

	for (unsigned i = 0; i < stream->n_columns; i++) {
		g_array_unref(stream->columns[i].numbers);
		g_byte_array_unref(stream->columns[i].bytes);
	}
	close_feeds(stream);
	g_array_unref(stream->feeds);
	g_array_unref(stream->declared);
	g_free(stream->columns);
	g_free(stream);
}

static bool merge_streams_has_file(const SptCapture *capture)
{
	for (uint64_t i = 0; i < capture->n_places; i++) {
		if (capture->places[i].type == SPT_BLOCK_FILE)
			return true;
	}
	return false;
}

static void find_streams(struct merger *merger, unsigned source)
{
	static const SptStreamColumnRow file_columns[] = {
		{ .column = 1, .role = ROLE_OBJECT },
		{ .column = 2 },
		{ .column = 3 },
		{ .column = 4 },
	};
	const SptCapture *capture = merger->sources[source].capture;

	for (uint32_t i = 1; i < capture->n_streams; i++) {
		const SptStreamRow *row = &capture->streams[i];
		struct stream *stream = NULL;
		g_autoptr(GArray) declared = NULL;

		if (row->id == 0 || row->id == capture->samples_stream)
			continue;
		declared = merge_streams_columns_of(capture, row->id);
		for (unsigned k = 0; !stream && k < merger->streams->len; k++) {
			if (same_declaration(merger->streams->pdata[k], row, declared))
				stream = merger->streams->pdata[k];
		}
		if (!stream) {
			stream = add_stream(merger, SPT_BLOCK_EVENT, row, g_array_ref(declared));
			stream->id = spt_capture_writer_stream(
				merger->writer, row, (const SptStreamColumnRow *)declared->data,
				declared->len);
		}
		add_feed(stream, source, row->id);
	}
	if (merge_streams_has_file(capture)) {
		GArray *declared = g_array_new(FALSE, FALSE, sizeof(SptStreamColumnRow));

		g_array_append_vals(declared, file_columns, G_N_ELEMENTS(file_columns));
		add_feed(add_stream(merger, SPT_BLOCK_FILE, &(SptStreamRow){ 0 }, declared), source,
			 0);
	}
}

static bool merge_streams_damaged(const struct merger *merger, const struct feed *feed,
				  const struct stream *stream, GError **error)
{
	spt_set_error(
		error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED,
		"Cannot merge %s: a column of its stream \"%s\" does not hold what its rows need.",
		merger->sources[feed->source].capture->path,
		stream->row.name ? stream->row.name : "");
	return false;
}

static bool merge_streams_begin_table(struct feed *feed, const struct stream *stream,
				      const SptTable *table)
{
	feed->left = table->rows;
	for (unsigned i = 0; i < stream->n_columns; i++) {
		struct reading *reading = &feed->columns[i];
		const SptColumn *column = spt_table_column(table, stream->columns[i].column);

		reading->is_there = column != NULL;
		reading->is_bytes = column && column->coding == SPT_CODING_BYTES;
		if (column && !spt_column_begin(&reading->cursor, column, table->rows))
			return false;
	}
	return true;
}

static bool merge_streams_read_batch(struct feed *feed, const struct stream *stream)
{
	feed->n = MIN(feed->left, BATCH);
	feed->left -= feed->n;
	feed->at = 0;
	for (unsigned i = 0; i < stream->n_columns; i++) {
		struct reading *reading = &feed->columns[i];

		for (unsigned k = 0; reading->is_bytes && k < feed->n; k++) {
			if (!spt_column_next_bytes(&reading->cursor, &reading->bytes[k]))
				return false;
		}
		if (reading->is_there && !reading->is_bytes &&
		    !spt_column_next_numbers(&reading->cursor, reading->numbers, feed->n))
			return false;
		if (reading->is_there && feed->left == 0 && !spt_column_done(&reading->cursor))
			return false;
	}
	return true;
}

/* Moves to the next row, beginning with the first. */
static bool merge_streams_advance(const struct merger *merger, struct stream *stream,
				  struct feed *feed, GError **error)
{
	GError *problem = NULL;

	if (feed->n > 0 && ++feed->at < feed->n)
		return true;
	feed->n = 0;
	while (feed->left == 0) {
		const SptTable *table = spt_events_next(feed->events, &problem);

		if (!table) {
			if (problem)
				g_propagate_error(error, problem);
			return !problem;
		}
		if (!merge_streams_begin_table(feed, stream, table))
			return merge_streams_damaged(merger, feed, stream, error);
	}
	return merge_streams_read_batch(feed, stream) ||
	       merge_streams_damaged(merger, feed, stream, error);
}

static uint64_t merge_streams_time_of(const struct stream *stream, const struct feed *feed)
{
	const struct reading *time = stream->time >= 0 ? &feed->columns[stream->time] : NULL;

	return time && time->is_there && !time->is_bytes ? time->numbers[feed->at] : 0;
}

/*
 * Cookies of two captures may be equal and mean different stacks, handles different blocks.  The
 * new ones are counted in @n.
 */
static uint64_t map_id(GHashTable *ids, uint64_t id, uint64_t *n)
{
	uint64_t *known;

	if (id == 0)
		return 0;
	known = g_hash_table_lookup(ids, &id);
	if (!known) {
		known = g_memdup2((uint64_t[]){ id, ++*n }, 2 * sizeof(uint64_t));
		g_hash_table_add(ids, known);
	}
	return known[1];
}

static uint64_t map_number(struct merger *merger, unsigned from, uint32_t role, uint64_t value)
{
	const SptMergeSource *source = &merger->sources[from];
	const SptCapture *capture = source->capture;

	switch (role) {
	case SPT_ROLE_THREAD:
	case SPT_ROLE_WAKER:
		return value != 0 && value < capture->n_threads && capture->threads[value].id ?
			       value + source->thread_base :
			       0;
	case SPT_ROLE_NODE:
	case SPT_ROLE_OTHER_NODE:
	case SPT_ROLE_KERNEL_NODE:
		return value < capture->n_nodes ? source->nodes[value] : 0;
	case SPT_ROLE_COOKIE:
		return map_id(merger->cookies[from], value, &merger->n_cookies);
	case SPT_ROLE_HANDLE:
		return map_id(merger->handles[from], value, &merger->n_handles);
	case ROLE_OBJECT:
		return value < capture->n_objects ? source->objects[value] : 0;
	default:
		return value;
	}
}

static bool write_block(struct merger *merger, struct stream *stream, GError **error)
{
	g_autofree SptEventColumn *columns = g_new0(SptEventColumn, MAX(stream->n_columns, 1));
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	size_t rows = stream->n_columns ? stream->columns[0].numbers->len : 0;
	unsigned n = 0;
	const uint64_t *times = NULL;
	bool ok;

	for (unsigned i = 0; i < stream->n_columns && rows > 0; i++) {
		struct written *written = &stream->columns[i];
		const uint64_t *numbers = (const uint64_t *)written->numbers->data;
		SptBytes *bytes = written->is_bytes ? g_new0(SptBytes, rows) : NULL;
		size_t at = 0;

		columns[n] = (SptEventColumn){ .column = written->column,
					       .numbers = numbers,
					       .bytes = bytes };
		for (size_t row = 0; bytes && row < rows; at += numbers[row++])
			bytes[row] = (SptBytes){ written->bytes->data + at, numbers[row] };
		if (bytes)
			g_ptr_array_add(texts, bytes);
		if ((int)i == stream->time && !written->is_bytes)
			times = numbers;
		n++;
	}
	ok = rows == 0 ||
	     spt_capture_writer_events(merger->writer, stream->id, columns, n, rows, times, error);
	for (unsigned i = 0; i < stream->n_columns; i++) {
		struct written *written = &stream->columns[i];

		g_array_set_size(written->numbers, 0);
		g_byte_array_set_size(written->bytes, 0);
		written->is_known = written->is_bytes = false;
	}
	return ok;
}

/* Whether the row fits into the block that is being built. */
static bool merge_streams_fits(const struct stream *stream, const struct feed *feed)
{
	size_t rows = stream->columns[0].numbers->len, bytes = 0;

	for (unsigned i = 0; i < stream->n_columns; i++) {
		const struct reading *reading = &feed->columns[i];
		const struct written *written = &stream->columns[i];

		if (reading->is_there && written->is_known &&
		    reading->is_bytes != written->is_bytes)
			return false;
		bytes += written->bytes->len +
			 (reading->is_bytes ? reading->bytes[feed->at].bytes : 0);
	}
	return rows == 0 ||
	       (bytes <= BLOCK_BYTES && (rows + 1) * stream->n_columns <= BLOCK_VALUES);
}

/* Of the capture that the row comes from; 0: nobody's. */
static uint32_t thread_of_row(const struct stream *stream, const struct feed *feed)
{
	for (unsigned i = 0; i < stream->n_columns; i++)
		if (stream->columns[i].role == SPT_ROLE_THREAD && feed->columns[i].is_there &&
		    !feed->columns[i].is_bytes)
			return (uint32_t)feed->columns[i].numbers[feed->at];
	return 0;
}

/* Another text for that of column @i; NULL: it stays. */
static char *say_instead(const struct merger *merger, const struct stream *stream,
			 const struct feed *feed, unsigned i)
{
	const SptStreamColumnRow *column =
		&g_array_index(stream->declared, SptStreamColumnRow, i);
	const SptBytes *bytes = &feed->columns[i].bytes[feed->at];
	g_autofree char *text = NULL;

	if (!merger->texts || !column->type)
		return NULL;
	text = g_strndup((const char *)bytes->data, bytes->bytes);
	return merger->texts->say(merger->sources[feed->source].capture, stream->row.name,
				  column->name, thread_of_row(stream, feed), text,
				  merger->texts->data);
}

static void merge_streams_take_row(struct merger *merger, struct stream *stream,
				   const struct feed *feed)
{
	for (unsigned i = 0; i < stream->n_columns; i++) {
		const struct reading *reading = &feed->columns[i];
		struct written *written = &stream->columns[i];
		uint64_t value = 0;

		if (reading->is_bytes) {
			g_autofree char *instead = say_instead(merger, stream, feed, i);

			value = instead ? strlen(instead) : reading->bytes[feed->at].bytes;
			g_byte_array_append(written->bytes,
					    instead ? (const uint8_t *)instead :
						      reading->bytes[feed->at].data,
					    (guint)value);
		} else if (reading->is_there) {
			value = map_number(merger, feed->source, written->role,
					   reading->numbers[feed->at]);
		}
		g_array_append_val(written->numbers, value);
		if (reading->is_there) {
			written->is_known = true;
			written->is_bytes = reading->is_bytes;
		}
	}
}

/* The feed whose next row is the earliest; NULL: all are through. */
static struct feed *merge_streams_earliest(const struct stream *stream)
{
	struct feed *best = NULL;

	for (unsigned i = 0; i < stream->feeds->len; i++) {
		struct feed *feed = &g_array_index(stream->feeds, struct feed, i);

		if (feed->n > 0 && (!best || merge_streams_time_of(stream, feed) <
						     merge_streams_time_of(stream, best)))
			best = feed;
	}
	return best;
}

static bool merge_stream(struct merger *merger, struct stream *stream, GError **error)
{
	struct feed *feed;

	if (stream->n_columns == 0)
		return true;
	for (unsigned i = 0; i < stream->feeds->len; i++) {
		feed = &g_array_index(stream->feeds, struct feed, i);
		feed->events = spt_events_new(merger->sources[feed->source].capture, stream->type,
					      feed->id);
		feed->columns = g_new0(struct reading, stream->n_columns);
		if (!merge_streams_advance(merger, stream, feed, error))
			return false;
	}
	while ((feed = merge_streams_earliest(stream))) {
		if (!merge_streams_fits(stream, feed) && !write_block(merger, stream, error))
			return false;
		merge_streams_take_row(merger, stream, feed);
		if (!merge_streams_advance(merger, stream, feed, error))
			return false;
	}
	close_feeds(stream);
	return write_block(merger, stream, error);
}

static bool merge_streams_can(const SptCapture *capture, GError **error)
{
	if (capture->n_streams > MAX_STREAMS) {
		spt_set_error(error, SPT_CAPTURE_ERROR, SPT_CAPTURE_ERROR_DAMAGED,
			      "Cannot merge %s: it has more kinds of events than %u.",
			      capture->path, MAX_STREAMS);
		return false;
	}
	return true;
}

bool spt_merge_streams(SptCaptureWriter *writer, const SptMergeSource *sources, unsigned n,
		       const SptMergeTexts *texts, GError **error)
{
	g_autoptr(GPtrArray) streams = g_ptr_array_new_with_free_func(stream_free);
	g_autofree GHashTable **cookies = g_new0(GHashTable *, MAX(n, 1)),
			      **handles = g_new0(GHashTable *, MAX(n, 1));
	struct merger merger = { .writer = writer, .sources = sources, .texts = texts,
				 .cookies = cookies, .handles = handles, .streams = streams };
	bool ok = true;

	for (unsigned i = 0; i < n; i++) {
		cookies[i] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
		handles[i] = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
		ok = ok && merge_streams_can(sources[i].capture, error);
		if (ok)
			find_streams(&merger, i);
	}
	for (unsigned i = 0; ok && i < streams->len; i++)
		ok = merge_stream(&merger, streams->pdata[i], error);
	for (unsigned i = 0; i < n; i++) {
		g_hash_table_unref(cookies[i]);
		g_hash_table_unref(handles[i]);
	}
	return ok;
}
