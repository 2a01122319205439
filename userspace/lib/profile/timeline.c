/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One pass over the samples of the requested time, which a base profile has in order of time. */
#include "profile/timeline.h"

#include <string.h>

#include "base/words.h"
#include "profile/row-walk.h"

struct maker {
	SptTimeline *timeline;
	const SptProfile *profile;
	bool *is_kernel;		/* per tree node: its function */
	bool *is_lit;			/* per tree node; NULL: not needed */
	uint32_t *lane_of_thread;	/* NULL: lanes are CPUs */
	double scale;			/* buckets per nanosecond */
};

static uint32_t bucket_of(const struct maker *maker, uint64_t time)
{
	return (uint32_t)MIN((double)(time - maker->timeline->begin_ns) * maker->scale,
			     maker->timeline->n_buckets - 1);
}

static size_t bucket_at(const SptTimeline *timeline, uint32_t lane, uint32_t bucket)
{
	return (size_t)MIN(lane, timeline->n_lanes - 1) * timeline->n_buckets + bucket;
}

static uint32_t count_cpus(const SptCapture *capture)
{
	uint32_t last = capture->last_cpu;

	for (uint64_t i = 0; i < capture->n_losses; i++)
		last = MAX(last, capture->losses[i].cpu);
	return MIN(last, SPT_TIMELINE_MAX_CPUS - 1) + 1;
}

static void make_cpu_lanes(struct maker *maker)
{
	SptTimeline *timeline = maker->timeline;

	timeline->n_lanes = count_cpus(maker->profile->capture);
	timeline->groups = g_new0(SptGroupRow, timeline->n_lanes);
	for (uint32_t i = 0; i < timeline->n_lanes; i++)
		timeline->groups[i] = (SptGroupRow){ .name = "", .cpu = i };
}

/* The lane of a group; the last one if it has none of its own. */
static uint32_t find_lane(const SptTimeline *timeline, const SptGroupRow *wanted)
{
	for (uint32_t i = 0; i < timeline->n_lanes; i++) {
		const SptGroupRow *group = &timeline->groups[i];

		if (group->name && group->pid == wanted->pid && group->tid == wanted->tid &&
		    strcmp(group->name, wanted->name) == 0)
			return i;
	}
	return timeline->n_lanes - 1;
}

static void make_group_lanes(struct maker *maker)
{
	SptTimeline *timeline = maker->timeline;
	const SptProfile *profile = maker->profile;
	const SptGrouping *grouping = spt_grouping(timeline->lanes);
	g_autoptr(GArray) groups = spt_groups_new(profile, NULL, timeline->lanes);
	uint32_t n = CLAMP(groups->len, 1, SPT_TIMELINE_MAX_GROUPS),
		 n_threads = profile->capture->n_threads + 1;

	timeline->n_lanes = n;
	timeline->groups = g_new0(SptGroupRow, n);
	memcpy(timeline->groups, groups->data, MIN(groups->len, n) * sizeof(SptGroupRow));
	if (groups->len > n)
		timeline->groups[n - 1] = (SptGroupRow){ 0 };
	maker->lane_of_thread = g_new(uint32_t, n_threads);
	for (uint32_t i = 0; i < n_threads; i++) {
		const SptGroupRow group = grouping->group(profile, i);

		maker->lane_of_thread[i] = find_lane(timeline, &group);
	}
}

static bool *find_kernel(const SptProfile *profile)
{
	const SptTreeNode *nodes = (const SptTreeNode *)profile->tree->data;
	bool *is_kernel = g_new0(bool, profile->tree->len);

	for (uint32_t i = 1; i < profile->tree->len; i++)
		is_kernel[i] = g_array_index(profile->functions, SptFunction, nodes[i].function)
				       .is_kernel;
	return is_kernel;
}

static bool *find_lit(const SptProfile *profile, uint32_t function)
{
	const SptTreeNode *nodes = (const SptTreeNode *)profile->tree->data;
	bool *is_lit = g_new0(bool, profile->tree->len);

	for (uint32_t i = 1; i < profile->tree->len; i++)
		is_lit[i] = is_lit[nodes[i].parent] || nodes[i].function == function;
	return is_lit;
}

static void add_samples(const struct maker *maker)
{
	SptTimeline *timeline = maker->timeline;
	g_autoptr(SptRowWalk) walk = spt_row_walk_new(maker->profile, timeline->begin_ns);
	const struct spt_base_row *row;

	while ((row = spt_row_walk_next(walk)) && row->time <= timeline->end_ns) {
		uint32_t lane =
			maker->lane_of_thread ? maker->lane_of_thread[row->thread] : row->cpu;
		size_t at;

		if (row->time < timeline->begin_ns)
			continue;
		at = bucket_at(timeline, lane, bucket_of(maker, row->time));
		timeline->weights[at] += row->weight;
		timeline->most = MAX(timeline->most, timeline->weights[at]);
		if (!maker->is_kernel[row->leaf])
			timeline->user[at] += row->weight;
		if (maker->is_lit && maker->is_lit[row->leaf])
			timeline->lit[at] += row->weight;
	}
}

