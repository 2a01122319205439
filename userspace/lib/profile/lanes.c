/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data of lanes, sorted once: runs from the stream of switches, waits, and the list of threads.
 * The visible part is added up in lanes-picture.c.
 */
#include "profile/lanes.h"

#include <stdlib.h>

#include "base/words.h"
#include "capture/stream-rows.h"
#include "profile/events.h"
#include "profile/command.h"
#include "profile/row-walk.h"

uint32_t spt_lane_color(SptLaneKind kind)
{
	static const uint32_t colors[SPT_LANE_KINDS] = {
		[SPT_LANE_USER] = 0xe66100,	[SPT_LANE_KERNEL] = 0x3584e4,
		[SPT_LANE_RUNNABLE] = 0xf0c32c, [SPT_LANE_DISK] = 0xa347ba,
		[SPT_LANE_BLOCKED] = 0xa5a4a1,	[SPT_LANE_LOST] = 0xe01b24,
		[SPT_LANE_IRQ] = 0x1a5fb4,
	};

	return colors[kind];
}

const char *spt_lane_kind_name(SptLaneKind kind)
{
	static const char *const names[SPT_LANE_KINDS] = {
		[SPT_LANE_USER] = SPT_WORDS("user"),
		[SPT_LANE_KERNEL] = SPT_WORDS("kernel"),
		[SPT_LANE_IRQ] = SPT_WORDS("interrupts"),
		[SPT_LANE_RUNNABLE] = SPT_WORDS("runnable"),
		[SPT_LANE_DISK] = SPT_WORDS("disk wait"),
		[SPT_LANE_BLOCKED] = SPT_WORDS("blocked"),
		[SPT_LANE_LOST] = SPT_WORDS("lost"),
	};

	return names[kind];
}

SptLaneKind spt_lane_kind_of_state(uint8_t state)
{
	switch (state) {
	case SPT_STATE_PREEMPTED:
	case SPT_STATE_WOKEN:
	case SPT_STATE_NEW:
		return SPT_LANE_RUNNABLE;
	case SPT_STATE_DISK:
	case SPT_STATE_IOWAIT:
		return SPT_LANE_DISK;
	case SPT_STATE_SLEEP:
	case SPT_STATE_STOPPED:
	case SPT_STATE_LOCK:
	case SPT_STATE_OTHER:
		return SPT_LANE_BLOCKED;
	default:
		return SPT_LANE_KINDS;
	}
}

/* Runs. */

static int by_cpu(const void *a, const void *b)
{
	const SptLaneRow *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	/* The end of a gap is before the switch that is known again. */
	return (y->state == SPT_STATE_UNKNOWN) - (x->state == SPT_STATE_UNKNOWN);
}

