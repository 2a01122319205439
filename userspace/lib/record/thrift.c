/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/thrift.h"

#define WINDOW_NS 2000000000ULL
#define RATE_PART_MAX 64
#define HELPED 0.9			/* part of its earlier cost */

enum lowered { NOTHING, COPIES, RATE };

struct SptThrift {
	SptTrace *trace;
	SptCopies *copies;
	bool keeps_rate, has_begun;
	bool has_least_copies;		/* smaller copies do not help */
	uint64_t since_ns, ran_ns;	/* of the window */
	enum lowered last;
	double last_pct;		/* cost when that was lowered */
	SptThriftStatus status;
};

SptThrift *spt_thrift_new(SptTrace *trace, SptCopies *copies, bool keeps_rate)
{
	SptThrift *thrift = g_new0(SptThrift, 1);

	thrift->trace = trace;
	thrift->copies = copies;
	thrift->keeps_rate = keeps_rate;
	thrift->status.rate_part = 1;
	return thrift;
}

void spt_thrift_free(SptThrift *thrift)
{
	g_free(thrift);
}

/*
 * Lowering the last setting has not made it cheaper: its cost may be processes that start and exit.
 */
static void judge_last(SptThrift *thrift, double pct)
{
	if (thrift->last == NOTHING || pct < HELPED * thrift->last_pct)
		return;
	if (thrift->last == COPIES) {
		thrift->status.copy_bytes = spt_copies_restore(thrift->copies);
		thrift->has_least_copies = true;
	} else if (spt_trace_slow_down(thrift->trace, thrift->status.rate_part / 2)) {
		thrift->status.rate_part /= 2;
		thrift->keeps_rate = true;
	}
	thrift->last = NOTHING;
}

static void lower(SptThrift *thrift, double pct)
{
	uint32_t bytes = 0;

	judge_last(thrift, pct);
	if (thrift->copies && !thrift->keeps_rate && !thrift->has_least_copies)
		bytes = spt_copies_less(thrift->copies);
	thrift->last_pct = pct;
	if (bytes) {
		thrift->status.copy_bytes = bytes;
		thrift->last = COPIES;
	} else if (!thrift->keeps_rate && thrift->status.rate_part < RATE_PART_MAX &&
		   spt_trace_slow_down(thrift->trace, 2 * thrift->status.rate_part)) {
		thrift->status.rate_part *= 2;
		thrift->last = RATE;
	} else {
		thrift->status.dear_pct = MAX(thrift->status.dear_pct, pct);
	}
}

void spt_thrift_take(SptThrift *thrift, uint64_t now_ns, uint64_t ran_ns)
{
	uint64_t passed = now_ns - thrift->since_ns;
	double pct;

	if (thrift->has_begun && passed < WINDOW_NS)
		return;
	/* The cost of the start is not the cost of recording: the first call only measures. */
	pct = thrift->has_begun ? 100 * (double)(ran_ns - thrift->ran_ns) / (double)passed : 0;
	thrift->has_begun = true;
	thrift->since_ns = now_ns;
	thrift->ran_ns = ran_ns;
	if (pct > SPT_THRIFT_MOST_PCT)
		lower(thrift, pct);
}

void spt_thrift_status(const SptThrift *thrift, SptThriftStatus *ret)
{
	*ret = thrift->status;
}
