/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The selected samples of a metric, added up where nothing but their times differs: by raw stack,
 * thread, CPU, state and labels.  So there are as many sums as there are different stacks of
 * threads, however long the recording is.
 */
#ifndef SPT_STACK_SUMS_H
#define SPT_STACK_SUMS_H

#include "profile/links.h"
#include "profile/profile.h"

G_BEGIN_DECLS

typedef struct {
	uint32_t node;	 /* of the capture: where the stack ends; 0: no stack */
	uint32_t thread; /* id; 0: not known */
	uint32_t cpu;	 /* 0 for metrics without SPT_METRIC_HAS_CPU */
	/* In which the thread was (spt_wait_state_name()); 0 without SPT_METRIC_HAS_STATE. */
	uint32_t state;
	uint32_t link;	 /* with links: which one (links.h); else 0 */
	uint32_t labels; /* of metrics by labels, the detail (declared.h); else 0 */
	uint64_t weight, samples; /* weight: as in profile.h, never 0 */
} SptStackSum;

/*
 * Gives every selected row of the metric to @take, in the order of the recording, with the selected
 * part of its weight, which is not 0.  @symbols as below.
 */
typedef void (*SptStackRowTake)(const SptWeightRow *row, uint64_t weight, void *data);
void spt_stack_rows_each(const SptCapture *capture, SptSymbols *symbols, const SptMetric *metric,
			 const SptFilter *filter, SptStackRowTake take, void *data);

/*
 * Elements are SptStackSum, in the order in which they appear; the caller frees it.  @symbols are
 * asked for names only if @filter is about stacks.
 */
GArray *spt_stack_sums_new(const SptCapture *capture, SptSymbols *symbols, const SptMetric *metric,
			   const SptFilter *filter);

/* The same, also by link; @links may be NULL. */
GArray *spt_stack_sums_of_links(const SptCapture *capture, SptSymbols *symbols,
				const SptMetric *metric, const SptFilter *filter,
				const SptLinks *links);

/* By frame: whether a stack of @sums has it; the caller frees it. */
bool *spt_stack_sums_frames(const SptCapture *capture, const GArray *sums);

G_END_DECLS

#endif
