/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of streams other than the samples: waits, sums of threads, the threads that ran on a CPU.
 * Opening a capture only counts them.  Here they are read, by the roles of their columns.
 */
#ifndef SPT_CAPTURE_STREAM_ROWS_H
#define SPT_CAPTURE_STREAM_ROWS_H

#include "capture/event-streams.h"
#include "capture/schema.h"

G_BEGIN_DECLS

extern const SptStreamType spt_stream_waits, spt_stream_thread_times, spt_stream_lanes,
	spt_stream_source_accounts, spt_stream_allocations, spt_stream_resident;

/*
 * Reads the rows of @kind, a stream's, block by block in the order of the file.  A thread or node
 * that does not exist becomes 0.  Rows of a damaged block are missing.  @capture must outlive it.
 */
typedef struct SptStreamReader SptStreamReader;
SptStreamReader *spt_stream_reader_new(const SptCapture *capture, SptRowKind kind);
/*
 * The same for events (SptEventRow) of @kinds, up to NULL, which must outlive it, too: first those
 * of a file of before, then each kind's.
 */
SptStreamReader *spt_event_reader_new(const SptCapture *capture, const SptEventKind *const *kinds);
void spt_stream_reader_free(SptStreamReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptStreamReader, spt_stream_reader_free)
/* The next @ret_n rows, valid until the next call; NULL behind the last one. */
const void *spt_stream_reader_next(SptStreamReader *reader, uint32_t *ret_n);
/* All rows; the caller frees them. */
void *spt_stream_rows(const SptCapture *capture, SptRowKind kind, uint64_t *ret_n);
/* The type of @stream, if it is one of those above, or has events; NULL: another one. */
const SptStreamType *spt_stream_type_of(const SptStreamRow *stream);
bool spt_capture_has_stream(const SptCapture *capture, SptRowKind kind);
/* The most rows that a reader of events of this kind returns. */
uint64_t spt_capture_n_events(const SptCapture *capture, const SptEventKind *kind);

G_END_DECLS

#endif
