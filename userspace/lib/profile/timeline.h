/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How busy each CPU, process or thread was, moment by moment, and where samples were lost or left
 * out.
 */
#ifndef SPT_TIMELINE_H
#define SPT_TIMELINE_H

#include "profile/groups.h"

G_BEGIN_DECLS

#define SPT_TIMELINE_MAX_CPUS 512		/* CPUs beyond count for the last one */
#define SPT_TIMELINE_MAX_GROUPS                                                                    \
	8 /* processes or threads; the last lane is of all others, if there are more */

typedef struct {
	uint64_t begin_ns, end_ns;		/* in the capture, in n equal parts */
	uint32_t n_buckets;			/* > 0 */
	SptGroupKind lanes;			/* process, thread or CPU */
	uint32_t function;			/* to be lit up; UINT32_MAX: none */
} SptTimelineWish;

typedef struct {
	uint64_t begin_ns, end_ns;		/* end > begin */
	const SptMetric *metric;
	/*
	 * Nanoseconds of CPU time that a weight of 1 represents; 0: not known, or of another metric
	 */
	uint64_t period_ns;
	uint32_t n_lanes, n_buckets;
	SptGroupKind lanes;
	/* Of each lane; heaviest first but CPUs; name NULL: all others */
	SptGroupRow *groups;
	/* Weights; bucket by bucket of one lane, then of the next. */
	uint64_t *weights;
	uint64_t *user;				/* of these, outside of the kernel */
	uint64_t *lit;				/* of these, with the function on the stack */
	/* Only of CPUs; skipped by a rate that was lowered for the budget */
	uint64_t *lost, *left_out;
	uint64_t most;				/* the largest weight of a bucket */
} SptTimeline;

/*
 * @profile: of spt_profile_new_base() or spt_profile_arrange().  A loss is spread over the time in
 * which it happened.
 */
SptTimeline *spt_timeline_new(const SptProfile *profile, const SptTimelineWish *wish);
void spt_timeline_free(SptTimeline *timeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTimeline, spt_timeline_free)

/*
 * Of a lane in a bucket, one of the arrays above: the part of a CPU's time, 0 to 1.  Without a
 * period: of the busiest bucket.
 */
double spt_timeline_share(const SptTimeline *timeline, const uint64_t *periods, uint32_t lane,
			  uint32_t bucket);

/*
 * The distance of marks on a ruler, 1, 2 or 5 times a power of ten, so that at most @n of them lie
 * in @length_ns.
 */
uint64_t spt_timeline_step(uint64_t length_ns, uint32_t n);

G_END_DECLS

#endif
