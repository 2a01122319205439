/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --by thread --metric wall: the exact time of each thread by state.  A source of waits sums
 * up all threads, no matter which waits are picked.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cmd.h"
#include "events/facts.h"
#include "profile/selection.h"
#include "profile/waits.h"
#include "report-threads.h"

static uint64_t wall_of(const SptThreadTime *time)
{
	return time->row->time - time->row->since;
}

static const char *name_of(const SptCapture *capture, uint32_t thread)
{
	const char *name = capture->threads[thread].name;

	return name && *name ? name : spt_process_label(spt_process_of_thread(capture, thread));
}

static GArray *find_times(const struct spt_report *report, SptThreadTimeRow **ret_rows)
{
	GArray *times = spt_thread_times(report->capture, ret_rows);
	struct spt_selection selection;
	unsigned kept = 0;

	spt_selection_init(&selection, report->capture, report->filter);
	for (unsigned i = 0; i < times->len; i++) {
		const SptThreadTime *time = &g_array_index(times, SptThreadTime, i);

		if (!selection.threads || selection.threads[time->row->thread])
			g_array_index(times, SptThreadTime, kept++) = *time;
	}
	spt_selection_clear(&selection);
	g_array_set_size(times, MIN(kept, report->limit));
	return times;
}

bool spt_report_has_thread_times(const struct spt_report *report)
{
	const SptFilter *filter = report->filter;

	/* Sums have neither times nor stacks, and cover all CPUs. */
	return g_strcmp0(report->metric->name, "wall") == 0 &&
	       spt_capture_has_stream(report->capture, SPT_ROW_THREAD_TIME) &&
	       !spt_filter_is_about_stacks(filter) &&
	       (!filter || (!spt_filter_is_about_time(filter) && !filter->cpus));
}

static void print_ns(uint64_t ns)
{
	g_autofree char *text = spt_format_ns(ns);

	printf("%9s ", ns ? text : "-");
}

void spt_report_print_thread_times(const struct spt_report *report)
{
	static const struct {
		const char *title;
		uint8_t first, last;	/* states */
	} blocked[] = {
		{ "Sleeping", SPT_STATE_SLEEP, SPT_STATE_SLEEP },
		{ "Disk, I/O", SPT_STATE_DISK, SPT_STATE_IOWAIT },
		{ "Stopped", SPT_STATE_STOPPED, SPT_STATE_STOPPED },
		{ "Other", SPT_STATE_LOCK, SPT_STATE_OTHER },
	};
	SptThreadTimeRow *rows;
	g_autoptr(GArray) times = find_times(report, &rows);

	printf("%9s %9s %9s ", "Wall", "Running", "Runnable");
	for (unsigned i = 0; i < G_N_ELEMENTS(blocked); i++)
		printf("%9s ", blocked[i].title);
	printf("%9s %9s %9s %8s %9s  Thread\n", "Not known", "Voluntary", "Preempted", "Wakes",
	       "Longest");
	for (unsigned i = 0; i < times->len; i++) {
		const SptThreadTime *time = &g_array_index(times, SptThreadTime, i);
		const SptThreadTimeRow *row = time->row;
		const SptProcessRow *process =
			spt_process_of_thread(report->capture, row->thread);
		g_autofree char *name = spt_format_cut(name_of(report->capture, row->thread), 0);

		print_ns(wall_of(time));
		print_ns(time->running_ns);
		print_ns(time->runnable_ns);
		for (unsigned k = 0; k < G_N_ELEMENTS(blocked); k++) {
			uint64_t ns = 0;

			for (unsigned s = blocked[k].first; s <= blocked[k].last; s++)
				ns += row->ns[s];
			print_ns(ns);
		}
		print_ns(time->unknown_ns);
		printf("%9" PRIu64 " %9" PRIu64 " %8" PRIu64 " ", row->voluntary, row->involuntary,
		       row->wakes);
		print_ns(row->longest_ns);
		printf(" %s (pid %u, tid %u)\n", name, process ? process->pid : 0,
		       report->capture->threads[row->thread].tid);
	}
	g_free(rows);
}

static void add_states(SptJson *json, const SptThreadTimeRow *row)
{
	spt_json_array(json, "states");
	for (unsigned state = 0; state < SPT_THREAD_STATES; state++) {
		if (!row->ns[state])
			continue;
		spt_json_object(json, NULL);
		spt_json_text(json, "state", spt_wait_state_name(state));
		spt_json_count(json, "ns", row->ns[state]);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

void spt_report_add_thread_times(const struct spt_report *report, SptJson *json)
{
	SptThreadTimeRow *rows;
	g_autoptr(GArray) times = find_times(report, &rows);

	spt_json_array(json, "threads");
	for (unsigned i = 0; i < times->len; i++) {
		const SptThreadTime *time = &g_array_index(times, SptThreadTime, i);
		const SptThreadTimeRow *row = time->row;
		const SptProcessRow *process =
			spt_process_of_thread(report->capture, row->thread);

		spt_json_object(json, NULL);
		spt_json_text(json, "name", name_of(report->capture, row->thread));
		spt_json_count(json, "pid", process ? process->pid : 0);
		spt_json_count(json, "tid", report->capture->threads[row->thread].tid);
		spt_json_count(json, "wall_ns", wall_of(time));
		spt_json_count(json, "running_ns", time->running_ns);
		spt_json_count(json, "runnable_ns", time->runnable_ns);
		spt_json_count(json, "blocked_ns", time->blocked_ns);
		spt_json_count(json, "unknown_ns", time->unknown_ns);
		add_states(json, row);
		spt_json_count(json, "voluntary", row->voluntary);
		spt_json_count(json, "involuntary", row->involuntary);
		spt_json_count(json, "wakes", row->wakes);
		spt_json_count(json, "longest_ns", row->longest_ns);
		spt_json_flag(json, "whole", row->has_begin && row->has_end);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	g_free(rows);
}
