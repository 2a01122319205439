/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/idle.h"

#include "capture/capture.h"

/* Waits are that many times the CPU time. */
#define MUCH 100

void spt_idle_find(SptIdle *idle, const SptProfile *profile, const SptCapture *capture,
		   const bool *processes)
{
	const uint64_t *waited = spt_profile_threads(profile);
	g_autofree uint64_t *ran = NULL;
	uint64_t period_ns = spt_capture_period_ns(capture);

	*idle = (SptIdle){ 0 };
	/* Periods of a counter of the processor are no times. */
	if (!waited || !period_ns || g_strcmp0(spt_capture_host(capture, "clock"), "pmu") == 0)
		return;
	ran = spt_capture_weigh_threads(capture);
	for (uint32_t i = 1; i < capture->n_threads; i++) {
		if (!waited[i] || (processes && !processes[capture->threads[i].process]))
			continue;
		idle->waiters++;
		idle->weight += waited[i];
		/* Of a shorter wait a hundredth would be less than one sample. */
		if (waited[i] < MUCH * period_ns || ran[i] * period_ns >= waited[i] / MUCH)
			continue;
		idle->idlers++;
		idle->idle += waited[i];
	}
}
