/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read once; few captures have more such rows than fit in memory many times over, and those are
 * cut.
 */
#include "profile/tracks.h"

#include "base/words.h"
#include "capture/events.h"
#include "capture/stream-rows.h"
#include "profile/allocations.h"
#include "profile/memory-use.h"
#include "profile/summary.h"

/* The fields of a row that matter here, by role. */
enum { TIME, DURATION, VALUE, TEXT, N_FIELDS };

#define LEAST_LEVEL 0.25
#define LIVE_PARTS  2048 /* of a recording, more than a screen has columns */

void spt_track_free(SptTrack *track)
{
	g_array_unref(track->events);
	g_string_chunk_free(track->texts);
	g_free(track);
}

/* The column of a stream that has each field; 0: none. */
static void find_columns(const SptCapture *capture, uint32_t stream, uint32_t *ret_columns)
{
	static const struct {
		SptRole role;
		unsigned field;
	} roles[] = {
		{ SPT_ROLE_TIME, TIME },   { SPT_ROLE_DURATION, DURATION },
		{ SPT_ROLE_VALUE, VALUE }, { SPT_ROLE_SIZE, VALUE },
		{ SPT_ROLE_TEXT, TEXT },
	};

	for (uint64_t i = 0; i < capture->n_columns; i++) {
		const SptStreamColumnRow *column = &capture->columns[i];

		for (unsigned k = 0; column->stream == stream && k < G_N_ELEMENTS(roles); k++) {
			if (column->role == roles[k].role)
				ret_columns[roles[k].field] = column->column;
		}
	}
}

static bool begin_column(SptColumnCursor *cursor, const SptTable *table, uint32_t id)
{
	const SptColumn *column = id ? spt_table_column(table, id) : NULL;

	return column && spt_column_begin(cursor, column, table->rows);
}

/* A missing column is 0, or no text. */
static void read_table(SptTrack *track, const SptTable *table, const uint32_t *ids)
{
	SptColumnCursor cursors[N_FIELDS];
	bool has[N_FIELDS];

	for (unsigned i = 0; i < N_FIELDS; i++)
		has[i] = begin_column(&cursors[i], table, ids[i]);
	for (uint32_t row = 0; row < table->rows && track->events->len < SPT_TRACK_MAX_EVENTS;
	     row++) {
		uint64_t numbers[TEXT] = { 0 };
		SptTrackEvent event;
		SptBytes text;

		for (unsigned i = 0; i < TEXT; i++) {
			if (has[i] && !spt_column_next_numbers(&cursors[i], &numbers[i], 1))
				return;
		}
		event = (SptTrackEvent){ .time = numbers[TIME],
					 .duration = numbers[DURATION],
					 .value = (double)numbers[VALUE] };
		if (has[TEXT] && !spt_column_next_bytes(&cursors[TEXT], &text))
			return;
		if (has[TEXT])
			event.text = g_string_chunk_insert_len(track->texts, text.data,
							       (gssize)text.bytes);
		g_array_append_val(track->events, event);
	}
}

/* What begins together is in the order of nesting. */
static int compare_times(gconstpointer a, gconstpointer b)
{
	const SptTrackEvent *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->duration < y->duration) - (x->duration > y->duration);
}

/* Each in the first row that is free. */
static void track_find_rows(SptTrack *track)
{
	uint64_t ends[SPT_TRACK_MAX_ROWS] = { 0 };

	for (unsigned i = 0; i < track->events->len; i++) {
		SptTrackEvent *event = &g_array_index(track->events, SptTrackEvent, i);
		unsigned row = 0;

		while (row + 1 < SPT_TRACK_MAX_ROWS && ends[row] > event->time)
			row++;
		ends[row] = MAX(ends[row], event->time + event->duration);
		event->row = row;
		track->n_rows = MAX(track->n_rows, row + 1);
	}
}

bool spt_track_is_late(const SptTrack *track, const SptTrackEvent *event)
{
	return track->late_ns && event->duration > track->late_ns;
}

void spt_track_finish(SptTrack *track)
{
	g_array_sort(track->events, compare_times);
	track->n_rows = 1;
	/* Frames have one row, in which late ones are seen at once. */
	if (track->kind == SPT_STREAM_SPANS && !track->late_ns)
		track_find_rows(track);
	for (unsigned i = 0; i < track->events->len; i++) {
		double value = g_array_index(track->events, SptTrackEvent, i).value;

		track->least = i ? MIN(track->least, value) : value;
		track->most = i ? MAX(track->most, value) : value;
		track->n_late += spt_track_is_late(
			track, &g_array_index(track->events, SptTrackEvent, i));
	}
}

