/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader's second half: decoded tables become the arrays of a capture. */
#ifndef SPT_CAPTURE_ROWS_H
#define SPT_CAPTURE_ROWS_H

#include "capture/block.h"
#include "capture/capture.h"
#include "capture/table.h"

G_BEGIN_DECLS

typedef struct SptRows SptRows;

/*
 * Rows for @capture.  What they take in memory and what work they make is bounded by @file_bytes.
 */
SptRows *spt_rows_new(SptCapture *capture, uint64_t file_bytes);

/* Whether blocks of this type become rows at all. */
bool spt_rows_wants(uint16_t type);
/* All errors here are SPT_CAPTURE_ERROR_DAMAGED, a clause.  Samples stay packed, as @stored. */
bool spt_rows_take(SptRows *rows, const SptBlockHeader *header, const SptTable *table,
		   const uint8_t *stored, GError **error);
/*
 * A block that was not taken for rows, or only counted: notes where it lies, if somebody may ask
 * for it.
 */
bool spt_rows_place(SptRows *rows, const SptBlockHeader *header, const SptTable *table,
		    uint64_t position, GError **error);
/*
 * Hands the arrays over, also after an error.  False if a process was its own ancestor: it lost its
 * parent.
 */
bool spt_rows_finish(SptRows *rows);
/* After spt_rows_finish(). */
void spt_rows_free(SptRows *rows);

G_END_DECLS

#endif
