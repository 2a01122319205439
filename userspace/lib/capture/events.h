/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows that opening a capture only counts: those of streams other than the samples, and embedded
 * files.  Here they are read from the file again, table by table, and written, for programs that
 * copy them.
 */
#ifndef SPT_CAPTURE_EVENTS_H
#define SPT_CAPTURE_EVENTS_H

#include "capture/capture.h"
#include "capture/table.h"

G_BEGIN_DECLS

#define SPT_EVENT_TABLE_MAX_ROWS     1000000u
/* Identical rows take less than a bit each. */
#define SPT_EVENT_ROWS_PER_FILE_BYTE 64

/* Whether a stream that has @rows may have a table with @more; it is read up to there. */
static inline bool spt_events_may_have(const SptCapture *capture, uint64_t rows, uint32_t more)
{
	return more <= SPT_EVENT_TABLE_MAX_ROWS &&
	       rows + more <= MAX(SPT_EVENT_TABLE_MAX_ROWS,
				  capture->file_bytes * SPT_EVENT_ROWS_PER_FILE_BYTE);
}

typedef struct SptEvents SptEvents;

/*
 * The blocks of type SPT_BLOCK_EVENT and @stream, or SPT_BLOCK_FILE and stream 0, in their order.
 * @capture, which was opened, must outlive it.
 */
SptEvents *spt_events_new(const SptCapture *capture, SptBlockType type, uint32_t stream);
void spt_events_free(SptEvents *events);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptEvents, spt_events_free)
/*
 * The next table, valid until the next call.  NULL after the last one, or with a sentence.  Its
 * sizes were checked, but not the columns' data or the ids in it.
 */
const SptTable *spt_events_next(SptEvents *events, GError **error);

/* A column to be written: either numbers or bytes, one for each row. */
typedef struct {
	uint32_t column;
	const uint64_t *numbers;
	const SptBytes *bytes;
} SptEventColumn;

/*
 * Declares a stream besides the samples, with @n @columns; the stream ids in both structs are
 * ignored.  Returns the new stream's id.
 */
uint32_t spt_capture_writer_stream(SptCaptureWriter *writer, const SptStreamRow *row,
				   const SptStreamColumnRow *columns, unsigned n);
/*
 * Writes a block of @rows rows of a stream, or with stream 0 of embedded files.  It is written at
 * once, so everything that it refers to must have been flushed.  @times: of the rows, or NULL.
 */
bool spt_capture_writer_events(SptCaptureWriter *writer, uint32_t stream,
			       const SptEventColumn *columns, unsigned n, size_t rows,
			       const uint64_t *times, GError **error);

G_END_DECLS

#endif
