/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other data of a recording along its time: marks, counters, waits, and any other stream whose
 * rows have a time.
 */
#ifndef SPT_TRACKS_H
#define SPT_TRACKS_H

#include "capture/capture.h"
#include "capture/format.h"

G_BEGIN_DECLS

#define SPT_TRACK_MAX_EVENTS (1u << 20)		/* more events of a stream are dropped */
/* Spans that are deeper share the last one. */
#define SPT_TRACK_MAX_ROWS   6

typedef struct {
	uint64_t time, duration;
	double value;			/* of a counter, else 0 */
	const char *text;		/* of a mark, as in the file, else NULL */
	unsigned row;			/* spans that last at a time have different ones */
} SptTrackEvent;

typedef struct {
	const char *name, *unit;	/* of the stream, or a declared kind's title */
	SptStreamKind kind;		/* or an unknown number */
	GArray *events;			/* SptTrackEvent, in the order of time */
	double least, most;		/* value */
	unsigned n_rows;		/* of events; a span is below those within which it is */
	uint64_t late_ns;		/* longer frames are late; 0: events are none */
	unsigned n_late;		/* of them */
	GStringChunk *texts;
} SptTrack;

/*
 * Elements are SptTrack: the streams in their order; declared kinds, a counter as one for each of
 * its numbers; resident memory, and memory in use, if they were recorded.  Streams without an event
 * are missing.  @capture must outlive it.
 */
GPtrArray *spt_tracks_new(const SptCapture *capture);
void spt_track_free(SptTrack *track);
/* tracks-declared.c: appends those of declared kinds. */
void spt_tracks_add_declared(GPtrArray *tracks, const SptCapture *capture);
/* Puts the events in order, and finds least and most. */
void spt_track_finish(SptTrack *track);

/*
 * For each of @n equal parts of [@begin_ns, @end_ns) a number from 0 to 1; @ret has @n of them for
 * each row of the track.  For a counter it is the value between least and most, as far as known;
 * percentages begin with 0.  For others it is the fraction of the time that they take, but at least
 * a quarter if there is anything.
 */
void spt_track_levels(const SptTrack *track, uint64_t begin_ns, uint64_t end_ns, uint32_t n,
		      double *ret);
/* Likewise, of those events alone that are late: of a track with one row. */
void spt_track_late_levels(const SptTrack *track, uint64_t begin_ns, uint64_t end_ns, uint32_t n,
			   double *ret);
bool spt_track_is_late(const SptTrack *track, const SptTrackEvent *event);
/*
 * The event at @time_ns: of a counter the last value before it, of others an event that begins or
 * lasts within @near_ns of it, in that row.  NULL: none.
 */
const SptTrackEvent *spt_track_at(const SptTrack *track, unsigned row, uint64_t time_ns,
				  uint64_t near_ns);

G_END_DECLS

#endif
