/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the CPU time that the recorder itself takes: smaller copies of stacks, then half the rate,
 * repeatedly.  A requested rate does not change.
 *
 * With a budget it is all that the recording costs, and the rate alone: it is halved as long as it
 * costs more, and doubled again once it has cost less than a third for a while.
 */
#ifndef SPT_SELF_LIMIT_H
#define SPT_SELF_LIMIT_H

#include "record/copies.h"
#include "record/stage.h"

G_BEGIN_DECLS

#define SPT_SELF_LIMIT_PCT 3

typedef struct {
	uint32_t copy_bytes; /* > 0: size to which copies have been lowered */
	unsigned rate_part;  /* > 1: one in this number of ticks is sampled */
	/* > 0: percentage that it takes, when nothing can be lowered */
	double over_limit_pct;
	double cost_pct;     /* with a budget: of one CPU, in the last window */
	bool is_over_budget; /* ... and a lower rate does not help */
} SptSelfLimitStatus;

typedef struct SptSelfLimit SptSelfLimit;

/* @copies may be NULL.  @keeps_rate: nothing is lowered, only reported. */
SptSelfLimit *spt_self_limit_new(SptTrace *trace, SptCopies *copies, bool keeps_rate);
void spt_self_limit_free(SptSelfLimit *limit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptSelfLimit, spt_self_limit_free)

/*
 * All that it costs is to be at most @pct of a CPU, judged in windows of @window_ns; @cost says
 * what it was since the start.
 */
void spt_self_limit_budget(SptSelfLimit *limit, double pct, uint64_t window_ns,
			   uint64_t (*cost)(void *data), void *data);
/* Up to @now_ns the recorder has run for @ran_ns.  May be called at any time. */
void spt_self_limit_take(SptSelfLimit *limit, uint64_t now_ns, uint64_t ran_ns);
void spt_self_limit_status(const SptSelfLimit *limit, SptSelfLimitStatus *ret);

extern const SptStage spt_self_limit_stage;

G_END_DECLS

#endif
