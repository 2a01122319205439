/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How busy each CPU was, moment by moment, and where samples were lost. */
#ifndef SPT_TIMELINE_H
#define SPT_TIMELINE_H

#include "profile/profile.h"

G_BEGIN_DECLS

#define SPT_TIMELINE_MAX_CPUS 512		/* what CPUs beyond have is told of the last one */

typedef struct {
	uint64_t begin_ns, end_ns;		/* of the capture; end > begin */
	uint64_t period_ns;			/* of CPU time that a weight of 1 stands for; 0: not known */
	uint32_t n_cpus, n_buckets;
	uint64_t *weights, *lost;		/* periods; bucket by bucket of one CPU, then of the next */
	uint64_t most;				/* the largest weight of a bucket */
} SptTimeline;

/* @profile: of spt_profile_new_base().  @begin_ns to @end_ns in @n_buckets > 0 equal parts; a loss is spread over the time in which
 * it happened. */
SptTimeline *spt_timeline_new(const SptProfile *profile, uint64_t begin_ns, uint64_t end_ns, uint32_t n_buckets);
void spt_timeline_free(SptTimeline *timeline);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptTimeline, spt_timeline_free)

/* Of a CPU in a bucket: the part of the time it was sampled at work, 0 to 1.  Without a period: of the busiest bucket. */
double spt_timeline_load(const SptTimeline *timeline, uint32_t cpu, uint32_t bucket);
/* The part of the time whose samples were lost. */
double spt_timeline_lost(const SptTimeline *timeline, uint32_t cpu, uint32_t bucket);

/* The distance of marks on a ruler, 1, 2 or 5 times a power of ten, so that at most @n of them lie in @length_ns. */
uint64_t spt_timeline_step(uint64_t length_ns, uint32_t n);

G_END_DECLS

#endif
