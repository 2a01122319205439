/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges that may overlap, cut into intervals that do not.  A place belongs to the range around it
 * that begins last.
 */
#ifndef SPT_INTERVALS_H
#define SPT_INTERVALS_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

typedef struct {
	uint64_t start, bytes;
} SptRange;

typedef struct SptIntervals SptIntervals;

/* @ranges are sorted by start; of ranges with the same start the last one counts. */
SptIntervals *spt_intervals_new(const SptRange *ranges, uint32_t n);
void spt_intervals_free(SptIntervals *intervals);
/* The number of the range that @place belongs to; UINT32_MAX: none. */
uint32_t spt_intervals_find(const SptIntervals *intervals, uint64_t place);
/* The gap around @place, which no range contains: [*ret_start, *ret_end). */
void spt_intervals_gap(const SptIntervals *intervals, uint64_t place, uint64_t *ret_start,
		       uint64_t *ret_end);
/* The part around @place that is all of its range, or of its gap: [*ret_start, *ret_end). */
void spt_intervals_around(const SptIntervals *intervals, uint64_t place, uint64_t *ret_start,
			  uint64_t *ret_end);
/* From now on range i has the number @names[i]. */
void spt_intervals_rename(SptIntervals *intervals, const uint32_t *names);

G_END_DECLS

#endif
