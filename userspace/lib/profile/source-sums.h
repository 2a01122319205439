/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the events of each kind went, over all CPUs: the last account of each CPU is a sum since
 * the start.
 */
#ifndef SPT_SOURCE_SUMS_H
#define SPT_SOURCE_SUMS_H

#include "capture/capture.h"
#include "profile/metric.h"

G_BEGIN_DECLS

typedef struct {
	SptTally tallies[SPT_TALLIES];
	uint64_t cost_ns;
	bool is_there;			/* the recording has an account of the kind */
} SptSourceSums;

/* By number of the kind, spt_event_kind_numbers() of them; valid as long as @capture. */
const SptSourceSums *spt_source_sums_of(const SptCapture *capture);
/* What was lost for any reason. */
SptTally spt_source_sums_lost(const SptSourceSums *sums);
/*
 * How many of the events that @metric is made of were lost; @ret_seen: of how many.  Those of
 * record --event are lost in one ring, so that both are of all of them together: of @ret_kinds.
 */
uint64_t spt_metric_lost(const SptMetric *metric, const SptCapture *capture, uint64_t *ret_seen,
			 unsigned *ret_kinds);
/* The same of all events of record --event together; @ret_kinds: how many kinds these are. */
uint64_t spt_points_lost(const SptCapture *capture, uint64_t *ret_seen, unsigned *ret_kinds);

G_END_DECLS

#endif
