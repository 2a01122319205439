/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of many DIEs an address belongs to: the one whose range there begins last, and of the same
 * range the one added last.
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

/* Zero it to begin. */
struct spt_die_ranges {
	GArray *ranges;			/* of DIEs, until they are finished */
	SptIntervals *intervals;	/* once they are: to numbers of DIEs */
};

/* Adds where @die has code, or what is known of that, under @number; whether it has any. */
bool spt_die_ranges_add_span(struct spt_die_ranges *ranges, uint64_t start, uint64_t end,
			     uint32_t number);
bool spt_die_ranges_add(struct spt_die_ranges *ranges, Dwarf_Die *die, uint32_t number);
/* No more are added; finding begins. */
void spt_die_ranges_finish(struct spt_die_ranges *ranges);
uint32_t spt_die_ranges_find(const struct spt_die_ranges *ranges, uint64_t address);
void spt_die_ranges_clear(struct spt_die_ranges *ranges);

G_END_DECLS

#endif
