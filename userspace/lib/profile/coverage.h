/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much of the time has names: what lacks symbols, and how much weight it has. */
#ifndef SPT_COVERAGE_H
#define SPT_COVERAGE_H

#include "symbols/symbols.h"

G_BEGIN_DECLS

typedef struct {
	/*
	 * of the capture; 0: the samples have no stack, or its innermost frame could not be
	 * resolved
	 */
	uint32_t object;
	const char *
		name; /* as views call it: a kernel module by itself, "[no stack]"; lives as long as the symbols */
	/* Periods of the samples whose innermost frame is in the object */
	uint64_t weight;
	/* Of these, those where it is in a function that has a name */
	uint64_t named;
	uint64_t sources[SPT_SOURCES];	/* the same by where the name is from */
	/* Why the others have none; NULL if all have.  Lives as long as the symbols */
	const char *problem;
} SptCoverageRow;

/*
 * Each object that has weight, what lacks most first, then the heaviest.  The weights add up to the
 * capture's.  Elements are SptCoverageRow.
 */
GArray *spt_coverage_new(const SptCapture *capture, SptSymbols *symbols);
/* The weight that has names, of all rows. */
uint64_t spt_coverage_named(const GArray *rows);
/* The weight whose names are from there. */
uint64_t spt_coverage_from(const GArray *rows, SptSource source);

G_END_DECLS

#endif