static SptTrack *read_track(const SptCapture *capture, const SptStreamRow *stream)
{
	g_autoptr(SptEvents) events = spt_events_new(capture, SPT_BLOCK_EVENT, stream->id);
	SptTrack *track = g_new0(SptTrack, 1);
	uint32_t ids[N_FIELDS] = { 0 };
	const SptTable *table;

	*track = (SptTrack){
		.name = stream->name,
		.unit = stream->unit,
		.kind = (SptStreamKind)stream->kind,
		.events = g_array_new(FALSE, FALSE, sizeof(SptTrackEvent)),
		.texts = g_string_chunk_new(256),
	};
	find_columns(capture, stream->id, ids);
	while (ids[TIME] && track->events->len < SPT_TRACK_MAX_EVENTS &&
	       (table = spt_events_next(events, NULL)))
		read_table(track, table, ids);
	spt_track_finish(track);
	return track;
}

/* Memory in use, as a counter from 0 on. */
static SptTrack *live_memory(const SptCapture *capture, uint32_t whose, const char *name)
{
	g_autofree uint64_t *levels = g_new0(uint64_t, LIVE_PARTS);
	SptTrack *track;
	SptSummary summary;

	spt_summary_init(&summary, capture);
	spt_allocations_live(capture, whose, summary.start_ns, summary.end_ns, LIVE_PARTS, levels);
	track = g_new0(SptTrack, 1);
	*track = (SptTrack){
		.n_rows = 1,
		.name = spt_words(name),
		.unit = "bytes",
		.kind = SPT_STREAM_COUNTER,
		.events = g_array_new(FALSE, FALSE, sizeof(SptTrackEvent)),
		.texts = g_string_chunk_new(1),
	};
	for (unsigned i = 0; i < LIVE_PARTS; i++) {
		double part = (i + 1.0) / LIVE_PARTS;
		uint64_t passed =
			(uint64_t)(part * (double)(summary.end_ns - summary.start_ns));
		const SptTrackEvent event = { .time = summary.start_ns + passed,
					      .value = (double)levels[i] };

		/* Only points where the value changes. */
		if (levels[i] == (i ? levels[i - 1] : 0))
			continue;
		g_array_append_val(track->events, event);
		track->most = MAX(track->most, (double)levels[i]);
	}
	spt_summary_clear(&summary);
	return track;
}

static SptTrack *resident_memory(const SptCapture *capture)
{
	g_autoptr(GArray) levels = spt_resident_levels(capture);
	SptTrack *track = g_new0(SptTrack, 1);

	*track = (SptTrack){
		.n_rows = 1,
		.name = spt_words("resident"),
		.unit = "bytes",
		.kind = SPT_STREAM_COUNTER,
		.events = g_array_new(FALSE, FALSE, sizeof(SptTrackEvent)),
		.texts = g_string_chunk_new(1),
	};
	for (unsigned i = 0; i < levels->len; i++) {
		const SptMemoryLevel *level = &g_array_index(levels, SptMemoryLevel, i);
		const SptTrackEvent event = { .time = level->time, .value = (double)level->bytes };

		g_array_append_val(track->events, event);
		track->most = MAX(track->most, (double)level->bytes);
	}
	return track;
}

static void add(GPtrArray *tracks, SptTrack *track)
{
	if (track->events->len)
		g_ptr_array_add(tracks, track);
	else
		spt_track_free(track);
}

GPtrArray *spt_tracks_new(const SptCapture *capture)
{
	static const struct {
		uint32_t whose;
		const SptWeightSource *source;
		const char *name;
	} memory[] = {
		{ 0, &spt_weights_allocated, SPT_WORDS("live memory") },
		{ SPT_ALLOCATION_MAPPING, &spt_weights_mapped, SPT_WORDS("mapped") },
		{ SPT_ALLOCATION_SLAB, &spt_weights_kmem, SPT_WORDS("slab in use") },
		{ SPT_ALLOCATION_PAGE, &spt_weights_pages, SPT_WORDS("pages in use") },
		{ SPT_ALLOCATION_PERCPU, &spt_weights_percpu, SPT_WORDS("per CPU in use") },
		{ SPT_ALLOCATION_AREA, &spt_weights_vmalloc, SPT_WORDS("vmalloc in use") },
	};
	GPtrArray *tracks = g_ptr_array_new_with_free_func((GDestroyNotify)spt_track_free);

	for (uint32_t i = 1; i < capture->n_streams; i++) {
		const SptStreamRow *stream = &capture->streams[i];

		if (!stream->id || stream->id == capture->samples_stream || stream->rows == 0 ||
		    spt_stream_type_of(stream) || *stream->title)
			continue;
		add(tracks, read_track(capture, stream));
	}
	spt_tracks_add_declared(tracks, capture);
	add(tracks, resident_memory(capture));
	for (unsigned i = 0; i < G_N_ELEMENTS(memory); i++)
		if (spt_weights_are_in(capture, memory[i].source))
			add(tracks, live_memory(capture, memory[i].whose, memory[i].name));
	return tracks;
}

