/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of calls below the groups that the user chooses on the screen: report --tui and top have
 * one.
 */
#ifndef SPT_REGROUP_H
#define SPT_REGROUP_H

#include "profile/arrange.h"

/* Zero it to begin. */
typedef struct {
	SptProfile *base, *arranged;	/* arranged from base */
	SptProfile *profile;		/* what the filter leaves of it */
	GArray *tree;			/* SptTreeNode: heaviest first */
} SptRegroup;

/* Folds what @filter selects as @arrangement wants it; the tree of before is freed. */
void spt_regroup(SptRegroup *regroup, const SptCapture *capture, SptSymbols *symbols,
		 const SptMetric *metric, const SptFilter *filter,
		 const SptArrangement *arrangement);
void spt_regroup_clear(SptRegroup *regroup);
/*
 * Names of what the tree can be below (spt_roots_named()), for spt_browser_choose(): @first, unless
 * it is NULL, programs, nothing, and the groupings that @metric has.
 */
char **spt_regroup_choices(const char *first, const SptMetric *metric);
/* What --by means for @metric. */
SptRoots spt_regroup_named(const char *by, const SptMetric *metric);

#endif
