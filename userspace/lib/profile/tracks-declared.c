/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declared kinds along time: the events of one, or a number of a counter. */
#include <math.h>
#include <string.h>

#include "base/words.h"
#include "capture/declared.h"
#include "profile/counter-label.h"
#include "profile/frames.h"
#include "profile/tracks.h"

/* More have no room on a screen, and a hostile file has no more memory. */
#define MOST_TRACKS   64
/* Of one kind: its events have a track for each value of this field; further values share one. */
#define CATEGORY      "category"
#define MOST_CATEGORIES 12
#define MOST_EVENTS   (4 * SPT_TRACK_MAX_EVENTS)
#define MOST_TEXT_BYTES 200		/* of an event, as a tooltip shows it */

static SptStreamKind kind_of(const SptDeclared *kind)
{
	return kind->shape == SPT_DECLARED_INSTANT  ? SPT_STREAM_MARKS :
	       kind->shape == SPT_DECLARED_INTERVAL ? SPT_STREAM_SPANS :
						      SPT_STREAM_COUNTER;
}

static void name_track(SptTrack *track, const char *name)
{
	track->name = g_string_chunk_insert(track->texts, name);
}

static SptTrack *make_track(const SptDeclared *kind, const char *name, const char *unit)
{
	SptTrack *track = g_new0(SptTrack, 1);

	*track = (SptTrack){
		.unit = unit,
		.kind = kind_of(kind),
		.events = g_array_new(FALSE, FALSE, sizeof(SptTrackEvent)),
		.texts = g_string_chunk_new(256),
	};
	name_track(track, name);
	return track;
}

/* "/index.html, sent=4096 bytes": a first text needs no name. */
static const char *describe(SptTrack *track, const SptDeclared *kind, const SptDeclaredRow *row)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (unsigned i = 0; i < kind->n_fields && text->len < MOST_TEXT_BYTES; i++) {
		const SptDeclaredField *field = &kind->fields[i];
		g_autofree char *value = spt_value_describe(field, row->values[i]);

		if (i > 0 || field->type != SPT_VALUE_TEXT)
			g_string_append_printf(text, "%s%s=", i ? ", " : "", field->name);
		g_string_append(text, value);
	}
	return g_string_chunk_insert_len(track->texts, text->str,
					 (gssize)MIN(text->len, MOST_TEXT_BYTES));
}

static bool is_number(const SptDeclaredField *field)
{
	return spt_value_type_adds_up(field->type);
}

/* Titles of our own kinds can be translated; a program's may be empty. */
static const char *title_of(const SptDeclared *kind)
{
	return *kind->title ? spt_words(kind->title) : "";
}

/* A track for each number of a counter, by field; else one, the first. */
static void make_tracks(const SptDeclared *kind, SptTrack **ret)
{
	const char *title = title_of(kind);
	unsigned n = 0;

	for (unsigned i = 0; i < kind->n_fields; i++)
		n += is_number(&kind->fields[i]);
	if (kind->shape != SPT_DECLARED_COUNTER)
		ret[0] = make_track(kind, title, "");
	for (unsigned i = 0; i < kind->n_fields && kind->shape == SPT_DECLARED_COUNTER; i++) {
		const SptDeclaredField *field = &kind->fields[i];
		g_autofree char *name = n > 1 ? g_strdup_printf("%s: %s", title, field->name) :
						g_strdup(title);
		const char *unit = *field->unit			   ? field->unit :
				   field->type == SPT_VALUE_BYTES ? "bytes" :
				   field->type == SPT_VALUE_NS	   ? "ns" :
								     "";

		if (is_number(field))
			ret[i] = make_track(kind, name, unit);
	}
}

static void add_event(SptTrack *track, const SptDeclared *kind, const SptDeclaredRow *row,
		      unsigned field)
{
	bool is_counter = kind->shape == SPT_DECLARED_COUNTER;
	SptTrackEvent event = { .time = row->time, .duration = row->duration_ns };

	if (track->events->len >= SPT_TRACK_MAX_EVENTS)
		return;
	if (is_counter)
		event.value = spt_value_real(&kind->fields[field], row->values[field]);
	else if (kind->n_fields)
		event.text = describe(track, kind, row);
	if (isfinite(event.value))
		g_array_append_val(track->events, event);
}

static bool has_categories(const SptDeclared *kind, unsigned *ret_field)
{
	return kind->shape != SPT_DECLARED_COUNTER &&
	       spt_declared_find_field(kind, CATEGORY, ret_field) &&
	       kind->fields[*ret_field].type == SPT_VALUE_TEXT;
}

/* "Marks: gtk". */
static SptTrack *track_of(GHashTable *by_category, GPtrArray *made, const SptDeclared *kind,
			  const char *category)
{
	SptTrack *track = g_hash_table_lookup(by_category, category);
	g_autofree char *name = NULL;

	if (!track && made->len >= MOST_CATEGORIES)
		return made->pdata[made->len - 1];
	if (track)
		return track;
	name = *category ? g_strdup_printf("%s: %s", title_of(kind), category) :
			   g_strdup(title_of(kind));
	track = make_track(kind, name, "");
	g_ptr_array_add(made, track);
	g_hash_table_insert(by_category, g_strdup(category), track);
	return track;
}

