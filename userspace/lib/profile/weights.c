/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of a source, and sources that are derived from the samples of the clock. */
#include "profile/weights.h"

#include "events/facts.h"
#include "profile/events.h"

struct SptWeights {
	const SptWeightSource *source;
	gpointer cursor;
	SptWeightRow rows[SPT_WEIGHTS_BATCH];
};

bool spt_weights_are_in(const SptCapture *capture, const SptWeightSource *source)
{
	return source->of_events_are_in ? source->of_events_are_in(capture, source) :
					  source->is_in(capture);
}

uint64_t spt_weights_count(const SptCapture *capture, const SptWeightSource *source)
{
	return source->count_of_events ? source->count_of_events(capture, source) :
					 source->count(capture);
}

SptWeights *spt_weights_new_for(const SptCapture *capture, const SptWeightSource *source,
				const bool *threads)
{
	SptWeights *weights = g_new(SptWeights, 1);

	weights->source = source;
	weights->cursor = source->begin_of_events ? source->begin_of_events(capture, source) :
			  source->begin_for	  ? source->begin_for(capture, threads) :
						    source->begin(capture);
	return weights;
}

SptWeights *spt_weights_new(const SptCapture *capture, const SptWeightSource *source)
{
	return spt_weights_new_for(capture, source, NULL);
}

void spt_weights_free(SptWeights *weights)
{
	if (!weights)
		return;
	weights->source->end(weights->cursor);
	g_free(weights);
}

const SptWeightRow *spt_weights_next(SptWeights *weights, uint32_t *ret_n)
{
	*ret_n = weights->source->next(weights->cursor, weights->rows);
	return *ret_n > 0 ? weights->rows : NULL;
}

struct clock {
	bool bit_is_softirq;		/* SPT_CONTEXT_IRQ: a soft interrupt, and nothing else */
	SptSamples *samples;
	const SptSampleRow *left;
	uint32_t n_left;
};

static gpointer begin_clock(const SptCapture *capture)
{
	struct clock *clock = g_new0(struct clock, 1);

	clock->samples = spt_samples_new(capture);
	/* Older recordings have one bit for all interrupts; the timer comes in soft ones only. */
	clock->bit_is_softirq =
		g_strcmp0(spt_capture_host(capture, "source"), "module") == 0 &&
		g_strcmp0(spt_capture_host(capture, "clock"), "timer") == 0;
	return clock;
}

static void end_clock(gpointer cursor)
{
	struct clock *clock = cursor;

	spt_samples_free(clock->samples);
	g_free(clock);
}

static uint64_t count_samples(const SptCapture *capture)
{
	return capture->n_samples;
}

/* A capture that was made in memory returns all of its samples at once. */
static uint32_t next_samples(struct clock *clock, const SptSampleRow **ret)
{
	uint32_t n;

	if (clock->n_left == 0)
		clock->left = spt_samples_next(clock->samples, &clock->n_left);
	n = clock->left ? MIN(clock->n_left, SPT_WEIGHTS_BATCH) : 0;
	*ret = clock->left;
	clock->left += n;
	clock->n_left -= n;
	return n;
}

/* As in profile/events.h. */
static uint32_t detail_of(const struct clock *clock, const SptSampleRow *sample)
{
	uint8_t recorded = sample->context >> SPT_CONTEXT_AT & SPT_CONTEXT_MASK;

	if (recorded)
		return recorded - 1;
	if (!(sample->context & SPT_CONTEXT_KERNEL))
		return SPT_IN_TASK;
	if (!clock->bit_is_softirq)
		return SPT_CONTEXT_NOT_KNOWN;
	return sample->context & SPT_CONTEXT_IRQ ? SPT_IN_SOFTIRQ : SPT_IN_TASK;
}

static bool has_periods(G_GNUC_UNUSED const SptCapture *capture)
{
	return true;
}

static uint32_t next_periods(gpointer cursor, SptWeightRow *rows)
{
	const SptSampleRow *samples;
	struct clock *clock = cursor;
	uint32_t n = next_samples(clock, &samples);

	for (uint32_t i = 0; i < n; i++)
		rows[i] = (SptWeightRow){ .time = samples[i].time,
					  .weight = samples[i].weight,
					  .thread = samples[i].thread,
					  .cpu = samples[i].cpu,
					  .node = samples[i].node,
					  .detail = detail_of(clock, &samples[i]) };
	return n;
}

const SptWeightSource spt_weights_periods = {
	.is_in = has_periods,
	.count = count_samples,
	.begin = begin_clock,
	.next = next_periods,
	.end = end_clock,
	.is_leaves = true,
};

/* Perf events do not report when they were due. */
static bool has_delays(const SptCapture *capture)
{
	return g_strcmp0(spt_capture_host(capture, "source"), "perf") != 0;
}

static uint32_t next_delays(gpointer cursor, SptWeightRow *rows)
{
	const SptSampleRow *samples;
	struct clock *clock = cursor;
	uint32_t n = next_samples(clock, &samples);

	for (uint32_t i = 0; i < n; i++)
		rows[i] = (SptWeightRow){ .time = samples[i].time,
					  .weight = samples[i].delay_ns,
					  .thread = samples[i].thread,
					  .cpu = samples[i].cpu,
					  .node = samples[i].node,
					  .detail = detail_of(clock, &samples[i]) };
	return n;
}

const SptWeightSource spt_weights_delays = {
	.is_in = has_delays,
	.count = count_samples,
	.begin = begin_clock,
	.next = next_delays,
	.end = end_clock,
};
