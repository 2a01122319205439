/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second half of the reader: turns decoded tables into the arrays of a capture. */
#ifndef SPT_CAPTURE_ROWS_H
#define SPT_CAPTURE_ROWS_H

#include "capture/block.h"
#include "capture/capture.h"
#include "capture/table.h"

G_BEGIN_DECLS

typedef struct SptRows SptRows;

/* Makes rows for @capture.  @file_bytes limits their memory and their work. */
SptRows *spt_rows_new(SptCapture *capture, uint64_t file_bytes, bool is_ended);

/* Whether blocks of this type become rows at all. */
bool spt_rows_wants(uint16_t type);
/* All errors here are SPT_CAPTURE_ERROR_DAMAGED, a clause.  Samples stay packed, as @stored. */
bool spt_rows_take(SptRows *rows, const SptBlockHeader *header, const SptTable *table,
		   const uint8_t *stored, GError **error);
/*
 * Notes the place of a block that was not turned into rows, or only counted, if it may be needed.
 */
bool spt_rows_place(SptRows *rows, const SptBlockHeader *header, const SptTable *table,
		    uint64_t position, GError **error);
/*
 * Hands the arrays over, also after an error.  False: a process was its own ancestor, and lost its
 * parent.
 */
bool spt_rows_finish(SptRows *rows);
/* After spt_rows_finish(). */
void spt_rows_free(SptRows *rows);

G_END_DECLS

#endif
