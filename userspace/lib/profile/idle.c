/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/idle.h"

#include "capture/capture.h"

/* Waits are that many times the CPU time. */
#define MUCH 100

/* By thread; the caller frees them. */
struct thread {
	uint64_t waited, ran_ns;
};

static void add_waited(struct thread *threads, const SptCapture *capture, const SptMetric *metric)
{
	g_autoptr(SptWeights) weights = spt_weights_new(capture, metric->source);
	const SptWeightRow *row;
	uint32_t n;

	while ((row = spt_weights_next(weights, &n)))
		for (; n > 0; n--, row++)
			threads[row->thread].waited += row->weight;
}

static void add_ran(struct thread *threads, const SptCapture *capture, uint64_t period_ns)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	const SptSampleRow *row;
	uint32_t n;

	while ((row = spt_samples_next(samples, &n)))
		for (; n > 0; n--, row++)
			threads[row->thread].ran_ns += row->weight * period_ns;
}

void spt_idle_find(SptIdle *idle, const SptCapture *capture, const SptMetric *metric,
		   const bool *processes)
{
	g_autofree struct thread *threads = g_new0(struct thread, MAX(capture->n_threads, 1));
	uint64_t period_ns = spt_capture_period_ns(capture);

	*idle = (SptIdle){ 0 };
	/* Periods of a counter of the processor are no times. */
	if (!period_ns || g_strcmp0(spt_capture_host(capture, "clock"), "pmu") == 0)
		return;
	add_waited(threads, capture, metric);
	add_ran(threads, capture, period_ns);
	for (uint32_t i = 1; i < capture->n_threads; i++) {
		const struct thread *thread = &threads[i];

		if (!thread->waited || (processes && !processes[capture->threads[i].process]))
			continue;
		idle->waiters++;
		idle->weight += thread->waited;
		/* Of a shorter wait a hundredth would be less than one sample. */
		if (thread->waited < MUCH * period_ns || thread->ran_ns >= thread->waited / MUCH)
			continue;
		idle->idlers++;
		idle->idle += thread->waited;
	}
}
