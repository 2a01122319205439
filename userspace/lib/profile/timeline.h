/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy each CPU, process or thread was over time, and where samples were lost or skipped. */
#ifndef SPT_TIMELINE_H
#define SPT_TIMELINE_H

#include "profile/groups.h"

G_BEGIN_DECLS

#define SPT_TIMELINE_MAX_CPUS 512		/* further CPUs count for the last one */
#define SPT_TIMELINE_MAX_GROUPS                                                                    \
	8 /* processes or threads; the last lane is of all others, if there are more */

typedef struct {
	uint64_t begin_ns, end_ns;		/* in the capture, in n equal parts */
	uint32_t n_buckets;			/* > 0 */
	SptGroupKind lanes;			/* process, thread or CPU */
	uint32_t function;			/* to be highlighted; UINT32_MAX: none */
} SptTimelineRequest;

typedef struct {
	uint64_t begin_ns, end_ns;		/* end > begin */
	const SptMetric *metric;
	/*
	 * Nanoseconds of CPU time that a weight of 1 represents; 0: not known, or another metric.
	 */
	uint64_t period_ns;
	uint32_t n_lanes, n_buckets;
	SptGroupKind lanes;
	/* The group of each lane, heaviest first, CPUs by number; name NULL: all others. */
	SptGroupRow *groups;
	/* Weights; bucket by bucket of one lane, then of the next. */
	uint64_t *weights;
	uint64_t *user;				/* the part outside the kernel */
	uint64_t *lit;				/* the part with the function on the stack */
	/* Only for CPUs: periods that were lost, and that a lower rate skipped for the budget. */
	uint64_t *lost, *left_out;
	uint64_t most;				/* the largest weight of a bucket */
} SptTimeline;

/*
 * @profile is from spt_profile_new_base() or spt_profile_arrange().  A loss is spread over the time
 * in which it happened.
 */
SptTimeline *spt_timeline_new(const SptProfile *profile, const SptTimelineRequest *request);
void spt_timeline_free(SptTimeline *timeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTimeline, spt_timeline_free)

/*
 * For a lane and bucket of one of the arrays above: the fraction of a CPU's time, 0 to 1.  Without
 * a period, the fraction of the busiest bucket.
 */
double spt_timeline_share(const SptTimeline *timeline, const uint64_t *periods, uint32_t lane,
			  uint32_t bucket);

/* The same of CPU time in words, "43 % busy", which also say what is not known.  To be freed. */
char *spt_timeline_busy(const SptTimeline *timeline, uint32_t lane, uint32_t bucket);

/*
 * The distance of marks on a ruler: 1, 2 or 5 times a power of ten, with at most @n marks in
 * @length_ns.
 */
uint64_t spt_timeline_step(uint64_t length_ns, uint32_t n);

G_END_DECLS

#endif
