/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff --runs, --split: several recordings of each side, or parts of one. */
#ifndef SPT_DIFF_RUNS_H
#define SPT_DIFF_RUNS_H

#include "report-filter.h"

/*
 * What the options select of one side of a comparison; NULL: complained, also where that is
 * nothing, which would make everything else look new.
 */
SptProfile *spt_diff_side(const SptCapture *capture, SptSymbols *symbols, const SptFilter *filter,
			  const struct spt_filter_options *options);

struct spt_diff_runs_options {
	struct spt_filter_options *filter;	/* completed by the first recording */
	bool are_paths, by_total, is_json;
	uint32_t limit;			/* most rows */
	unsigned n_parts;		/* of the time of each recording, which count as runs */
};

/*
 * Compares the recordings of @lists: names with commas between them, before and after.  Returns the
 * exit status of the command; it complained.
 */
int spt_diff_runs(const char *const *lists, const struct spt_diff_runs_options *options);

#endif
