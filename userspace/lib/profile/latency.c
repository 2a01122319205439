/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wall time divided among the threads that ran: of a period of the clock in which n threads ran,
 * each gets an nth.  A thread that ran alone gets all of it.  Ticks of one period are those of all
 * CPUs, so it is known to within a period which threads ran together.
 */
#include "profile/latency.h"

/* A recording of days at a high rate has more periods: the rest counts as if threads ran alone. */
#define MOST_PERIODS (1ULL << 30)

/* A sample represents periods before it; the first ones represent periods before all samples. */
#define MOST_BEFORE 65536u

struct latency {
	SptSamples *samples;
	const SptSampleRow *sample;
	uint32_t n_samples;
	uint64_t start, period_ns;
	/* periods of the grid that have samples: their numbers, and how many they are */
	uint64_t first, n;
	uint16_t *running;		/* by period: threads that ran */
	uint64_t given;			/* ns */
	long double due;
};

/* The number of the last period that a sample represents. */
static uint64_t period_of(const struct latency *latency, const SptSampleRow *sample)
{
	return sample->time > latency->start ?
		       (sample->time - latency->start) / latency->period_ns :
		       0;
}

static uint16_t *running_in(const struct latency *latency, uint64_t period)
{
	return period >= latency->first && period - latency->first < latency->n ?
		       &latency->running[period - latency->first] :
		       NULL;
}

static void count_running(struct latency *latency, const SptCapture *capture, const bool *threads)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	const SptSampleRow *rows;
	uint32_t n;

	while ((rows = spt_samples_next(samples, &n))) {
		for (uint32_t i = 0; i < n; i++) {
			uint64_t last = period_of(latency, &rows[i]);

			if (threads && !threads[rows[i].thread])
				continue;
			for (uint64_t back = 0; back < rows[i].weight && back <= last; back++) {
				uint16_t *running = running_in(latency, last - back);

				if (!running)
					break;
				*running += *running < UINT16_MAX;
			}
		}
	}
}

static uint64_t number_of(const SptCapture *capture, const char *key)
{
	const char *text = spt_capture_host(capture, key);

	return text ? g_ascii_strtoull(text, NULL, 10) : 0;
}

static gpointer begin_for(const SptCapture *capture, const bool *threads)
{
	struct latency *latency = g_new0(struct latency, 1);
	SptSampleRow end = { .time = capture->last_time };

	latency->samples = spt_samples_new(capture);
	latency->start = number_of(capture, "grid_start");
	latency->period_ns = MAX(spt_capture_period_ns(capture), 1);
	if (capture->n_samples) {
		end.time = capture->first_time;
		latency->first = period_of(latency, &end);
		latency->first -= MIN(latency->first, MOST_BEFORE);
		end.time = capture->last_time;
		latency->n = MIN(period_of(latency, &end) - latency->first + 1, MOST_PERIODS);
		latency->running = g_try_new0(uint16_t, latency->n);
	}
	if (latency->running)
		count_running(latency, capture, threads);
	else
		latency->n = 0;
	return latency;
}

static gpointer begin(const SptCapture *capture)
{
	return begin_for(capture, NULL);
}

static void end(gpointer data)
{
	struct latency *latency = data;

	spt_samples_free(latency->samples);
	g_free(latency->running);
	g_free(latency);
}

/* The value of a sample's periods; parts below 1 ns are carried over to later samples. */
static SptWeightRow row_of(struct latency *latency, const SptSampleRow *sample)
{
	uint64_t last = period_of(latency, sample), before = latency->given;
	uint64_t ns = sample->weight * latency->period_ns;
	const uint16_t *at = running_in(latency, last);

	for (uint64_t back = 0; back < sample->weight; back++) {
		const uint16_t *running =
			back <= last ? running_in(latency, last - back) : NULL;

		latency->due += (long double)latency->period_ns /
				(running && *running ? *running : 1);
	}
	latency->given = (uint64_t)(latency->due + 0.5L);
	return (SptWeightRow){ .time = sample->time,
			       .duration_ns = sample->weight > 1 ? MIN(ns, sample->time) : 0,
			       .weight = latency->given - before,
			       .thread = sample->thread,
			       .cpu = sample->cpu,
			       .node = sample->node,
			       .detail = at && *at ? *at : 1 };
}

static uint32_t next(gpointer data, SptWeightRow *rows)
{
	struct latency *latency = data;
	uint32_t n;

	if (!latency->n_samples)
		latency->sample = spt_samples_next(latency->samples, &latency->n_samples);
	n = latency->sample ? MIN(latency->n_samples, SPT_WEIGHTS_BATCH) : 0;
	for (uint32_t i = 0; i < n; i++)
		rows[i] = row_of(latency, latency->sample++);
	latency->n_samples -= n;
	return n;
}

static uint64_t count(const SptCapture *capture)
{
	return capture->n_samples;
}

static bool is_in(const SptCapture *capture)
{
	return spt_capture_period_ns(capture) > 0;
}

const SptWeightSource spt_weights_latency = {
	.is_in = is_in,
	.count = count,
	.begin = begin,
	.begin_for = begin_for,
	.next = next,
	.end = end,
};
