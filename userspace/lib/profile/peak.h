/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When most memory was in use. */
#ifndef SPT_PEAK_H
#define SPT_PEAK_H

#include "capture/stream-rows.h"

G_BEGIN_DECLS

/* @whose: one of SPT_ALLOCATION_KERNEL, or MAPPING; 0: malloc() and the like. */
static inline bool spt_allocation_is_whose(const SptAllocationRow *row, uint32_t whose)
{
	return (row->flags & (SPT_ALLOCATION_KERNEL | SPT_ALLOCATION_MAPPING)) == whose;
}

/* Knows when, once all rows were added.  Its own memory does not depend on their number. */
typedef struct SptPeak SptPeak;
SptPeak *spt_peak_new(void);
void spt_peak_free(SptPeak *peak);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptPeak, spt_peak_free)
void spt_peak_add(SptPeak *peak, const SptAllocationRow *row);
/*
 * The time of the largest use, the first of several, and its size; 0: nothing was in use.  Reads
 * the rows of @capture once more, or several times if many moments are nearly alike.
 */
uint64_t spt_peak_find(SptPeak *peak, const SptCapture *capture, uint32_t whose,
		       uint64_t *ret_most);

G_END_DECLS

#endif
