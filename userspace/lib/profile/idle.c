/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/idle.h"

#include "capture/capture.h"

/* Waits are that many times the CPU time. */
#define MUCH 100

struct times {
	uint64_t waited_ns, ran_ns;
};

/* What it was before it executed a program is a thread of its own in the file. */
static void add_thread(GHashTable *threads, const SptThreadRow *thread, uint64_t waited_ns,
		       uint64_t ran_ns)
{
	struct times *times = g_hash_table_lookup(threads, GUINT_TO_POINTER(thread->tid));

	if (!times) {
		times = g_new0(struct times, 1);
		g_hash_table_insert(threads, GUINT_TO_POINTER(thread->tid), times);
	}
	times->waited_ns += waited_ns;
	times->ran_ns += ran_ns;
}

void spt_idle_find(SptIdle *idle, const SptProfile *profile, const SptCapture *capture,
		   const bool *processes)
{
	const uint64_t *waited = spt_profile_threads(profile);
	g_autofree uint64_t *ran = NULL;
	g_autoptr(GHashTable) threads = NULL;
	uint64_t period_ns = spt_capture_period_ns(capture);
	GHashTableIter iter;
	gpointer value;

	*idle = (SptIdle){ 0 };
	/* Periods of a counter of the processor are no times. */
	if (!waited || !period_ns || g_strcmp0(spt_capture_host(capture, "clock"), "pmu") == 0)
		return;
	ran = spt_capture_weigh_threads(capture);
	threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	for (uint32_t i = 1; i < capture->n_threads; i++)
		if (waited[i] && (!processes || processes[capture->threads[i].process]))
			add_thread(threads, &capture->threads[i], waited[i], ran[i] * period_ns);
	g_hash_table_iter_init(&iter, threads);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct times *times = value;

		idle->waiters++;
		idle->weight += times->waited_ns;
		/* Of a shorter wait a hundredth would be less than one sample. */
		if (times->waited_ns < MUCH * period_ns || times->ran_ns >= times->waited_ns / MUCH)
			continue;
		idle->idlers++;
		idle->idle += times->waited_ns;
	}
}
