/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a trace of Perfetto: perfetto.c, perfetto-spans.c and perfetto-sayings.c. */
#ifndef SPT_EXPORT_PERFETTO_H
#define SPT_EXPORT_PERFETTO_H

#include "export/export.h"

#ifdef SPT_HAS_PPROF

#include "export/numbers.h"
#include "formats/perfetto.pb-c.h"

G_BEGIN_DECLS

struct spt_perfetto {
	const SptExportInput *input;
	const SptMetric *metric;
	SptOut *out;
	SptNumbers numbers;
	GByteArray *packed;	/* the packet that is written */
	GArray *path;		/* uint64_t: the frames of a stack */
	uint32_t *first;	/* by thread: the first one with its numbers */
	bool *is_seen;		/* by thread: it has samples, waits or events */
	/* By number of the profile, or of an object: it was written. */
	bool *has_function, *has_object, *has_stack;
	uint64_t *totals;	/* by CPU: the samples' weight so far; one for those too many */
	uint64_t n_counters;
};

/* What a track is of; its number is in the lower bits of the track's. */
enum {
	SPT_PERFETTO_TRACK_PROCESS = 1,
	SPT_PERFETTO_TRACK_THREAD,
	SPT_PERFETTO_TRACK_KIND,	/* of events of a thread */
	SPT_PERFETTO_TRACK_OVERLAPPING, /* one event */
	SPT_PERFETTO_TRACK_COUNTER,
	SPT_PERFETTO_TRACK_SAID,	/* of a declared kind, of a thread */
	SPT_PERFETTO_TRACK_CROSSING,	/* one interval of such a kind */
};

void spt_perfetto_put(struct spt_perfetto *perfetto, SptPerfettoPacket *packet);
/* Nothing is before the recording. */
void spt_perfetto_set_time(const struct spt_perfetto *perfetto, SptPerfettoPacket *packet,
			   uint64_t time);
/*
 * Writes @track with number @i of @kind below track @parent (0: none).  Returns the whole number.
 */
uint64_t spt_perfetto_put_track(struct spt_perfetto *perfetto, unsigned kind, uint64_t i,
				uint64_t parent, SptPerfettoTrack *track);
void spt_perfetto_put_event(struct spt_perfetto *perfetto, SptPerfettoEvent *event,
			    SptPerfettoEventType type, uint64_t track, uint64_t time);
/* perfetto-sayings.c: marks, lines of logs, flows and the like. */
void spt_perfetto_write_sayings(struct spt_perfetto *perfetto);
/* Waits and events, and the names of the threads that are seen. */
void spt_perfetto_write_spans(struct spt_perfetto *perfetto);

G_END_DECLS

#endif
#endif
