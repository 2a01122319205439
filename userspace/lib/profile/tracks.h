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

typedef struct {
	uint64_t time, duration;
	uint64_t value;			/* of a counter, else 0 */
	const char *text;		/* of a mark, as in the file, else NULL */
} SptTrackEvent;

typedef struct {
	const char *name, *unit;	/* of the stream */
	SptStreamKind kind;		/* or an unknown number */
	GArray *events;			/* SptTrackEvent, in the order of time */
	uint64_t least, most;		/* value */
	GStringChunk *texts;
} SptTrack;

/*
 * Elements are SptTrack, in the order of the streams, then resident memory, and memory in use, if
 * they were recorded.  Streams without an event are missing.  @capture must outlive it.
 */
GPtrArray *spt_tracks_new(const SptCapture *capture);

/*
 * For each of @n equal parts of [@begin_ns, @end_ns) a number from 0 to 1.  For a counter it is the
 * value between least and most, as far as known.  For others it is the fraction of the time that
 * they take, but at least a quarter if there is anything.
 */
void spt_track_levels(const SptTrack *track, uint64_t begin_ns, uint64_t end_ns, uint32_t n,
		      double *ret);
/*
 * The event at @time_ns: of a counter the last value before it, of others an event that begins or
 * lasts within @near_ns of it.  NULL: none.
 */
const SptTrackEvent *spt_track_at(const SptTrack *track, uint64_t time_ns, uint64_t near_ns);

G_END_DECLS

#endif
