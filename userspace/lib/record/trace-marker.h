/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs write into tracefs's trace_marker, as marks, counters and lines (said.h): read from
 * a trace instance of our own, into which the kernel copies it, so that nobody else misses any.
 */
#ifndef SPT_TRACE_MARKER_H
#define SPT_TRACE_MARKER_H

#include "record/said.h"
#include "record/thread-ids.h"

G_BEGIN_DECLS

typedef struct SptTraceMarker SptTraceMarker;

/* @said and @threads must outlive it. */
SptTraceMarker *spt_trace_marker_new(SptSaid *said, const SptThreadIds *threads, GError **error);
/* The recording has begun; what came before is dropped. */
void spt_trace_marker_begin(SptTraceMarker *marker);
/* Takes what has come.  Returns how much of it was put. */
uint64_t spt_trace_marker_step(SptTraceMarker *marker);
/* Likewise, at the end: spans that are open are put, too. */
uint64_t spt_trace_marker_finish(SptTraceMarker *marker);
/* Texts that found no room; and ends without a begin, counters that are no number. */
uint64_t spt_trace_marker_lost(const SptTraceMarker *marker);
uint64_t spt_trace_marker_invalid(const SptTraceMarker *marker);
void spt_trace_marker_free(SptTraceMarker *marker);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTraceMarker, spt_trace_marker_free)

G_END_DECLS

#endif
