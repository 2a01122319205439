/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time is the time that all threads ran together.  Where there are several, their samples show
 * how much of it was at the same time: each represents the periods before it, and their union is
 * the time in which any of them ran.  What waits for a CPU add to that union is the time in which
 * none ran, but one was ready to.
 */
#include "profile/wall.h"

#include <math.h>

#include "base/sort.h"
#include "capture/stream-rows.h"
#include "profile/command.h"
#include "profile/summary.h"
#include "profile/waits.h"

#define NS_PER_US 1000
/* From such a part of the time on it means something that threads never run at once. */
#define TURNS_RUNNING 0.25

static uint32_t count_threads(const SptCapture *capture, const bool *processes)
{
	/* A thread that ran another program has several rows. */
	g_autoptr(GHashTable) tids = g_hash_table_new(NULL, NULL);

	for (uint32_t i = 1; i < capture->n_threads; i++)
		if (capture->threads[i].id && processes[capture->threads[i].process])
			g_hash_table_add(tids, GUINT_TO_POINTER(capture->threads[i].tid));
	return g_hash_table_size(tids);
}

/* The @length_ns before @time, as an item. */
static void add_span(GArray *spans, uint64_t time, uint64_t length_ns)
{
	const struct spt_item span = { time - MIN(length_ns, time), length_ns / NS_PER_US };

	g_array_append_val(spans, span);
}

/* Time in which there is any of @spans; *@ret_all: the sum of them. */
static uint64_t find_union(const GArray *spans, uint64_t *ret_all)
{
	uint32_t n = spans->len;
	/* Sorting swaps these; what is left in @spans are all of them, in some order. */
	struct spt_item *sorted = (struct spt_item *)spans->data;
	g_autofree struct spt_item *room = g_new(struct spt_item, n);
	struct spt_item *spare = room;
	uint64_t until = 0, some = 0;

	*ret_all = 0;
	spt_sort_items(&sorted, &spare, n);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t length = (uint64_t)sorted[i].index * NS_PER_US,
			 end = sorted[i].key + length;

		*ret_all += length;
		if (end > until)
			some += end - MAX(until, sorted[i].key);
		until = MAX(until, end);
	}
	return some;
}

/* Of the time up to @until. */
static void add_samples(GArray *spans, const SptCapture *capture, const bool *processes,
			uint64_t until)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	uint64_t period_ns = MAX(spt_capture_period_ns(capture), 1);
	const SptSampleRow *row;
	uint32_t n;

	while ((row = spt_samples_next(samples, &n)))
		for (; n > 0; n--, row++)
			if (processes[capture->threads[row->thread].process] && row->time <= until)
				add_span(spans, row->time, row->weight * period_ns);
}

static void add_ready(GArray *spans, const SptCapture *capture, const bool *processes)
{
	g_autoptr(SptStreamReader) waits = spt_stream_reader_new(capture, SPT_ROW_WAIT);
	const SptWaitRow *row;
	uint32_t n;

	while ((row = spt_stream_reader_next(waits, &n)))
		for (; n > 0; n--, row++)
			if (processes[capture->threads[row->thread].process])
				add_span(spans, row->time,
					 row->weight_ns - spt_wait_blocked_weight(row));
}

/* The samples of one thread. */
struct span {
	uint64_t first, last, weight;
};

/* By thread; the caller frees it. */
static struct span *find_threads(const SptCapture *capture, const bool *processes,
				 uint64_t *ret_all)
{
	struct span *spans = g_new0(struct span, MAX(capture->n_threads, 1));
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	const SptSampleRow *row;
	uint32_t n;

	*ret_all = 0;
	while ((row = spt_samples_next(samples, &n)))
		for (; n > 0; n--, row++) {
			struct span *span = &spans[row->thread];

			if (!processes[capture->threads[row->thread].process])
				continue;
			span->first = span->weight ? span->first : row->time;
			span->last = row->time;
			span->weight += row->weight;
			*ret_all += row->weight;
		}
	return spans;
}