static void add_counter(const SptTrack *track, uint64_t begin_ns, double bucket_ns, uint32_t n,
			double *ret)
{
	bool is_part = g_strcmp0(track->unit, "%") == 0;
	double least = is_part ? MIN(track->least, 0) : track->least,
	       most = is_part ? MAX(track->most, 100) : track->most, level = 0;
	unsigned at = 0;

	for (uint32_t i = 0; i < n; i++) {
		double end = (double)begin_ns + bucket_ns * (i + 1), sum = 0;
		unsigned n_values = 0;

		for (; at < track->events->len; at++) {
			const SptTrackEvent *event =
				&g_array_index(track->events, SptTrackEvent, at);
			/* One that never changes is nothing, or all. */
			double value = most > least ? (event->value - least) / (most - least) :
						      most != 0;

			if ((double)event->time >= end)
				break;
			level = value;
			if (event->time < begin_ns)
				continue;
			sum += value;
			n_values++;
		}
		ret[i] = n_values ? sum / n_values : level;
	}
}

static void add_event(const SptTrackEvent *event, uint64_t begin_ns, double bucket_ns, uint32_t n,
		      double *ret)
{
	double from = ((double)event->time - (double)begin_ns) / bucket_ns,
	       to = from + (double)event->duration / bucket_ns;

	const uint32_t first = (uint32_t)CLAMP(from, 0, n);

	if (to < 0)
		return;
	for (uint32_t i = first; i < n && (i < to || i == first); i++) {
		double covered = MIN(to, i + 1) - MAX(from, i);

		ret[i] = CLAMP(ret[i] + covered, LEAST_LEVEL, 1);
	}
}

void spt_track_levels(const SptTrack *track, uint64_t begin_ns, uint64_t end_ns, uint32_t n,
		      double *ret)
{
	double bucket_ns = (double)MAX(end_ns - begin_ns, 1) / n;

	for (uint32_t i = 0; i < n * track->n_rows; i++)
		ret[i] = 0;
	if (track->kind == SPT_STREAM_COUNTER) {
		add_counter(track, begin_ns, bucket_ns, n, ret);
		return;
	}
	for (unsigned i = 0; i < track->events->len; i++) {
		const SptTrackEvent *event = &g_array_index(track->events, SptTrackEvent, i);

		add_event(event, begin_ns, bucket_ns, n, ret + (size_t)event->row * n);
	}
}

void spt_track_late_levels(const SptTrack *track, uint64_t begin_ns, uint64_t end_ns, uint32_t n,
			   double *ret)
{
	double bucket_ns = (double)MAX(end_ns - begin_ns, 1) / n;

	for (uint32_t i = 0; i < n; i++)
		ret[i] = 0;
	for (unsigned i = 0; i < track->events->len; i++) {
		const SptTrackEvent *event = &g_array_index(track->events, SptTrackEvent, i);

		if (spt_track_is_late(track, event))
			add_event(event, begin_ns, bucket_ns, n, ret);
	}
}

const SptTrackEvent *spt_track_at(const SptTrack *track, unsigned row, uint64_t time_ns,
				  uint64_t near_ns)
{
	const SptTrackEvent *found = NULL;

	for (unsigned i = 0; i < track->events->len; i++) {
		const SptTrackEvent *event = &g_array_index(track->events, SptTrackEvent, i);

		if (event->time > time_ns &&
		    (track->kind == SPT_STREAM_COUNTER || event->time - time_ns > near_ns))
			break;
		if (event->row == row &&
		    (track->kind == SPT_STREAM_COUNTER || event->time > time_ns ||
		     time_ns - event->time <= event->duration + near_ns))
			found = event;
	}
	return found;
}
