/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two documents with their differences, which the page Compare shows. */
#ifndef SPT_COMPARISON_H
#define SPT_COMPARISON_H

#include "document.h"

typedef struct {
	SptCallTree calls;			/* each box as wide as the larger of both sides */
	SptDocument *sides[SPT_SIDES];
	SptDiffTree *differences;
	uint32_t *changed;		/* functions, by the change of self, largest first */
	char *words;			/* of faster.h */
} SptComparison;

/*
 * By percentages, or @by_time: by the CPU time that they took in a second.  It takes time, and is
 * for the threads of queries (query.h).
 */
SptComparison *spt_comparison_new(SptDocument *before, SptDocument *after, bool by_time);
void spt_comparison_unref(SptComparison *comparison);

#endif
