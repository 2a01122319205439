/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All waits of a recording, by thread, then by time. */
#ifndef SPT_WAIT_INDEX_H
#define SPT_WAIT_INDEX_H

#include "capture/capture.h"

G_BEGIN_DECLS

typedef struct {
	SptWaitRow *waits;
	uint64_t n_waits;
	uint64_t *first; /* by thread, and one more: its first wait */
} SptWaitIndex;

SptWaitIndex *spt_wait_index_new(const SptCapture *capture);
void spt_wait_index_free(SptWaitIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptWaitIndex, spt_wait_index_free)

/* The place of the first wait of @thread that ends after @time, or the end of its waits. */
uint64_t spt_wait_index_after(const SptWaitIndex *index, uint32_t thread, uint64_t time);
/* The latest wait of @thread that ended at @time or before; NULL: none is known. */
const SptWaitRow *spt_wait_index_last(const SptWaitIndex *index, uint32_t thread, uint64_t time);

/* When a wait began, and when it was no longer blocked. */
uint64_t spt_wait_begin(const SptWaitRow *wait);
uint64_t spt_wait_woken(const SptWaitRow *wait);

G_END_DECLS

#endif
