/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/self-limit.h"

#include "base/clock.h"
#include "record/output.h"

#define WINDOW_NS     2000000000ULL
#define RATE_PART_MAX 64
#define HELPED	      0.9 /* part of its earlier cost */

enum lowered { NOTHING, COPIES, RATE };

struct SptSelfLimit {
	SptTrace *trace;
	SptCopies *copies;
	bool keeps_rate, has_begun;
	bool has_least_copies;	   /* smaller copies do not help */
	uint64_t since_ns, ran_ns; /* of the window */
	enum lowered last;
	double last_pct; /* cost when that was lowered */
	SptSelfLimitStatus status;
};

SptSelfLimit *spt_self_limit_new(SptTrace *trace, SptCopies *copies, bool keeps_rate)
{
	SptSelfLimit *limit = g_new0(SptSelfLimit, 1);

	limit->trace = trace;
	limit->copies = copies;
	limit->keeps_rate = keeps_rate;
	limit->status.rate_part = 1;
	return limit;
}

void spt_self_limit_free(SptSelfLimit *limit)
{
	g_free(limit);
}

/*
 * Lowering the last setting has not made it cheaper: its cost may be processes that start and exit.
 */
static void judge_last(SptSelfLimit *limit, double pct)
{
	if (limit->last == NOTHING || pct < HELPED * limit->last_pct)
		return;
	if (limit->last == COPIES) {
		limit->status.copy_bytes = spt_copies_restore(limit->copies);
		limit->has_least_copies = true;
	} else if (spt_trace_slow_down(limit->trace, limit->status.rate_part / 2)) {
		limit->status.rate_part /= 2;
		limit->keeps_rate = true;
	}
	limit->last = NOTHING;
}

static void lower(SptSelfLimit *limit, double pct)
{
	uint32_t bytes = 0;

	judge_last(limit, pct);
	if (limit->copies && !limit->keeps_rate && !limit->has_least_copies)
		bytes = spt_copies_less(limit->copies);
	limit->last_pct = pct;
	if (bytes) {
		limit->status.copy_bytes = bytes;
		limit->last = COPIES;
	} else if (!limit->keeps_rate && limit->status.rate_part < RATE_PART_MAX &&
		   spt_trace_slow_down(limit->trace, 2 * limit->status.rate_part)) {
		limit->status.rate_part *= 2;
		limit->last = RATE;
	} else {
		limit->status.over_limit_pct = MAX(limit->status.over_limit_pct, pct);
	}
}

void spt_self_limit_take(SptSelfLimit *limit, uint64_t now_ns, uint64_t ran_ns)
{
	uint64_t passed = now_ns - limit->since_ns;
	double pct;

	if (limit->has_begun && passed < WINDOW_NS)
		return;
	/* The cost of the start is not the cost of recording: the first call only measures. */
	pct = limit->has_begun ? 100 * (double)(ran_ns - limit->ran_ns) / (double)passed : 0;
	limit->has_begun = true;
	limit->since_ns = now_ns;
	limit->ran_ns = ran_ns;
	if (pct > SPT_SELF_LIMIT_PCT)
		lower(limit, pct);
}

void spt_self_limit_status(const SptSelfLimit *limit, SptSelfLimitStatus *ret)
{
	*ret = limit->status;
}

static bool self_limit_step(void *part, const SptStageStep *step, G_GNUC_UNUSED GError **error)
{
	spt_self_limit_take(part, step->time_ns, spt_clock_ns(CLOCK_THREAD_CPUTIME_ID));
	return true;
}

static void self_limit_put(SptOutput *output, const char *key, unsigned value)
{
	g_autofree char *text = g_strdup_printf("%u", value);

	if (value)
		spt_output_host(output, key, text);
}

static void self_limit_note(void *part, SptOutput *output)
{
	const SptSelfLimitStatus *status = &((const SptSelfLimit *)part)->status;

	self_limit_put(output, "copy_bytes", status->copy_bytes);
	self_limit_put(output, "rate_part", status->rate_part > 1 ? status->rate_part : 0);
}

const SptStage spt_self_limit_stage = {
	.step = self_limit_step,
	.note = self_limit_note,
	.free = (GDestroyNotify)spt_self_limit_free,
};
