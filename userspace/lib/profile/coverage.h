/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the time has names: which objects lack symbols, and their weight. */
#ifndef SPT_COVERAGE_H
#define SPT_COVERAGE_H

#include "symbols/symbols.h"

G_BEGIN_DECLS

typedef struct {
	/*
	 * object of the capture; 0: the samples have no stack, or the innermost frame could not be
	 * resolved
	 */
	uint32_t object;
	const char *
		/*
		 * its name in views: that of a kernel module, or "[no stack]"; valid as long as the
		 * symbols
		 */
		name;
	/* Periods of the samples whose innermost frame is in the object */
	uint64_t weight;
	/* The part of the weight in functions that have a name. */
	uint64_t named;
	uint64_t sources[SPT_SOURCES];	/* the same by where the name is from */
	/* Why the others have no name; NULL: all have one.  Valid as long as the symbols. */
	const char *problem;
} SptCoverageRow;

/*
 * A row for each object that has weight: first those that lack most, then the heaviest.  The
 * weights add up to the capture's.  Elements are SptCoverageRow.
 */
GArray *spt_coverage_new(const SptCapture *capture, SptSymbols *symbols);
/* The weight that has names, in all rows. */
uint64_t spt_coverage_named(const GArray *rows);
/* The weight whose names are from @source. */
uint64_t spt_coverage_from(const GArray *rows, SptSource source);

G_END_DECLS

#endif
