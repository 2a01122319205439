/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much each finder of names (symbols/finder.h) has named, and what remains without a name. */
#ifndef SPT_FINDER_COUNTS_H
#define SPT_FINDER_COUNTS_H

#include "symbols/finder.h"

G_BEGIN_DECLS

typedef struct {
	const SptSymbolFinder *finder;	/* NULL: what no finder knows */
	/*
	 * Places, each once however many stacks it is in: those that it named, and those of whose
	 * function it knows no more than where that begins.
	 */
	uint64_t named, unnamed;
	uint64_t sources[SPT_SOURCES];	/* the named ones by where the names are from */
	/*
	 * Periods of the samples whose innermost frame it named; without a finder, of all whose
	 * innermost frame has no name.
	 */
	uint64_t weight;
} SptFinderCount;

/*
 * A row for each finder, in the order in which they are asked, then what none of them knows.
 * Elements are SptFinderCount.  Symbols alone count, as in coverage.h: no debug information is
 * read.
 */
GArray *spt_finder_counts_new(const SptCapture *capture, SptSymbols *symbols);

G_END_DECLS

#endif
