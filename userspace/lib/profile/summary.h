/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sums of a whole recording, for the first lines of reports and for status lines, and the
 * account of its CPUs.
 */
#ifndef SPT_SUMMARY_H
#define SPT_SUMMARY_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* One CPU's account, and its samples in the file. */
typedef struct {
	const SptAccountRow *account;	/* the last one; borrowed from the capture */
	/* These only after spt_summary_count_cpus(). */
	/* Weight of its samples up to the account's time: delivered minus filtered. */
	uint64_t weight;
	/* Weight of later ones, which a recording that was cut off may have. */
	uint64_t weight_after;
} SptCpuSummary;

typedef struct {
	uint64_t start_ns, end_ns;	/* CLOCK_MONOTONIC, of the recorded machine */
	uint64_t samples;
	uint64_t weight;		/* periods of all samples */
	uint64_t lost;			/* periods whose samples found no room */
	/* Periods that were sampled, and skipped to keep to the budget, by the accounts. */
	uint64_t delivered, budget;
	uint64_t period_ns;		/* 0: not known */
	uint64_t cost_ns, ticks;	/* cost of the ticks, measured by the module */
	unsigned n_cpus;		/* 0: not known */
	GArray *cpus;			/* SptCpuSummary by CPU; empty without accounts */
} SptSummary;

/* Computes missing facts of a recording that was cut off from its samples. */
void spt_summary_init(SptSummary *summary, const SptCapture *capture);
/* Counts each CPU's samples, which takes a pass over all of them. */
void spt_summary_count_cpus(SptSummary *summary, const SptCapture *capture);
void spt_summary_clear(SptSummary *summary);
/* Cost of one tick in ns; 0 if it was not measured. */
uint64_t spt_summary_cost_ns(const SptSummary *summary);
/*
 * Periods that the account calls delivered and the file lacks; negative: the other way round; 0:
 * account and samples agree.
 */
int64_t spt_cpu_summary_missing(const SptCpuSummary *cpu);

G_END_DECLS

#endif
