/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instant of each sample within its second, second by second: what happens regularly, or only
 * once, is a pattern.
 */
#ifndef SPT_HEAT_H
#define SPT_HEAT_H

#include "profile/profile.h"

G_BEGIN_DECLS

#define SPT_HEAT_MAX_CELLS 5000
#define SPT_HEAT_MAX_COLUMNS 500
#define SPT_HEAT_SECOND_NS 1000000000u

typedef struct {
	uint64_t begin_ns;
	uint64_t n_seconds;
	/*
	 * One column for each second, or for as many seconds as keep them within
	 * SPT_HEAT_MAX_COLUMNS.
	 */
	uint32_t n_columns;
	uint32_t n_rows;		/* equal parts of a second, the earliest first */
	uint64_t *weights;		/* all rows of one column, then of the next */
	uint64_t most;
} SptHeat;

/* @base: of spt_profile_new_base() or spt_profile_arrange(). */
SptHeat *spt_heat_new(const SptProfile *base, uint64_t begin_ns, uint64_t end_ns);
/* The same of the samples that @filter selects; NULL: of all. */
SptHeat *spt_heat_new_filtered(const SptProfile *base, const SptFilter *filter, uint64_t begin_ns,
			       uint64_t end_ns);
void spt_heat_free(SptHeat *heat);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptHeat, spt_heat_free)

/*
 * The time at which a cell begins (in the first second of its column); for @row n_rows: where the
 * second ends.
 */
uint64_t spt_heat_time(const SptHeat *heat, uint32_t column, uint32_t row);

G_END_DECLS

#endif
