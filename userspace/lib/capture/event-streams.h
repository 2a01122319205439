/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams of what the kernel did (SptEventRow): each kind of events has its own, with its name and
 * its fields (events/event.h).
 *
 * Files of before have one stream for all kinds, "events", in which a column says of which kind a
 * row is.  It is read, and not written any more; a merged file may have both.
 */
#ifndef SPT_CAPTURE_EVENT_STREAMS_H
#define SPT_CAPTURE_EVENT_STREAMS_H

#include "capture/schema.h"
#include "events/event.h"

G_BEGIN_DECLS

/* The stream of all kinds, of files of before. */
extern const SptStreamType spt_stream_old_events;

/* The stream of a kind; NULL: its events are rows of another stream, as waits are. */
const SptStreamType *spt_event_stream(const SptEventKind *kind);
/* The type of @stream, if it is that of a kind, or of all kinds; NULL: it is another one. */
const SptStreamType *spt_event_stream_of(const SptStreamRow *stream);

G_END_DECLS

#endif
