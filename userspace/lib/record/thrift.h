/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits the CPU time that the recorder itself takes: smaller copies of stacks, then half the rate,
 * repeatedly.  A requested rate does not change.
 */
#ifndef SPT_THRIFT_H
#define SPT_THRIFT_H

#include "record/copies.h"

G_BEGIN_DECLS

#define SPT_THRIFT_MOST_PCT 3

typedef struct {
	uint32_t copy_bytes;		/* > 0: size to which copies have been lowered */
	unsigned rate_part;		/* > 1: one in this number of ticks is sampled */
	/* > 0: percentage that it takes, when nothing can be lowered */
	double dear_pct;
} SptThriftStatus;

typedef struct SptThrift SptThrift;

/* @copies may be NULL.  @keeps_rate: nothing is lowered, only reported. */
SptThrift *spt_thrift_new(SptTrace *trace, SptCopies *copies, bool keeps_rate);
void spt_thrift_free(SptThrift *thrift);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SptThrift, spt_thrift_free)

/* Up to @now_ns the recorder has run for @ran_ns.  May be called at any time. */
void spt_thrift_take(SptThrift *thrift, uint64_t now_ns, uint64_t ran_ns);
void spt_thrift_status(const SptThrift *thrift, SptThriftStatus *ret);

G_END_DECLS

#endif
