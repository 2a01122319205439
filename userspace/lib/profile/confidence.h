/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far chance may move a share of samples: the recording's from that of the CPU time that was
 * used meanwhile.  A tick finds a function with the probability that is its share of that time; so
 * n ticks are like n throws of a die.  A program whose phases are longer than a period is known
 * better than that.  How much another run differs is a question to several runs (compare-runs.h).
 */
#ifndef SPT_CONFIDENCE_H
#define SPT_CONFIDENCE_H

#include "profile/profile.h"

G_BEGIN_DECLS

/* From 0 to 1. */
typedef struct {
	double low, high;
} SptRange;

/*
 * Where the true share is in 19 of 20 recordings, if @n samples have @share of 0 to 1: Wilson's
 * interval, which holds for small shares and few samples, too.  Without samples it is all of 0..1.
 */
SptRange spt_chance_range(double share, double n);
/*
 * The number of independent samples that say as much as those of @base, a base for CPU time, that
 * @filter selects.  It is less than theirs, as Kish's effective number, if some represent more
 * periods than others.  It is also less if those of several CPUs within half a period agree more
 * often than chance has it, by the mean of all functions.
 */
double spt_chance_samples(const SptProfile *base, const SptFilter *filter, uint64_t period_ns);

G_END_DECLS

#endif
