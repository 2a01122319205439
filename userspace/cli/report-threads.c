/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --by thread --metric wall: the exact time of each thread by state.  A source of waits sums
 * up all threads, no matter which waits are picked.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* A column of the table; a value of 0 is printed as "-". */
struct column {
	const char *title;
	uint8_t first, last;		/* states; else value() */
	bool is_count;
	uint64_t (*value)(const SptThreadTime *time);
	bool is_extra;			/* no part of the wall time, nor that */
};

static uint64_t running_of(const SptThreadTime *time)
{
	return time->running_ns;
}

static uint64_t runnable_of(const SptThreadTime *time)
{
	return time->runnable_ns;
}

static uint64_t unknown_of(const SptThreadTime *time)
{
	return time->unknown_ns;
}

static uint64_t voluntary_of(const SptThreadTime *time)
{
	return time->row->voluntary;
}

static uint64_t involuntary_of(const SptThreadTime *time)
{
	return time->row->involuntary;
}

static uint64_t wakes_of(const SptThreadTime *time)
{
	return time->row->wakes;
}

static uint64_t longest_of(const SptThreadTime *time)
{
	return time->row->longest_ns;
}

static const struct column columns[] = {
	{ "Wall", .value = wall_of },
	{ "Running", .value = running_of },
	{ "Runnable", .value = runnable_of },
	{ "Sleeping", SPT_STATE_SLEEP, SPT_STATE_SLEEP, false, NULL, false },
	{ "Disk, I/O", SPT_STATE_DISK, SPT_STATE_IOWAIT, false, NULL, false },
	{ "Stopped", SPT_STATE_STOPPED, SPT_STATE_STOPPED, false, NULL, false },
	{ "Other", SPT_STATE_LOCK, SPT_STATE_OTHER, false, NULL, false },
	{ "Not known", .value = unknown_of },
	{ "Longest", .is_extra = true, .value = longest_of },
	{ "Voluntary", .is_count = true, .is_extra = true, .value = voluntary_of },
	{ "Preempted", .is_count = true, .is_extra = true, .value = involuntary_of },
	{ "Wakes", .is_count = true, .is_extra = true, .value = wakes_of },
};

#define COLUMN_WIDTH 10
#define NAME_LEAST   30
#define NAME_MOST    40

static uint64_t value_of(const struct column *column, const SptThreadTime *time)
{
	uint64_t ns = 0;

	if (column->value)
		return column->value(time);
	for (unsigned state = column->first; state <= column->last; state++)
		ns += time->row->ns[state];
	return ns;
}

static void print_value(const struct column *column, uint64_t value)
{
	g_autofree char *text = !value		? g_strdup("-") :
				column->is_count ? spt_format_count(value) :
						   spt_format_ns(value);

	printf(" %*s", spt_format_width(text, COLUMN_WIDTH - 1), text);
}

/* Where there is no room, the thread's number says enough: names may be there twice. */
static char *describe_thread(const struct spt_report *report, uint32_t thread, unsigned room)
{
	const SptProcessRow *process = spt_process_of_thread(report->capture, thread);
	unsigned tid = report->capture->threads[thread].tid;
	g_autofree char *name = spt_format_cut(name_of(report->capture, thread), 0);
	g_autofree char *whole = g_strdup_printf("%s (pid %u, tid %u)", name,
						 process ? process->pid : 0, tid);
	g_autofree char *number = g_strdup_printf(" (tid %u)", tid), *shown = NULL;

	if (!room || g_utf8_strlen(whole, -1) <= (glong)room)
		return g_steal_pointer(&whole);
	shown = spt_format_cut(name, room - MIN(room - 1, (unsigned)strlen(number)));
	return g_strconcat(shown, number, NULL);
}

static uint64_t sum_of(const struct column *column, const GArray *times)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < times->len; i++)
		sum += value_of(column, &g_array_index(times, SptThreadTime, i));
	return sum;
}

/* The largest part of the time that is not shown yet, and then the first of the others. */
static unsigned next_column(const uint64_t *sums, const bool *shown)
{
	unsigned best = G_N_ELEMENTS(columns);

	for (unsigned c = 0; c < G_N_ELEMENTS(columns); c++) {
		if (shown[c] || !sums[c])
			continue;
		if (best == G_N_ELEMENTS(columns) || (!columns[c].is_extra && sums[c] > sums[best]))
			best = c;
	}
	return best;
}

/*
 * Columns that have a value, as many as the line has room for: the wall time and its largest parts
 * matter most.
 */
static void choose_columns(const GArray *times, bool *ret_shown, unsigned *ret_name)
{
	unsigned width = spt_terminal_width(), n = 0, next,
		 most = width > NAME_LEAST ? (width - NAME_LEAST) / COLUMN_WIDTH :
					     G_N_ELEMENTS(columns);
	uint64_t sums[G_N_ELEMENTS(columns)];

	for (unsigned c = 0; c < G_N_ELEMENTS(columns); c++) {
		sums[c] = sum_of(&columns[c], times);
		ret_shown[c] = false;
	}
	while (n < most && (next = next_column(sums, ret_shown)) < G_N_ELEMENTS(columns)) {
		ret_shown[next] = true;
		n++;
	}
	*ret_name = width >= NAME_LEAST + n * COLUMN_WIDTH ?
			    MIN(width - n * COLUMN_WIDTH, NAME_MOST) :
			    NAME_MOST;
}

void spt_report_print_thread_times(const struct spt_report *report)
{
	bool shown[G_N_ELEMENTS(columns)];
	SptThreadTimeRow *rows;
	g_autoptr(GArray) times = find_times(report, &rows);
	unsigned name_columns;

	choose_columns(times, shown, &name_columns);

	printf("%s%-*s", spt_color(SPT_COLOR_TITLE), (int)name_columns, "Thread");
	for (unsigned c = 0; c < G_N_ELEMENTS(columns); c++)
		if (shown[c])
			printf(" %*s", COLUMN_WIDTH - 1, columns[c].title);
	printf("%s\n", spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < times->len; i++) {
		const SptThreadTime *time = &g_array_index(times, SptThreadTime, i);
		g_autofree char *name = describe_thread(report, time->row->thread, name_columns);

		printf("%s%*s", name,
		       (int)name_columns - (int)MIN(g_utf8_strlen(name, -1), name_columns), "");
		for (unsigned c = 0; c < G_N_ELEMENTS(columns); c++)
			if (shown[c])
				print_value(&columns[c], value_of(&columns[c], time));
		putchar('\n');
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