static int by_thread(const void *a, const void *b)
{
	const SptLaneRun *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_cpu_of_run(const void *a, const void *b, void *data)
{
	const SptLaneRun *runs = data, *x = &runs[*(const uint64_t *)a],
			 *y = &runs[*(const uint64_t *)b];

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* The time of the last record: a thread that was not replaced runs until then. */
static uint64_t last_time(const SptLanes *lanes, const SptLaneRow *rows, uint64_t n_rows)
{
	uint64_t last = lanes->capture->n_samples ? lanes->capture->last_time : 0;

	for (uint64_t i = 0; i < n_rows; i++)
		last = MAX(last, rows[i].time);
	for (uint64_t i = 0; i < lanes->waits->n_waits; i++)
		last = MAX(last, lanes->waits->waits[i].time);
	return last;
}

static void order_by_cpu(SptLanes *lanes)
{
	uint32_t cpu = 0;

	lanes->run_order = g_new(uint64_t, MAX(lanes->n_runs, 1));
	for (uint64_t i = 0; i < lanes->n_runs; i++)
		lanes->run_order[i] = i;
	if (lanes->n_runs)
		qsort_r(lanes->run_order, lanes->n_runs, sizeof(*lanes->run_order), by_cpu_of_run,
			lanes->runs);
	lanes->cpu_first = g_new0(uint64_t, (size_t)lanes->n_cpus + 1);
	for (uint64_t i = 0; i < lanes->n_runs; i++)
		for (; cpu < lanes->runs[lanes->run_order[i]].cpu; cpu++)
			lanes->cpu_first[cpu + 1] = i;
	for (; cpu < lanes->n_cpus; cpu++)
		lanes->cpu_first[cpu + 1] = lanes->n_runs;
}

/* More CPUs than this are in damaged files only. */
#define MOST_CPUS 65536u

static void make_runs(SptLanes *lanes)
{
	uint64_t n, end;
	g_autofree SptLaneRow *rows = spt_stream_rows(lanes->capture, SPT_ROW_LANE, &n);

	if (n)
		qsort(rows, n, sizeof(*rows), by_cpu);
	end = last_time(lanes, rows, n);
	lanes->runs = g_new(SptLaneRun, MAX(n, 1));
	for (uint64_t i = 0; i < n && rows[i].cpu < MOST_CPUS; i++) {
		bool is_last = i + 1 == n || rows[i + 1].cpu != rows[i].cpu;
		uint8_t left = is_last ? SPT_STATE_RUNNING : rows[i + 1].state;

		lanes->n_cpus = rows[i].cpu + 1;
		if (rows[i].thread || left == SPT_STATE_UNKNOWN)
			lanes->runs[lanes->n_runs++] = (SptLaneRun){
				.begin = rows[i].time,
				.end = is_last ? end : rows[i + 1].time,
				.thread = rows[i].thread,
				.cpu = rows[i].cpu,
				.left = left,
			};
	}
	if (lanes->n_runs)
		qsort(lanes->runs, lanes->n_runs, sizeof(*lanes->runs), by_thread);
	order_by_cpu(lanes);
}

/* Threads and their processes. */

/* By thread of the capture: time that it ran or wanted to; UINT64_MAX: unknown. */
static uint64_t *find_busy(const SptLanes *lanes)
{
	uint32_t n = lanes->capture->n_threads;
	uint64_t *busy = g_new(uint64_t, (size_t)n + 1),
		 period_ns = MAX(spt_capture_period_ns(lanes->capture), 1);
	g_autoptr(SptRowWalk) walk = spt_row_walk_new(lanes->base, 0);
	const struct spt_base_row *row;

	for (uint32_t i = 0; i <= n; i++)
		busy[i] = UINT64_MAX;
	for (uint64_t i = 0; i < lanes->n_runs; i++) {
		const SptLaneRun *run = &lanes->runs[i];
		uint64_t ns = spt_lane_run_is_lost(run) ? 0 : run->end - run->begin;

		busy[run->thread] += ns + (busy[run->thread] == UINT64_MAX);
	}
	for (uint64_t i = 0; i < lanes->waits->n_waits; i++) {
		const SptWaitRow *wait = &lanes->waits->waits[i];

		busy[wait->thread] +=
			wait->time - spt_wait_woken(wait) + (busy[wait->thread] == UINT64_MAX);
	}
	/* Runs show better how long the thread ran. */
	while ((row = spt_row_walk_next(walk))) {
		uint64_t ns = lanes->n_cpus ? 0 : row->weight * period_ns;

		if (row->thread < n)
			busy[row->thread] += ns + (busy[row->thread] == UINT64_MAX);
	}
	return busy;
}

struct busy {
	uint64_t ns, process_ns;
	uint32_t thread, process; /* number in the capture */
	bool is_command; /* the process was started to be recorded, or by such a one */
};

static int busiest_first(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	if (x->is_command != y->is_command)
		return x->is_command ? -1 : 1;
	if (x->process_ns != y->process_ns)
		return x->process_ns > y->process_ns ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void add_thread(SptLanes *lanes, const struct busy *busy)
{
	SptLaneProcess *process =
		lanes->n_processes ? &lanes->processes[lanes->n_processes - 1] : NULL;

	if (!process || process->process != busy->process) {
		process = &lanes->processes[lanes->n_processes++];
		*process = (SptLaneProcess){ .process = busy->process,
					     .first = lanes->n_threads,
					     .busy_ns = busy->process_ns };
	}
	process->n++;
	lanes->lane_of[busy->thread] = lanes->n_threads;
	lanes->threads[lanes->n_threads++] = (SptLaneThread){
		.thread = busy->thread,
		.process = lanes->n_processes - 1,
		.busy_ns = busy->ns,
	};
}

static void make_threads(SptLanes *lanes)
{
	const SptCapture *capture = lanes->capture;
	g_autofree bool *of_command = spt_command_processes(capture);
	g_autofree uint64_t *busy = find_busy(lanes),
			    *process_ns = g_new0(uint64_t, (size_t)capture->n_processes + 1);
	g_autofree struct busy *rows = g_new0(struct busy, (size_t)capture->n_threads + 1);
	uint32_t n = 0;

	for (uint32_t i = 1; i < capture->n_threads; i++) {
		if (!capture->threads[i].id || busy[i] == UINT64_MAX)
			continue;
		rows[n++] = (struct busy){
			.thread = i,
			.process = capture->threads[i].process,
			.ns = busy[i],
			.is_command = of_command && of_command[capture->threads[i].process],
		};
		process_ns[capture->threads[i].process] += busy[i];
	}
	for (uint32_t i = 0; i < n; i++)
		rows[i].process_ns = process_ns[rows[i].process];
	qsort(rows, n, sizeof(*rows), busiest_first);
	lanes->begins_with_command = n && rows[0].is_command;
	lanes->processes = g_new0(SptLaneProcess, MAX(n, 1));
	lanes->threads = g_new0(SptLaneThread, MAX(n, 1));
	lanes->lane_of = g_new(uint32_t, (size_t)capture->n_threads + 1);
	for (uint32_t i = 0; i <= capture->n_threads; i++)
		lanes->lane_of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++)
		add_thread(lanes, &rows[i]);
	for (uint64_t i = 0; i < lanes->n_runs; i++) {
		uint32_t lane = lanes->lane_of[lanes->runs[i].thread];
		SptLaneThread *thread = &lanes->threads[lane];

		if (lane != UINT32_MAX && thread->n_runs++ == 0)
			thread->first_run = i;
	}
}

static int by_cpu_of_irq(gconstpointer a, gconstpointer b)
{
	const SptLaneIrq *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* Interrupts, and where there were none. */
static void find_interrupts(SptLanes *lanes)
{
	static const SptEventKind *const kinds[] = { &spt_event_irq, &spt_event_softirq,
						     &spt_event_irqs_off, NULL };
	g_autoptr(SptStreamReader) reader = NULL;
	const SptEventRow *rows;
	uint32_t n;

	lanes->offs = g_array_new(FALSE, FALSE, sizeof(SptLaneOff));
	lanes->irqs = g_array_new(FALSE, FALSE, sizeof(SptLaneIrq));
	if (!lanes->n_cpus || (!spt_events_are_in(lanes->capture, &spt_event_irq) &&
			       !spt_events_are_in(lanes->capture, &spt_event_irqs_off)))
		return;
	reader = spt_event_reader_new(lanes->capture, kinds);
	while ((rows = spt_stream_reader_next(reader, &n))) {
		for (const SptEventRow *row = rows; row < rows + n; row++) {
			const SptLaneOff off = { row->time - MIN(row->duration_ns, row->time),
						 row->time, row->cpu };
			const SptLaneIrq irq = { row->time, row->duration_ns, row->weight, row->cpu,
						 row->context == SPT_IN_IDLE };

			if (row->kind == spt_event_irqs_off.number)
				g_array_append_val(lanes->offs, off);
			else
				g_array_append_val(lanes->irqs, irq);
		}
	}
	g_array_sort(lanes->irqs, by_cpu_of_irq);
}

SptLanes *spt_lanes_new(const SptProfile *base)
{
	SptLanes *lanes = g_new0(SptLanes, 1);

	g_return_val_if_fail(base->metric->is_cpu && (base->sources || base->reread),
			     lanes);
	lanes->base = base;
	lanes->capture = base->capture;
	lanes->waits = spt_wait_index_new(base->capture);
	make_runs(lanes);
	make_threads(lanes);
	find_interrupts(lanes);
	return lanes;
}

void spt_lanes_free(SptLanes *lanes)
{
	if (!lanes)
		return;
	spt_wait_index_free(lanes->waits);
	g_free(lanes->processes);
	g_free(lanes->threads);
	g_free(lanes->lane_of);
	g_free(lanes->runs);
	g_free(lanes->run_order);
	g_free(lanes->cpu_first);
	if (lanes->offs)
		g_array_unref(lanes->offs);
	if (lanes->irqs)
		g_array_unref(lanes->irqs);
	g_free(lanes);
}

/* The state at a time. */

uint64_t spt_lanes_run_at(const SptLanes *lanes, const SptLaneThread *thread, uint64_t time)
{
	uint64_t low = thread->first_run, high = low + thread->n_runs;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (lanes->runs[middle].begin <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return MAX(low, thread->first_run + 1) - 1;
}

/* The last run of a lane that began at @time or before; NULL: none did. */
static const SptLaneRun *last_run(const SptLanes *lanes, const SptLaneThread *thread, uint64_t time)
{
	uint64_t at = spt_lanes_run_at(lanes, thread, time);

	return thread->n_runs && lanes->runs[at].begin <= time ? &lanes->runs[at] : NULL;
}

static const SptWaitRow *longest_wait(const SptLanes *lanes, uint32_t thread, uint64_t begin,
				      uint64_t end)
{
	const SptWaitRow *best = NULL;

	for (uint64_t i = spt_wait_index_after(lanes->waits, thread, begin);
	     i < lanes->waits->first[thread + 1]; i++) {
		const SptWaitRow *wait = &lanes->waits->waits[i];

		if (spt_wait_begin(wait) > end)
			break;
		if (!best || wait->duration_ns > best->duration_ns)
			best = wait;
	}
	return best;
}

bool spt_lanes_at(const SptLanes *lanes, uint32_t lane, uint64_t time, uint64_t near_ns,
		  SptLaneMoment *ret)
{
	const SptLaneThread *thread = &lanes->threads[lane];
	const SptWaitRow *wait =
		longest_wait(lanes, thread->thread, time - MIN(near_ns, time), time + near_ns);
	const SptLaneRun *run = last_run(lanes, thread, time);

	*ret = (SptLaneMoment){ 0 };
	if (wait) {
		*ret = (SptLaneMoment){ .begin = spt_wait_begin(wait),
					.end = wait->time,
					.state = wait->state,
					.wait = wait };
	} else if (run && time < run->end) {
		*ret = (SptLaneMoment){ .begin = run->begin,
					.end = run->end,
					.state = spt_lane_run_is_lost(run) ? run->left : 0,
					.run = spt_lane_run_is_lost(run) ? NULL : run };
	} else if (run && spt_lane_kind_of_state(run->left) != SPT_LANE_KINDS) {
		bool is_last =
			(uint64_t)(run - lanes->runs) + 1 == thread->first_run + thread->n_runs;

		*ret = (SptLaneMoment){ .begin = run->end,
					.end = is_last ? UINT64_MAX : run[1].begin,
					.state = run->left };
	}
	return ret->end != 0;
}

uint64_t spt_lanes_cpu_run_after(const SptLanes *lanes, uint32_t cpu, uint64_t time)
{
	uint64_t low = lanes->cpu_first[cpu], high = lanes->cpu_first[cpu + 1];

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (lanes->runs[lanes->run_order[middle]].end <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const SptLaneRun *spt_lanes_on_cpu(const SptLanes *lanes, uint32_t cpu, uint64_t time)
{
	uint64_t at = cpu < lanes->n_cpus ? spt_lanes_cpu_run_after(lanes, cpu, time) : 0;
	const SptLaneRun *run;

	if (cpu >= lanes->n_cpus || at == lanes->cpu_first[cpu + 1])
		return NULL;
	run = &lanes->runs[lanes->run_order[at]];
	return run->begin <= time ? run : NULL;
}
