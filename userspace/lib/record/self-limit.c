/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/self-limit.h"

#include "base/clock.h"
#include "record/output.h"

#define WINDOW_NS     2000000000ULL
#define RATE_PART_MAX 64
#define HELPED	      0.9 /* part of its earlier cost */
/* The part of the budget below which it has to be for some windows, before the rate is doubled. */
#define CALM	     (1.0 / 3)
#define CALM_WINDOWS 3
#define HOLD_WINDOWS 12 /* no other attempt, if a lower rate has not helped */

enum lowered { NOTHING, COPIES, RATE };

struct SptSelfLimit {
	SptTrace *trace;
	SptCopies *copies;
	bool keeps_rate, has_begun;
	bool has_least_copies;	   /* smaller copies do not help */
	uint64_t since_ns, ran_ns; /* of the window */
	enum lowered last;
	double last_pct; /* cost when that was lowered */
	double budget_pct; /* 0: there is none */
	uint64_t window_ns;
	uint64_t (*cost)(void *data);
	void *cost_data;
	unsigned calm, hold; /* windows */
	SptSelfLimitStatus status;
};

SptSelfLimit *spt_self_limit_new(SptTrace *trace, SptCopies *copies, bool keeps_rate)
{
	SptSelfLimit *limit = g_new0(SptSelfLimit, 1);

	limit->trace = trace;
	limit->copies = copies;
	limit->keeps_rate = keeps_rate;
	limit->status.rate_part = 1;
	limit->window_ns = WINDOW_NS;
	return limit;
}

void spt_self_limit_budget(SptSelfLimit *limit, double pct, uint64_t window_ns,
			   uint64_t (*cost)(void *data), void *data)
{
	limit->budget_pct = pct;
	limit->window_ns = window_ns;
	limit->cost = cost;
	limit->cost_data = data;
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

static bool set_rate(SptSelfLimit *limit, unsigned part)
{
	if (part < 1 || part > RATE_PART_MAX || !spt_trace_slow_down(limit->trace, part))
		return false;
	limit->status.rate_part = part;
	limit->calm = 0;
	return true;
}

static void keep_budget(SptSelfLimit *limit, double pct)
{
	bool is_over = pct > limit->budget_pct,
	     has_helped = limit->last != RATE || pct < HELPED * limit->last_pct;
	unsigned part = limit->status.rate_part;

	limit->status.cost_pct = pct;
	limit->last = NOTHING;
	limit->calm = pct < CALM * limit->budget_pct ? limit->calm + 1 : 0;
	limit->hold -= limit->hold > 0;
	if (is_over && !has_helped) {
		/* What it costs is something else: samples would be given away for nothing. */
		set_rate(limit, part / 2);
		limit->hold = HOLD_WINDOWS;
	} else if (is_over && !limit->hold && set_rate(limit, 2 * part)) {
		limit->last = RATE;
		limit->last_pct = pct;
	} else if (!is_over && limit->calm >= CALM_WINDOWS) {
		set_rate(limit, part / 2);
	}
	limit->status.is_over_budget = is_over && limit->last != RATE;
}

void spt_self_limit_take(SptSelfLimit *limit, uint64_t now_ns, uint64_t ran_ns)
{
	uint64_t passed = now_ns - limit->since_ns;
	double pct;

	if (limit->has_begun && passed < limit->window_ns)
		return;
	/* The cost of the start is not the cost of recording: the first call only measures. */
	pct = limit->has_begun ? 100 * (double)(ran_ns - limit->ran_ns) / (double)passed : 0;
	limit->has_begun = true;
	limit->since_ns = now_ns;
	limit->ran_ns = ran_ns;
	if (limit->budget_pct > 0)
		keep_budget(limit, pct);
	else if (pct > SPT_SELF_LIMIT_PCT)
		lower(limit, pct);
}

void spt_self_limit_status(const SptSelfLimit *limit, SptSelfLimitStatus *ret)
{
	*ret = limit->status;
}

static bool self_limit_step(void *part, const SptStageStep *step, G_GNUC_UNUSED GError **error)
{
	SptSelfLimit *limit = part;

	spt_self_limit_take(limit, step->time_ns,
			    limit->cost ? limit->cost(limit->cost_data) :
					  spt_clock_ns(CLOCK_THREAD_CPUTIME_ID));
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
