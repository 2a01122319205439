/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The single rows that a profile adds up, in the order of time, for formats that show each sample.
 * A walk takes the same memory for any number of rows.
 */
#ifndef SPT_ROWS_H
#define SPT_ROWS_H

#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t time, duration_ns;	/* as in SptWeightRow */
	uint64_t weight;		/* the selected part */
	uint32_t thread, cpu;		/* thread: of the capture, or 0 */
	uint32_t leaf;			/* node of the tree of the base */
} SptProfileRow;

typedef struct SptProfileRows SptProfileRows;

/*
 * The rows of @base (spt_profile_new_base(), spt_profile_new_reread() or spt_profile_arrange())
 * that @filter selects (NULL: all).  Both must outlive the walk.
 */
SptProfileRows *spt_profile_rows_new(const SptProfile *base, const SptFilter *filter);
void spt_profile_rows_free(SptProfileRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptProfileRows, spt_profile_rows_free)

/* False: there are no more, and the next call begins again. */
bool spt_profile_rows_next(SptProfileRows *rows, SptProfileRow *ret);

/*
 * A profile of the rows that are left, with the functions and tree nodes of the base, as
 * spt_profile_refilter() makes it.  @reuse: as there.
 */
SptProfile *spt_profile_of_rows(SptProfileRows *rows, SptProfile *reuse);

G_END_DECLS

#endif