/* At most how many threads that have a good part of the samples were there at the same time. */
static unsigned count_busy(const SptCapture *capture, const bool *processes)
{
	uint64_t all;
	g_autofree struct span *spans = find_threads(capture, processes, &all);
	uint32_t n = 0;
	unsigned most = 0;

	for (uint32_t i = 0; i < capture->n_threads; i++)
		if (spans[i].weight && (double)spans[i].weight >= SPT_WALL_PART * (double)all)
			spans[n++] = spans[i];
	for (uint32_t i = 0; i < n; i++) {
		unsigned there = 0;

		for (uint32_t k = 0; k < n; k++)
			there += spans[k].first <= spans[i].first &&
				 spans[k].last >= spans[i].first;
		most = MAX(most, there);
	}
	return most;
}

/* Waits of calls show nothing of the time before a thread gets a CPU. */
static bool has_ready(const SptCapture *capture)
{
	return spt_capture_has_stream(capture, SPT_ROW_WAIT) &&
	       g_strcmp0(spt_capture_host(capture, "waits"), "calls") != 0;
}

/* Periods that were skipped to keep to the budget are like those that were not. */
static double periods_of_weight(const SptCapture *capture)
{
	SptSummary summary;
	double periods = 1;

	spt_summary_init(&summary, capture);
	if (summary.delivered && summary.budget)
		periods = (double)(summary.delivered + summary.budget) / (double)summary.delivered;
	spt_summary_clear(&summary);
	return periods;
}

/* What the spans of @processes say: cpus and ready.  Returns the time of the samples. */
static uint64_t find_spans(SptWall *wall, const SptCapture *capture, const bool *processes,
			   bool is_single, uint64_t until)
{
	g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(struct spt_item));
	uint64_t sampled, all, ran;

	/* One thread is never both, but its ticks reach into the time before it ran. */
	if (!is_single)
		add_samples(spans, capture, processes, until);
	ran = find_union(spans, &sampled);
	wall->cpus = ran ? MAX((double)sampled / (double)ran, 1) : 1;
	if (has_ready(capture)) {
		add_ready(spans, capture, processes);
		wall->ready =
			(double)(find_union(spans, &all) - ran) / (double)MAX(wall->wall_ns, 1);
	}
	return sampled;
}

/*
 * The kernel counts the time of children when they are waited for.  Where samples have more than
 * chance and the length of a tick explain, there were others.
 */
static double with_others(const SptCapture *capture, double ran_ns, uint64_t sampled_ns)
{
	double period_ns = (double)MAX(spt_capture_period_ns(capture), 1),
	       all_ns = (double)sampled_ns * periods_of_weight(capture),
	       chance_ns = 4 * sqrt(all_ns / period_ns) * period_ns;

	if (g_strcmp0(spt_capture_host(capture, "clock"), "pmu") == 0 ||
	    all_ns < 1.1 * ran_ns + chance_ns)
		return ran_ns;
	return all_ns;
}

/*
 * From the first to the last moment of process @pid that was recorded; false: there is none.  What
 * it was before it executed the command is a process of its own in the file.
 */
static bool find_life(const SptCapture *capture, uint64_t pid, uint64_t *ret_first,
		      uint64_t *ret_last)
{
	SptSummary summary;

	*ret_first = UINT64_MAX;
	*ret_last = 0;
	spt_summary_init(&summary, capture);
	for (uint32_t i = 1; i < capture->n_processes; i++) {
		const SptProcessRow *process = &capture->processes[i];
		uint64_t end = process->end_time ? process->end_time : summary.end_ns,
			 begin = MAX(process->start_time, summary.start_ns);

		if (!process->id || process->pid != pid || end <= begin)
			continue;
		*ret_first = MIN(*ret_first, begin);
		*ret_last = MAX(*ret_last, end);
	}
	spt_summary_clear(&summary);
	return *ret_last > 0;
}