/* Frames have a track of their own beside that of their category. */
static void add_drawn_frame(GHashTable *frames, const SptDeclared *kind, const SptDeclaredRow *row,
		      const char *category)
{
	SptTrack *track = g_hash_table_lookup(frames, category);
	g_autofree char *name = NULL;

	if (!track && g_hash_table_size(frames) >= MOST_CATEGORIES)
		return;
	if (!track) {
		name = *category ? g_strdup_printf("%s: %s", spt_words("Frames"), category) :
				   g_strdup(spt_words("Frames"));
		track = make_track(kind, name, "");
		track->late_ns = SPT_FRAME_NS;
		g_hash_table_insert(frames, g_strdup(category), track);
	}
	add_event(track, kind, row, 0);
}

static void put_track(GPtrArray *tracks, SptTrack *track)
{
	spt_track_finish(track);
	g_ptr_array_add(tracks, track);
}

/* By the names of their categories. */
static void put_frames(GPtrArray *tracks, GHashTable *frames)
{
	g_autoptr(GList) categories =
		g_list_sort(g_hash_table_get_keys(frames), (GCompareFunc)strcmp);

	for (GList *category = categories; category; category = category->next)
		put_track(tracks, g_hash_table_lookup(frames, category->data));
}

static bool track_has_names(const SptDeclared *kind, unsigned *ret_field)
{
	return kind->shape == SPT_DECLARED_INTERVAL &&
	       spt_declared_find_field(kind, "name", ret_field) &&
	       kind->fields[*ret_field].type == SPT_VALUE_TEXT;
}

/* Returns the number of events. */
static uint64_t read_categories(GPtrArray *tracks, const SptCapture *capture,
				const SptDeclared *kind, unsigned field)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
	g_autoptr(GHashTable) by_category =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) frames =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GPtrArray) made = g_ptr_array_new();
	const SptDeclaredRow *rows;
	uint64_t n_events = 0;
	unsigned named;
	bool may_be_frames = track_has_names(kind, &named);
	uint32_t n;

	while (n_events < SPT_TRACK_MAX_EVENTS && (rows = spt_declared_reader_next(reader, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			const char *category = rows[i].values[field].text;

			add_event(track_of(by_category, made, kind, category), kind, &rows[i], 0);
			if (may_be_frames && spt_frame_is(rows[i].values[named].text))
				add_drawn_frame(frames, kind, &rows[i], category);
		}
		n_events += n;
	}
	put_frames(tracks, frames);
	for (unsigned i = 0; i < made->len; i++)
		put_track(tracks, made->pdata[i]);
	return n_events;
}

/* Returns the number of events. */
static uint64_t read_kind(GPtrArray *tracks, const SptCapture *capture, const SptDeclared *kind)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(capture, kind);
	SptTrack *made[SPT_DECLARED_FIELDS] = { NULL };
	g_autofree char *label = NULL;
	const SptDeclaredRow *rows;
	uint64_t n_events = 0;
	uint32_t n, thread = 0;

	make_tracks(kind, made);
	while (n_events < SPT_TRACK_MAX_EVENTS && (rows = spt_declared_reader_next(reader, &n))) {
		for (uint32_t i = 0; i < n; i++)
			for (unsigned field = 0; field < SPT_DECLARED_FIELDS; field++)
				if (made[field])
					add_event(made[field], kind, &rows[i], field);
		n_events += n;
		thread = rows[n - 1].thread;
	}
	label = kind->shape == SPT_DECLARED_COUNTER ? spt_counter_label(capture, kind, thread) :
						      NULL;
	for (unsigned field = 0; field < SPT_DECLARED_FIELDS; field++) {
		if (!made[field])
			continue;
		spt_track_finish(made[field]);
		/* Those of processes have one number. */
		if (label)
			name_track(made[field], label);
		if (made[field]->events->len)
			g_ptr_array_add(tracks, made[field]);
		else
			spt_track_free(made[field]);
	}
	return n_events;
}

/* What programs say comes before counters, of which there can be more than have room. */
void spt_tracks_add_declared(GPtrArray *tracks, const SptCapture *capture)
{
	const unsigned most = tracks->len + MOST_TRACKS;
	const SptDeclared *kind;
	uint64_t n_events = 0;
	unsigned field;

	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; tracks->len < most && n_events < MOST_EVENTS &&
				     (kind = spt_declared(capture, i)); i++) {
			if (!kind->rows || (kind->shape == SPT_DECLARED_COUNTER) != pass)
				continue;
			n_events += has_categories(kind, &field) ?
					    read_categories(tracks, capture, kind, field) :
					    read_kind(tracks, capture, kind);
		}
}
