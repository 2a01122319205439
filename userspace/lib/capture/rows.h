/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reader's second half: decoded tables become the arrays of a capture. */
#ifndef SPT_CAPTURE_ROWS_H
#define SPT_CAPTURE_ROWS_H

#include "capture/capture.h"
#include "capture/table.h"

G_BEGIN_DECLS

typedef struct SptRows SptRows;

/* Rows for @capture, which may cost @budget_bytes in all. */
SptRows *spt_rows_new(SptCapture *capture, uint64_t budget_bytes);

/* Whether blocks of this type become rows at all. */
bool spt_rows_wants(uint16_t type);
/* Takes @bytes of the budget.  All errors here are SPT_CAPTURE_ERROR_DAMAGED, a clause. */
bool spt_rows_spend(SptRows *rows, uint64_t bytes, GError **error);
bool spt_rows_take(SptRows *rows, uint16_t type, const SptTable *table, GError **error);
/* Hands the arrays over, also after an error.  False if a process was its own ancestor: it lost its parent. */
bool spt_rows_finish(SptRows *rows);
/* After spt_rows_finish(). */
void spt_rows_free(SptRows *rows);

G_END_DECLS

#endif