static void spread(const struct maker *maker, uint64_t *periods, uint32_t cpu, uint64_t first_time,
		   uint64_t last_time, uint64_t weight)
{
	const SptTimeline *timeline = maker->timeline;
	uint32_t first, last;

	first_time = MAX(first_time, timeline->begin_ns);
	last_time = MIN(last_time, timeline->end_ns);
	if (first_time > last_time)
		return;
	first = bucket_of(maker, first_time);
	last = bucket_of(maker, last_time);
	for (uint32_t at = first; at <= last; at++) {
		uint64_t part = weight / (last - at + 1);

		periods[bucket_at(timeline, cpu, at)] += part;
		weight -= part;
	}
}

/*
 * Accounts are sums since the beginning: the growth of a CPU's next account was skipped between the
 * two.
 */
static void add_left_out(const struct maker *maker)
{
	const SptCapture *capture = maker->profile->capture;
	g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);

	for (uint64_t i = 0; i < capture->n_accounts; i++) {
		const SptAccountRow *now = &capture->accounts[i],
				    *before = g_hash_table_lookup(last, GUINT_TO_POINTER(now->cpu));
		uint64_t begin = before ? before->time : capture->first_time,
			 known = before ? before->budget : 0;

		if (now->budget > known && now->time > begin)
			spread(maker, maker->timeline->left_out, now->cpu, begin, now->time,
			       now->budget - known);
		g_hash_table_insert(last, GUINT_TO_POINTER(now->cpu), (gpointer)now);
	}
}

SptTimeline *spt_timeline_new(const SptProfile *profile, const SptTimelineRequest *request)
{
	SptTimeline *timeline = g_new0(SptTimeline, 1);
	struct maker maker = { .timeline = timeline, .profile = profile };
	bool of_periods = profile->metric->is_cpu,
	     has_losses = of_periods && request->lanes == SPT_GROUP_CPU;
	size_t n;

	g_return_val_if_fail(profile->capture && request->n_buckets > 0, NULL);
	timeline->begin_ns = request->begin_ns;
	timeline->end_ns = MAX(request->end_ns, request->begin_ns + 1);
	timeline->metric = profile->metric;
	timeline->period_ns = of_periods ? spt_capture_period_ns(profile->capture) : 0;
	timeline->lanes = request->lanes;
	timeline->n_buckets = request->n_buckets;
	if (request->lanes == SPT_GROUP_CPU)
		make_cpu_lanes(&maker);
	else
		make_group_lanes(&maker);
	n = (size_t)timeline->n_lanes * timeline->n_buckets;
	timeline->weights = g_new0(uint64_t, 5 * n);
	timeline->user = timeline->weights + n;
	timeline->lit = timeline->user + n;
	timeline->lost = timeline->lit + n;
	timeline->left_out = timeline->lost + n;
	maker.scale = timeline->n_buckets / (double)(timeline->end_ns - timeline->begin_ns);
	maker.is_kernel = find_kernel(profile);
	if (request->function != UINT32_MAX)
		maker.is_lit = find_lit(profile, request->function);
	add_samples(&maker);
	for (uint64_t i = 0; has_losses && i < profile->capture->n_losses; i++) {
		const SptLossRow *loss = &profile->capture->losses[i];

		spread(&maker, timeline->lost, loss->cpu, loss->first_time, loss->last_time,
		       loss->weight);
	}
	if (has_losses)
		add_left_out(&maker);
	g_free(maker.is_kernel);
	g_free(maker.is_lit);
	g_free(maker.lane_of_thread);
	return timeline;
}

void spt_timeline_free(SptTimeline *timeline)
{
	if (!timeline)
		return;
	g_free(timeline->weights);
	g_free(timeline->groups);
	g_free(timeline);
}

double spt_timeline_share(const SptTimeline *timeline, const uint64_t *periods, uint32_t lane,
			  uint32_t bucket)
{
	double bucket_ns = (double)(timeline->end_ns - timeline->begin_ns) / timeline->n_buckets;
	double whole = timeline->period_ns ? bucket_ns / (double)timeline->period_ns :
					     (double)timeline->most;

	return whole > 0 ? MIN((double)periods[bucket_at(timeline, lane, bucket)] / whole, 1) : 0;
}

char *spt_timeline_busy(const SptTimeline *timeline, uint32_t lane, uint32_t bucket)
{
	double busy = 100 * spt_timeline_share(timeline, timeline->weights, lane, bucket);

	if (timeline->lost[bucket_at(timeline, lane, bucket)] == 0)
		return g_strdup_printf(spt_words("%.0f %% busy"), busy);
	if (busy > 0)
		return g_strdup_printf(spt_words("at least %.0f %% busy, samples were lost"), busy);
	return g_strdup(spt_words("not known, all samples were lost"));
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
