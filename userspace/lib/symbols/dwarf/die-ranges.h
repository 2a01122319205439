/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the DIE of an address among many: the one whose range around it begins last; of equal
 * ranges, the one that was added last.
 */
#ifndef SPT_DIE_RANGES_H
#define SPT_DIE_RANGES_H

#include <elfutils/libdw.h>
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/intervals.h"

G_BEGIN_DECLS

#define SPT_DIE_NONE UINT32_MAX

/* Begins zeroed. */
struct spt_die_ranges {
	GArray *ranges;			/* ranges of DIEs, before finish() */
	SptIntervals *intervals;	/* after finish(): from addresses to numbers of DIEs */
};

/*
 * Adds the ranges of the code of @die, or a known range, under @number.  Returns whether there are
 * any.
 */
bool spt_die_ranges_add_span(struct spt_die_ranges *ranges, uint64_t start, uint64_t end,
			     uint32_t number);
bool spt_die_ranges_add(struct spt_die_ranges *ranges, Dwarf_Die *die, uint32_t number);
/* Called after all are added, before the first find(). */
void spt_die_ranges_finish(struct spt_die_ranges *ranges);
uint32_t spt_die_ranges_find(const struct spt_die_ranges *ranges, uint64_t address);
void spt_die_ranges_clear(struct spt_die_ranges *ranges);

G_END_DECLS

#endif
