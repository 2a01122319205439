/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts that rows of reports share: columns of functions and objects, weights in JSON, and the
 * choice of shown rows.  Lines are cut only on a terminal.
 */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "profile/confidence.h"
#include "report-metric.h"
#include "report.h"

/* Up to the function's name. */
#define TABLE_HEAD_COLUMNS 31
#define OBJECT_MIN_COLUMNS 20
/* "12.34-56.78" */
#define RANGE_COLUMNS 12

const char *spt_report_object(const SptFunction *function)
{
	return function->is_process ? "(process)" : function->object;
}

/* Pads by columns; printf would count bytes. */
static void print_padded(const char *text, unsigned columns)
{
	glong used = g_utf8_strlen(text, -1);

	fputs(text, stdout);
	for (glong i = used; i < (glong)columns; i++)
		putchar(' ');
}

void spt_report_print_share(double percent, int columns)
{
	printf("%s%*.2f%s  ", spt_color_of(percent), columns, percent, spt_color(SPT_COLOR_OFF));
}

static SptRange range_of(const struct spt_report *report, uint64_t weight, uint64_t whole)
{
	/* Some samples have no weight in @whole. */
	double of_all = spt_percent(whole, spt_profile_total(report->profile)) / 100;

	return spt_chance_range(spt_percent(weight, whole) / 100, of_all * report->n_independent);
}

unsigned spt_report_part_columns(const struct spt_report *report)
{
	return report->has_confidence ? RANGE_COLUMNS + 2 : 0;
}

void spt_report_print_part_head(const struct spt_report *report, const char *text, int columns)
{
	printf("%*s  ", columns, text);
	if (report->has_confidence)
		printf("%-" G_STRINGIFY(RANGE_COLUMNS) "s  ", "95 % CI");
}

void spt_report_print_part(const struct spt_report *report, uint64_t weight, uint64_t whole,
			   int columns)
{
	SptRange range;
	g_autofree char *text = NULL;

	spt_report_print_share(spt_percent(weight, whole), columns);
	if (!report->has_confidence)
		return;
	range = range_of(report, weight, whole);
	text = g_strdup_printf("%.2f-%.2f", 100 * range.low, 100 * range.high);
	printf("%s%-" G_STRINGIFY(RANGE_COLUMNS) "s%s  ", spt_color(SPT_COLOR_FAINT), text,
	       spt_color(SPT_COLOR_OFF));
}

void spt_report_add_range(const struct spt_report *report, SptJson *json, const char *key,
			  uint64_t weight)
{
	SptRange range;

	if (!report->has_confidence)
		return;
	range = range_of(report, weight, spt_profile_total(report->profile));
	spt_json_array(json, key);
	spt_json_number(json, NULL, 100 * range.low);
	spt_json_number(json, NULL, 100 * range.high);
	spt_json_end_array(json);
}

void spt_report_print_names_head(unsigned name_columns)
{
	print_padded("Function", name_columns);
	printf("  Object%s\n", spt_color(SPT_COLOR_OFF));
}

void spt_report_print_names(const SptFunction *function, unsigned width, unsigned name_columns)
{
	unsigned left = width > TABLE_HEAD_COLUMNS ? width - TABLE_HEAD_COLUMNS : 0;
	g_autofree char *name = spt_format_name("", function->name, "", left ? name_columns : 0);
	g_autofree char *object =
		spt_format_cut(spt_report_object(function), left ? left - name_columns - 2 : 0);

	fputs(function->is_kernel ? spt_color(SPT_COLOR_KERNEL) : "", stdout);
	print_padded(name, name_columns);
	printf("%s  %s%s%s\n", function->is_kernel ? spt_color(SPT_COLOR_OFF) : "",
	       spt_color(SPT_COLOR_FAINT), object, spt_color(SPT_COLOR_OFF));
}

unsigned spt_report_fit_names(const SptFunction *functions, const uint32_t *shown, unsigned n,
			      unsigned width)
{
	unsigned longest = strlen("Function");

	for (unsigned i = 0; i < n; i++) {
		g_autofree char *name = spt_format_cut(functions[shown[i]].name, 0);

		longest = MAX(longest, MIN(g_utf8_strlen(name, -1), 60));
	}
	if (width > TABLE_HEAD_COLUMNS + OBJECT_MIN_COLUMNS + 10)
		longest = MIN(longest, width - TABLE_HEAD_COLUMNS - OBJECT_MIN_COLUMNS);
	return longest;
}

unsigned spt_report_width(void)
{
	unsigned width = spt_terminal_width();

	/* The terminal is too narrow for columns: lines wrap. */
	return width > TABLE_HEAD_COLUMNS + OBJECT_MIN_COLUMNS + 10 ? width : 0;
}

GArray *spt_report_list_functions(struct spt_report *report, const uint32_t *order,
				  const SptProfile *also)
{
	uint32_t n, n_also = 0;
	const SptFunction *functions = spt_profile_functions(report->profile, &n);
	const SptFunction *others = also ? spt_profile_functions(also, &n_also) : NULL;
	uint64_t all = spt_profile_total(report->profile);
	GArray *shown = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (uint32_t i = 0; i < n; i++) {
		const SptFunction *function = &functions[order[i]];
		bool is_of_other = order[i] < n_also && others[order[i]].total > 0;

		if (function->is_process || (function->total == 0 && !is_of_other) ||
		    spt_percent(function->total, all) < report->min_percent)
			continue;
		if (shown->len < report->limit)
			g_array_append_val(shown, order[i]);
		else
			report->n_more++;
	}
	return shown;
}

unsigned spt_report_n_shown(struct spt_report *report, const GArray *rows, size_t offset)
{
	size_t size = g_array_get_element_size((GArray *)rows);
	uint64_t all = spt_profile_total(report->profile);
	unsigned n = rows->len;

	while (n > 0 && spt_percent(*(uint64_t *)(rows->data + (n - 1) * size + offset), all) <
				report->min_percent)
		n--;
	report->n_more = n - MIN(n, report->limit);
	return n - report->n_more;
}

void spt_report_add(const struct spt_report *report, SptJson *json, const char *key,
		    uint64_t weight)
{
	spt_metric_add(json, key, report->metric, report->capture, weight);
}

void spt_report_add_weight(const struct spt_report *report, SptJson *json, uint64_t weight)
{
	spt_report_add(report, json, "weight", weight);
	spt_json_number(json, "pct", spt_percent(weight, spt_profile_total(report->profile)));
	spt_report_add_range(report, json, "pct_range", weight);
}
