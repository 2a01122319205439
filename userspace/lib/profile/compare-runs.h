/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several recordings of the same work before a change and after it.  They show what one of each
 * cannot: how much two runs differ of which nothing has changed.
 */
#ifndef SPT_COMPARE_RUNS_H
#define SPT_COMPARE_RUNS_H

#include "profile/diff.h"

G_BEGIN_DECLS

/* Of one side, before or after. */
typedef struct {
	const SptProfile *const *profiles;
	/* Of each profile: the value of a weight of 1, such as ns, or what makes it a share. */
	const double *worth;
	unsigned n;			/* at least 1 */
} SptRuns;

/* An estimate, and how far the truth may be from it in 19 of 20 cases. */
typedef struct {
	double mean[SPT_SIDES];		/* of all runs of a side */
	double change, margin;		/* after minus before; margin: of the change */
} SptRunsEstimate;

/* A function, or a call path. */
typedef struct {
	const char *name, *object;	/* as in SptDiffRow */
	bool is_process;
	uint32_t parent;		/* of a path its caller's row, else UINT32_MAX */
	SptRunsEstimate self, total;
} SptRunsRow;

/* The change is larger than what chance does. */
static inline bool spt_runs_is_sure(const SptRunsEstimate *estimate)
{
	return estimate->change > estimate->margin || -estimate->change > estimate->margin;
}

/*
 * The elements are SptRunsRow, callers before callees.  Profiles must outlive them.  The margin is
 * Welch's for the difference of two means.  Where runs agree better than counting samples allows,
 * or there is one run of a side, it is that of counting.
 */
GArray *spt_runs_rows(const SptRuns runs[SPT_SIDES], bool are_paths);
/* The same for the whole of each run. */
SptRunsEstimate spt_runs_whole(const SptRuns runs[SPT_SIDES]);
/* Indices of @rows by the size of their change, @by_total or by self; n = rows->len. */
uint32_t *spt_runs_order(const GArray *rows, bool by_total);

G_END_DECLS

#endif
