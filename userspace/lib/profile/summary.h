/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a recording as a whole amounts to: the first lines of reports, status lines, and the account
 * of its CPUs.
 */
#ifndef SPT_SUMMARY_H
#define SPT_SUMMARY_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* One CPU's account, and what the file has of it. */
typedef struct {
	const SptAccountRow *account;	/* the last one; borrowed from the capture */
	/* Only after spt_summary_count_cpus(). */
	/* Of its samples up to then: what the account calls delivered, less filtered */
	uint64_t weight;
	/* Of later ones: a recording that was cut off may have some */
	uint64_t weight_after;
} SptCpuSummary;

typedef struct {
	uint64_t start_ns, end_ns;	/* CLOCK_MONOTONIC, of the recorded machine */
	uint64_t samples;
	uint64_t weight;		/* periods of all samples */
	uint64_t lost;			/* periods whose samples found no room */
	/* Periods sampled, and skipped to keep to the budget, as the accounts say */
	uint64_t delivered, budget;
	uint64_t period_ns;		/* 0: not known */
	uint64_t cost_ns, ticks;	/* what the ticks cost, as the module measured it */
	unsigned n_cpus;		/* 0: not known */
	GArray *cpus;			/* SptCpuSummary by CPU; empty without accounts */
} SptSummary;

/* What a recording that was cut off does not say is taken from its samples. */
void spt_summary_init(SptSummary *summary, const SptCapture *capture);
/* Counts each CPU's samples, which takes a pass over all of them. */
void spt_summary_count_cpus(SptSummary *summary, const SptCapture *capture);
void spt_summary_clear(SptSummary *summary);
/* Cost of one tick in ns; 0 if it was not measured. */
uint64_t spt_summary_cost_ns(const SptSummary *summary);
/*
 * Periods said to be delivered but not in the file, or the other way round; 0 if account and
 * samples agree.
 */
int64_t spt_cpu_summary_missing(const SptCpuSummary *cpu);

G_END_DECLS

#endif
