/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long marks of a name took, in steps of a scale, and what their threads did meanwhile: they
 * ran, could have run, waited for a disk, or waited otherwise.
 */
#ifndef SPT_MARK_TIMES_H
#define SPT_MARK_TIMES_H

#include "profile/marks.h"

G_BEGIN_DECLS

/* Steps of 1, 2 and 5 times a power of ten, from 1 ns on. */
#define SPT_MARK_STEPS 45

typedef struct {
	uint64_t from_ns, below_ns;	/* durations of this step */
	uint64_t n, sum_ns;
	/* What the threads of these marks did, as far as waits were recorded: some have none */
	uint64_t running_ns, runnable_ns, disk_ns, blocked_ns;
} SptMarkStep;

typedef struct {
	SptMarkStep steps[SPT_MARK_STEPS], all;
	bool has_waits;			/* the times of waits are known */
} SptMarkTimes;

/* Of the step, the sum of its marks that have a thread. */
uint64_t spt_mark_step_of_threads(const SptMarkStep *step);

void spt_mark_times(const SptCapture *capture, const SptMarkQuery *query, SptMarkTimes *ret);

G_END_DECLS

#endif
