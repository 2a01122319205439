/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/cpu-use.h"

#include "profile/selection.h"
#include "profile/summary.h"
#include "profile/timeline.h"

/* Points of each CPU, and of all CPUs together. */
#define CPU_POINTS  1000
#define MOST_POINTS 100000

static unsigned cpu_use_percent(const SptTimeline *timeline, const uint64_t *weights, uint32_t lane,
				uint32_t bucket)
{
	return (unsigned)(100 * spt_timeline_share(timeline, weights, lane, bucket));
}

/* A bucket that is like the one before needs no point of its own. */
static void cpu_use_of_lane(const SptTimeline *timeline, uint32_t lane, SptCpuUse use,
			    gpointer data)
{
	double bucket_ns = (double)(timeline->end_ns - timeline->begin_ns) / timeline->n_buckets;
	unsigned last_user = 0, last_all = 0;

	for (uint32_t i = 0; i < timeline->n_buckets; i++) {
		unsigned all = cpu_use_percent(timeline, timeline->weights, lane, i),
			 user = MIN(cpu_use_percent(timeline, timeline->user, lane, i), all);

		if (i > 0 && user == last_user && all == last_all)
			continue;
		last_user = user;
		last_all = all;
		use(data, timeline->groups[lane].cpu,
		    timeline->begin_ns + (uint64_t)(bucket_ns * i), user, all - user);
	}
}

void spt_cpu_use_walk(const SptExportInput *input, SptCpuUse use, gpointer data)
{
	g_autoptr(SptTimeline) timeline = NULL;
	uint32_t n = MOST_POINTS / (MIN(input->capture->last_cpu, SPT_TIMELINE_MAX_CPUS) + 1);

	if (!spt_profile_metric(input->profile)->is_cpu || !spt_capture_period_ns(input->capture) ||
	    input->end_ns <= input->begin_ns)
		return;
	timeline = spt_timeline_new(input->base,
				    &(SptTimelineRequest){ .begin_ns = input->begin_ns,
							   .end_ns = input->end_ns,
							   .n_buckets = MIN(n, CPU_POINTS),
							   .lanes = SPT_GROUP_CPU,
							   .function = UINT32_MAX });
	for (uint32_t i = 0; i < timeline->n_lanes; i++)
		cpu_use_of_lane(timeline, i, use, data);
}

uint32_t *spt_first_threads(const SptCapture *capture)
{
	g_autoptr(GHashTable) threads =
		g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	uint32_t *first = g_new(uint32_t, (size_t)capture->n_threads + 1);

	for (uint32_t i = 0; i < capture->n_threads; i++) {
		const SptProcessRow *process = spt_process_of_thread(capture, i);
		int64_t key = (int64_t)((uint64_t)(process ? process->pid : 0) << 32 |
					capture->threads[i].tid);
		gpointer known;

		if (g_hash_table_lookup_extended(threads, &key, NULL, &known)) {
			first[i] = GPOINTER_TO_UINT(known);
			continue;
		}
		first[i] = i;
		g_hash_table_insert(threads, g_memdup2(&key, sizeof(key)), GUINT_TO_POINTER(i));
	}
	return first;
}
