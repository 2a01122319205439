/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --marks: how often, and how long, what programs have marked took. */
#include <stdio.h>

#include "cmd.h"
#include "profile/marks.h"
#include "report.h"

static bool find_marks(struct spt_report *report)
{
	const SptMarkQuery query = { .least_ns = report->least_ns, .filter = report->filter };
	SptMarksBy by = SPT_MARKS_BY_NAME;
	GArray *found;

	if (report->by && !spt_marks_find_by(report->by, &by)) {
		spt_cli_complain("--marks --by takes name, category, thread or process, not \"%s\"",
				 report->by);
		return false;
	}
	if (!spt_marks_are_in(report->capture)) {
		spt_cli_complain("%s has no marks: the programs that were recorded made none (man sysprof-marks)",
				 report->capture->path);
		return false;
	}
	report->found = found = spt_marks_sums(report->capture, &query, by);
	report->n_more = found->len - MIN(found->len, report->limit);
	if (found->len == 0)
		spt_cli_complain("%s has no marks that meet the conditions; remove some of them",
				 report->capture->path);
	return found->len > 0;
}

static void print_row(const SptMarkSums *sums)
{
	g_autofree char *n = spt_format_count(sums->n), *sum = spt_format_took(sums->sum_ns),
			*least = spt_format_took(sums->least_ns),
			*mean = spt_format_took(sums->sum_ns / sums->n),
			*median = spt_format_took(sums->median_ns),
			*p99 = spt_format_took(sums->p99_ns),
			*most = spt_format_took(sums->most_ns),
			*name = spt_format_cut(sums->name, 0),
			*category = spt_format_cut(sums->category, 0);

	const char *const times[] = { sum, least, mean, median, p99, most };

	printf("%10s", n);
	for (unsigned i = 0; i < G_N_ELEMENTS(times); i++)
		printf("  %*s", spt_format_width(times[i], 9), times[i]);
	printf("  %s", name);
	if (*category)
		printf("  %s%s%s", spt_color(SPT_COLOR_FAINT), category, spt_color(SPT_COLOR_OFF));
	putchar('\n');
}

static void print_marks(const struct spt_report *report)
{
	const GArray *found = report->found;

	printf("%s%10s  %9s  %9s  %9s  %9s  %9s  %9s  %s%s%s\n",
	       spt_color(SPT_COLOR_TITLE), "Count", "Total", "Least", "Mean", "Median", "99 %",
	       "Most", report->by ? "By " : "Mark", report->by ? report->by : "",
	       spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++)
		print_row(&g_array_index(found, SptMarkSums, i));
}

static void add_marks(const struct spt_report *report, SptJson *json)
{
	const GArray *found = report->found;

	spt_json_text(json, "file", report->capture->path);
	if (report->by)
		spt_json_text(json, "by", report->by);
	spt_json_array(json, "marks");
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const SptMarkSums *sums = &g_array_index(found, SptMarkSums, i);

		spt_json_object(json, NULL);
		spt_json_text(json, "name", sums->name);
		spt_json_text(json, "category", sums->category);
		spt_json_count(json, "count", sums->n);
		spt_json_count(json, "sum_ns", sums->sum_ns);
		spt_json_count(json, "least_ns", sums->least_ns);
		spt_json_count(json, "mean_ns", sums->sum_ns / sums->n);
		spt_json_count(json, "median_ns", sums->median_ns);
		spt_json_count(json, "p99_ns", sums->p99_ns);
		spt_json_count(json, "most_ns", sums->most_ns);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_marks = {
	.option = { "marks", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "How often, and how long, what programs have marked took; also --by category, thread or process",
		    NULL },
	.of = SPT_REPORT_OF_SAMPLES,
	.find = find_marks,
	.text = print_marks,
	.json = add_marks,
	.clear = (GDestroyNotify)g_array_unref,
};
