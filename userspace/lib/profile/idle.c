/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/idle.h"

#include "capture/capture.h"
#include "profile/command.h"
#include "profile/profile-private.h"

/* Waits are that many times the CPU time. */
#define MUCH 100
/* Part of the weight from which on idle threads matter. */
#define GOOD_PART 0.1
/* Fewer samples are no work. */
#define WORK_SAMPLES 10

struct times {
	uint64_t waited_ns, held_ns, ran_ns;
	bool is_of_recorder;
};

/* What it was before it executed a program is a thread of its own in the file. */
static void add_thread(GHashTable *threads, const SptThreadRow *thread,
		       const SptThreadWeight *waited, uint64_t ran_ns, bool is_of_recorder)
{
	struct times *times = g_hash_table_lookup(threads, GUINT_TO_POINTER(thread->tid));

	if (!times) {
		times = g_new0(struct times, 1);
		g_hash_table_insert(threads, GUINT_TO_POINTER(thread->tid), times);
	}
	times->waited_ns += waited->weight;
	times->held_ns += waited->held;
	times->ran_ns += ran_ns;
	times->is_of_recorder = is_of_recorder;
}

/* By tid; NULL: it is not known how long threads ran. */
static GHashTable *idle_find_times(const SptProfile *profile, const SptCapture *capture,
				   const bool *processes)
{
	const SptThreadWeight *waited = spt_profile_threads(profile);
	uint64_t period_ns = spt_capture_period_ns(capture),
		 recorder = spt_command_fact(capture, SPT_RECORDER_PID);
	g_autofree uint64_t *ran = NULL;
	GHashTable *threads;

	/* Periods of a counter of the processor are no times. */
	if (!waited || !period_ns || g_strcmp0(spt_capture_host(capture, "clock"), "pmu") == 0)
		return NULL;
	ran = spt_capture_weigh_threads(capture);
	threads = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	for (uint32_t i = 1; i < capture->n_threads; i++) {
		uint32_t process = capture->threads[i].process;

		if (waited[i].weight && (!processes || processes[process]))
			add_thread(threads, &capture->threads[i], &waited[i], ran[i] * period_ns,
				   recorder && capture->processes[process].pid == recorder);
	}
	return threads;
}

/* Of a shorter wait a hundredth would be less than one sample. */
static bool idle_waited(const struct times *times, uint64_t period_ns)
{
	return times->waited_ns >= MUCH * period_ns;
}

static bool is_held(const struct times *times)
{
	return times->held_ns >= times->waited_ns / 2;
}

static bool is_idle(const struct times *times, uint64_t period_ns)
{
	return idle_waited(times, period_ns) && times->ran_ns < times->waited_ns / MUCH &&
	       !is_held(times);
}

static void idle_sum_up(SptIdle *idle, GHashTable *threads, uint64_t period_ns)
{
	GHashTableIter iter;
	gpointer value;

	*idle = (SptIdle){ 0 };
	if (!threads)
		return;
	g_hash_table_iter_init(&iter, threads);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		const struct times *times = value;

		idle->weight += times->waited_ns;
		if (times->is_of_recorder) {
			idle->recorder += times->waited_ns;
			continue;
		}
		idle->waiters++;
		if (is_idle(times, period_ns)) {
			idle->idlers++;
			idle->idle += times->waited_ns;
		} else if (times->ran_ns >= WORK_SAMPLES * period_ns ||
			   (idle_waited(times, period_ns) && is_held(times))) {
			idle->has_work = true;
		}
	}
}

void spt_idle_find(SptIdle *idle, const SptProfile *profile, const SptCapture *capture,
		   const bool *processes)
{
	g_autoptr(GHashTable) threads = idle_find_times(profile, capture, processes);

	idle_sum_up(idle, threads, spt_capture_period_ns(capture));
}

bool spt_idle_is_beside(const SptIdle *idle)
{
	return idle->has_work && (double)idle->idle >= GOOD_PART * (double)idle->weight;
}

static bool idle_has_recorder(const SptIdle *idle)
{
	return idle->waiters && (double)idle->recorder >= GOOD_PART * (double)idle->weight;
}

SptProfile *spt_idle_rest(const SptProfile *profile, const SptCapture *capture,
			  const bool *processes)
{
	const SptProfile *base = profile->base ? profile->base : profile;
	const SptMetric *metric = spt_profile_metric(profile);
	g_autoptr(GHashTable) threads = idle_find_times(profile, capture, processes);
	uint64_t period_ns = spt_capture_period_ns(capture);
	g_autofree bool *is_wanted = NULL;
	SptFilter filter;
	SptIdle idle;

	idle_sum_up(&idle, threads, period_ns);
	if ((!spt_idle_is_beside(&idle) && !idle_has_recorder(&idle)) ||
	    (!base->rows && !base->reread && !base->symbols))
		return NULL;
	is_wanted = g_new0(bool, MAX(capture->n_threads, 1));
	for (uint32_t i = 1; i < capture->n_threads; i++) {
		const struct times *times = g_hash_table_lookup(
			threads, GUINT_TO_POINTER(capture->threads[i].tid));

		is_wanted[i] = times && !times->is_of_recorder &&
			       !(spt_idle_is_beside(&idle) && is_idle(times, period_ns));
	}
	filter = (SptFilter){ .processes = processes, .threads = is_wanted };
	return base->symbols ? spt_profile_new(capture, base->symbols, metric, &filter) :
			       spt_profile_refilter(base, &filter, NULL);
}
