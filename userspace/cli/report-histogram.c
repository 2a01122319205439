/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --histogram: how long marks of a name took, and what their threads did meanwhile. */
#include <stdio.h>

#include "base/percent.h"
#include "cmd.h"
#include "profile/mark-times.h"
#include "report.h"

#define BAR 30

static bool find_times(struct spt_report *report)
{
	const SptMarkQuery query = { .name = report->value.text,
				     .least_ns = report->least_ns,
				     .filter = report->filter };
	SptMarkTimes *times = report->found = g_new(SptMarkTimes, 1);

	spt_mark_times(report->capture, &query, times);
	if (!times->all.n)
		spt_cli_complain("%s has no mark \"%s\" that meets the conditions; \"report --marks\" lists its marks",
				 report->capture->path, report->value.text);
	return times->all.n;
}

static void print_parts(const SptMarkTimes *times, const SptMarkStep *step)
{
	uint64_t all = spt_mark_step_of_threads(step);

	if (times->has_waits)
		printf("  %5.1f %%  %5.1f %%  %5.1f %%  %5.1f %%",
		       spt_percent(step->running_ns, all), spt_percent(step->runnable_ns, all),
		       spt_percent(step->blocked_ns, all), spt_percent(step->disk_ns, all));
}

static void print_step(const SptMarkTimes *times, const SptMarkStep *step, uint64_t most)
{
	unsigned bar = step->n ? (unsigned)MAX(step->n * BAR / most, 1) : 0;
	g_autofree char *n = spt_format_count(step->n), *from = spt_format_ns(step->from_ns),
			*sum = spt_format_ns(step->sum_ns), *line = g_strnfill(bar, '#');

	printf("%*s  %10s  %*s", spt_format_width(from, 9), from, n, spt_format_width(sum, 9), sum);
	print_parts(times, step);
	printf("  %s\n", line);
}

static void print_times(const struct spt_report *report)
{
	const SptMarkTimes *times = report->found;
	unsigned first = 0, last = SPT_MARK_STEPS - 1;
	uint64_t most = 1;
	g_autofree char *n = spt_format_count(times->all.n),
			*sum = spt_format_ns(times->all.sum_ns);

	while (first < last && !times->steps[first].n)
		first++;
	while (last > first && !times->steps[last].n)
		last--;
	for (unsigned i = first; i <= last; i++)
		most = MAX(most, times->steps[i].n);
	printf("%s%9s  %10s  %9s%s%s\n", spt_color(SPT_COLOR_TITLE), "From", "Count", "Total",
	       times->has_waits ? "  Running  Runnable  Blocked  Disk   " : "",
	       spt_color(SPT_COLOR_OFF));
	for (unsigned i = first; i <= last; i++)
		print_step(times, &times->steps[i], most);
	printf("%9s  %10s  %9s", "all", n, sum);
	print_parts(times, &times->all);
	putchar('\n');
}

static void add_step(SptJson *json, const SptMarkTimes *times, const SptMarkStep *step)
{
	spt_json_count(json, "count", step->n);
	spt_json_count(json, "sum_ns", step->sum_ns);
	if (!times->has_waits)
		return;
	spt_json_count(json, "running_ns", step->running_ns);
	spt_json_count(json, "runnable_ns", step->runnable_ns);
	spt_json_count(json, "blocked_ns", step->blocked_ns);
	spt_json_count(json, "disk_ns", step->disk_ns);
}

static void add_times(const struct spt_report *report, SptJson *json)
{
	const SptMarkTimes *times = report->found;

	spt_json_text(json, "file", report->capture->path);
	spt_json_text(json, "mark", report->value.text);
	add_step(json, times, &times->all);
	spt_json_array(json, "steps");
	for (unsigned i = 0; i < SPT_MARK_STEPS; i++) {
		if (!times->steps[i].n)
			continue;
		spt_json_object(json, NULL);
		spt_json_count(json, "from_ns", times->steps[i].from_ns);
		spt_json_count(json, "below_ns", times->steps[i].below_ns);
		add_step(json, times, &times->steps[i]);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_histogram = {
	.option = { "histogram", 0, 0, G_OPTION_ARG_STRING, NULL,
		    "How long marks of this name took, in steps, and what their threads did meanwhile",
		    "MARK" },
	.of = SPT_REPORT_OF_SAMPLES,
	.find = find_times,
	.text = print_times,
	.json = add_times,
	.clear = g_free,
};
