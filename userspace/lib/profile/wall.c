/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time is the time that all threads ran together.  Where there are several, their samples show
 * how much of it was at the same time: each represents the periods before it, and their union is
 * the time in which any of them ran.  What waits for a CPU add to that union is the time in which
 * none ran, but one was ready to.
 */
#include "profile/wall.h"

#include "base/sort.h"
#include "capture/stream-rows.h"
#include "profile/command.h"
#include "profile/waits.h"

#define NS_PER_US 1000

static uint32_t count_threads(const SptCapture *capture, const bool *processes)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < capture->n_threads; i++)
		n += capture->threads[i].id && processes[capture->threads[i].process];
	return n;
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
	struct spt_item *sorted = g_memdup2(spans->data, n * sizeof(*sorted));
	struct spt_item *spare = g_new(struct spt_item, n);
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
	g_free(sorted);
	g_free(spare);
	return some;
}

static void add_samples(GArray *spans, const SptCapture *capture, const bool *processes)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	uint64_t period_ns = MAX(spt_capture_period_ns(capture), 1);
	const SptSampleRow *row;
	uint32_t n;

	while ((row = spt_samples_next(samples, &n)))
		for (; n > 0; n--, row++)
			if (processes[capture->threads[row->thread].process])
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

/* Waits of calls show nothing of the time before a thread gets a CPU. */
static bool has_ready(const SptCapture *capture)
{
	return spt_capture_has_stream(capture, SPT_ROW_WAIT) &&
	       g_strcmp0(spt_capture_host(capture, "waits"), "calls") != 0;
}

/* What the spans of @processes say: cpus and ready. */
static void find_spans(SptWall *wall, const SptCapture *capture, const bool *processes)
{
	g_autoptr(GArray) spans = g_array_new(FALSE, FALSE, sizeof(struct spt_item));
	uint64_t all, ran;

	add_samples(spans, capture, processes);
	ran = find_union(spans, &all);
	wall->cpus = ran ? MAX((double)all / (double)ran, 1) : 1;
	if (!has_ready(capture))
		return;
	add_ready(spans, capture, processes);
	wall->ready = (double)(find_union(spans, &all) - ran) / (double)MAX(wall->wall_ns, 1);
}

static void tell(SptWall *wall, const SptCapture *capture, uint64_t pid, uint64_t ran_ns,
		 uint64_t wall_ns)
{
	g_autofree bool *processes = spt_processes_below(capture, pid);

	*wall = (SptWall){ .wall_ns = wall_ns, .ready = -1, .cpus = 1 };
	if (has_ready(capture) || count_threads(capture, processes) > 1)
		find_spans(wall, capture, processes);
	wall->running = (double)ran_ns / (double)MAX(wall_ns, 1) / wall->cpus;
	/* The resolution of ticks does not show better what was at the same time. */
	if (wall->running > 1) {
		wall->cpus *= wall->running;
		wall->running = 1;
	}
	wall->ready = MIN(wall->ready, 1 - wall->running);
}

bool spt_wall_find(SptWall *wall, const SptCapture *capture)
{
	uint64_t wall_ns = spt_command_fact(capture, "wall_ns");

	if (wall_ns > 0)
		tell(wall, capture, spt_command_fact(capture, "command_pid"),
		     spt_command_fact(capture, "ran_ns"), wall_ns);
	return wall_ns > 0;
}

void spt_wall_of(SptWall *wall, const SptCapture *capture, uint64_t ran_ns, uint64_t wall_ns)
{
	tell(wall, capture, 0, ran_ns, wall_ns);
}
