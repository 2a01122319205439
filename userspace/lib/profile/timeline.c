/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pass over the samples, which a base profile has in the order of time. */
#include "profile/timeline.h"

#include "profile/profile-private.h"

static uint32_t count_cpus(const SptProfile *profile)
{
	const SptCapture *capture = profile->capture;
	uint32_t last = 0;

	for (uint64_t i = 0; i < profile->n_rows; i++)
		last = MAX(last, profile->sources[i].cpu);
	for (uint64_t i = 0; i < capture->n_losses; i++)
		last = MAX(last, capture->losses[i].cpu);
	return MIN(last, SPT_TIMELINE_MAX_CPUS - 1) + 1;
}

static uint32_t bucket_of(const SptTimeline *timeline, uint64_t time)
{
	double share = (double)(time - timeline->begin_ns) / (double)(timeline->end_ns - timeline->begin_ns);

	return (uint32_t)MIN(share * timeline->n_buckets, timeline->n_buckets - 1);
}

static uint64_t *bucket_at(const SptTimeline *timeline, uint64_t *buckets, uint32_t cpu, uint32_t bucket)
{
	return &buckets[(size_t)MIN(cpu, timeline->n_cpus - 1) * timeline->n_buckets + bucket];
}

static void add_samples(SptTimeline *timeline, const SptProfile *profile)
{
	for (uint64_t i = 0; i < profile->n_rows; i++) {
		const struct spt_row_source *source = &profile->sources[i];
		uint64_t *weight;

		if (source->time < timeline->begin_ns || source->time > timeline->end_ns)
			continue;
		weight = bucket_at(timeline, timeline->weights, source->cpu, bucket_of(timeline, source->time));
		*weight += profile->rows[i].weight;
		timeline->most = MAX(timeline->most, *weight);
	}
}

static void add_loss(SptTimeline *timeline, const SptLossRow *loss)
{
	uint64_t first_time = MAX(loss->first_time, timeline->begin_ns), last_time = MIN(loss->last_time, timeline->end_ns);
	uint64_t left = loss->weight;
	uint32_t first, last;

	if (first_time > last_time)
		return;
	first = bucket_of(timeline, first_time);
	last = bucket_of(timeline, last_time);
	for (uint32_t at = first; at <= last; at++) {
		uint64_t part = left / (last - at + 1);

		*bucket_at(timeline, timeline->lost, loss->cpu, at) += part;
		left -= part;
	}
}

SptTimeline *spt_timeline_new(const SptProfile *profile, uint64_t begin_ns, uint64_t end_ns, uint32_t n_buckets)
{
	SptTimeline *timeline = g_new0(SptTimeline, 1);

	g_return_val_if_fail(profile->capture && n_buckets > 0, NULL);
	timeline->begin_ns = begin_ns;
	timeline->end_ns = MAX(end_ns, begin_ns + 1);
	timeline->period_ns = spt_capture_period_ns(profile->capture);
	timeline->n_cpus = count_cpus(profile);
	timeline->n_buckets = n_buckets;
	timeline->weights = g_new0(uint64_t, (size_t)timeline->n_cpus * n_buckets);
	timeline->lost = g_new0(uint64_t, (size_t)timeline->n_cpus * n_buckets);
	add_samples(timeline, profile);
	for (uint64_t i = 0; i < profile->capture->n_losses; i++)
		add_loss(timeline, &profile->capture->losses[i]);
	return timeline;
}

void spt_timeline_free(SptTimeline *timeline)
{
	if (!timeline)
		return;
	g_free(timeline->weights);
	g_free(timeline->lost);
	g_free(timeline);
}

static double share_of(const SptTimeline *timeline, uint64_t periods)
{
	double bucket_ns = (double)(timeline->end_ns - timeline->begin_ns) / timeline->n_buckets;
	double whole = timeline->period_ns ? bucket_ns / (double)timeline->period_ns : (double)timeline->most;

	return whole > 0 ? MIN((double)periods / whole, 1) : 0;
}

double spt_timeline_load(const SptTimeline *timeline, uint32_t cpu, uint32_t bucket)
{
	return share_of(timeline, timeline->weights[(size_t)cpu * timeline->n_buckets + bucket]);
}

double spt_timeline_lost(const SptTimeline *timeline, uint32_t cpu, uint32_t bucket)
{
	return share_of(timeline, timeline->lost[(size_t)cpu * timeline->n_buckets + bucket]);
}

uint64_t spt_timeline_step(uint64_t length_ns, uint32_t n)
{
	static const uint64_t parts[] = { 1, 2, 5 };
	uint64_t unit = 1;

	while (true) {
		for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
			if (length_ns / (unit * parts[i]) < MAX(n, 1) || unit > G_MAXUINT64 / 100)
				return unit * parts[i];
		}
		unit *= 10;
	}
}