/* @ready_ns: what the kernel counted for the first thread; 0: not known. */
static void tell(SptWall *wall, const SptCapture *capture, uint64_t pid, double ran_ns,
		 uint64_t wall_ns, uint64_t ready_ns)
{
	g_autofree bool *processes = spt_processes_below(capture, pid);
	bool is_single = count_threads(capture, processes) <= 1;
	uint64_t first, last;

	*wall = (SptWall){ .wall_ns = wall_ns, .ready = -1, .cpus = 1 };
	if (has_ready(capture) || !is_single) {
		if (!pid || !find_life(capture, pid, &first, &last))
			last = UINT64_MAX;
		ran_ns = with_others(capture, ran_ns,
				     find_spans(wall, capture, processes, is_single, last));
	} else if (ready_ns > 0) {
		wall->ready = (double)ready_ns / (double)MAX(wall_ns, 1);
	}
	wall->running = ran_ns / (double)MAX(wall_ns, 1) / wall->cpus;
	/* The resolution of ticks does not show better what was at the same time. */
	if (wall->running > 1) {
		wall->cpus *= wall->running;
		wall->running = 1;
	}
	wall->ready = MIN(wall->ready, 1 - wall->running);
	/* Threads that hardly run hardly meet. */
	if (!is_single && wall->running >= TURNS_RUNNING && wall->cpus < SPT_WALL_MANY &&
	    spt_command_fact(capture, "cpus") > 1)
		wall->turns = count_busy(capture, processes);
	if (wall->turns < 2)
		wall->turns = 0;
}

static bool tell_of_samples(SptWall *wall, const SptCapture *capture, uint64_t pid)
{
	g_autofree bool *processes = spt_processes_below(capture, pid);
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	uint64_t first, last, weight = 0;
	const SptSampleRow *row;
	uint32_t n;
	double ran_ns;

	/*
	 * Weights of a counter of the processor are no times, and several recordings, which have no
	 * grid together, are of other times.
	 */
	if (!find_life(capture, pid, &first, &last) ||
	    !spt_capture_host(capture, "grid_start") ||
	    g_strcmp0(spt_capture_host(capture, "clock"), "pmu") == 0)
		return false;
	while ((row = spt_samples_next(samples, &n)))
		for (; n > 0; n--, row++)
			if (processes[capture->threads[row->thread].process])
				weight += row->weight;
	ran_ns = (double)weight * (double)spt_capture_period_ns(capture) *
		 periods_of_weight(capture);
	tell(wall, capture, pid, ran_ns, last - first, 0);
	return true;
}

static bool find(SptWall *wall, const SptCapture *capture)
{
	uint64_t wall_ns = spt_command_fact(capture, "wall_ns"),
		 pid = spt_command_fact(capture, "command_pid");

	if (wall_ns > 0)
		tell(wall, capture, pid, (double)spt_command_fact(capture, "ran_ns"), wall_ns,
		     spt_command_fact(capture, "ready_ns"));
	return wall_ns > 0 || (pid > 0 && tell_of_samples(wall, capture, pid));
}

static gpointer make_wall(const SptCapture *capture, G_GNUC_UNUSED gpointer key)
{
	SptWall *wall = g_new0(SptWall, 1);

	if (!find(wall, capture))
		g_clear_pointer(&wall, g_free);
	return wall;
}

/* All samples are read for it, and several sentences need it. */
bool spt_wall_find(SptWall *wall, const SptCapture *capture)
{
	static const char key;
	const SptWall *kept = spt_capture_keep(capture, (gpointer)&key, make_wall, g_free);

	if (kept)
		*wall = *kept;
	return kept != NULL;
}

void spt_wall_of(SptWall *wall, const SptCapture *capture, uint64_t ran_ns, uint64_t wall_ns)
{
	tell(wall, capture, 0, (double)ran_ns, wall_ns, 0);
}
