/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --counters: what the values of each counter were at least, at most, and in the mean. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "profile/counter-label.h"
#include "profile/selection.h"
#include "report-fields.h"
#include "report-rates.h"
#include "report.h"

struct counter_sums {
	const SptDeclared *kind;
	unsigned field;
	uint32_t thread;		/* of the last value; 0: none */
	uint64_t n;
	double least, most, last;
	double weight, weighted;	/* each value by its weight */
};

static void add_value(struct counter_sums *sums, uint32_t thread, double value, double weight)
{
	sums->least = sums->n ? MIN(sums->least, value) : value;
	sums->most = sums->n ? MAX(sums->most, value) : value;
	sums->last = value;
	sums->thread = thread;
	sums->weight += weight;
	sums->weighted += weight * value;
	sums->n++;
}

static double mean_of(const struct counter_sums *sums)
{
	return sums->weight > 0 ? sums->weighted / sums->weight : sums->last;
}

/* The numbers of a counter are rows of their own. */
static void sum_counter(const struct spt_report *report, const SptDeclared *kind, GArray *found)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(report->capture, kind);
	struct counter_sums sums[SPT_DECLARED_FIELDS] = { { 0 } };
	struct spt_selection selection;
	const SptDeclaredRow *rows;
	struct spt_rates rates;
	uint32_t n;

	spt_rates_init(&rates, report, kind);
	spt_selection_init(&selection, report->capture, report->filter);
	while ((rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n; i++) {
			spt_rates_see(&rates, rows[i].time);
			if (!spt_selection_has_time(&selection, rows[i].thread, rows[i].time) ||
			    !spt_selection_has_place(&selection, rows[i].thread, rows[i].cpu))
				continue;
			for (unsigned k = 0; k < kind->n_fields; k++)
				add_value(&sums[k], rows[i].thread,
					  spt_value_real(&kind->fields[k], rows[i].values[k]),
					  spt_rates_weight(&rates, &kind->fields[k]));
		}
	spt_selection_clear(&selection);
	for (unsigned k = 0; k < kind->n_fields; k++) {
		sums[k].kind = kind;
		sums[k].field = k;
		if (sums[k].n && spt_value_type_adds_up(kind->fields[k].type))
			g_array_append_val(found, sums[k]);
	}
}

static int compare_counters(gconstpointer a, gconstpointer b)
{
	const struct counter_sums *x = a, *y = b;
	int by_name = g_strcmp0(x->kind->name, y->kind->name);

	return by_name ? by_name : (int)x->field - (int)y->field;
}

static bool find_counters(struct spt_report *report)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(struct counter_sums));
	const SptDeclared *kind;
	bool is_there = false;

	report->found = found;
	for (unsigned i = 0; (kind = spt_declared(report->capture, i)); i++) {
		if (kind->shape != SPT_DECLARED_COUNTER)
			continue;
		is_there = true;
		sum_counter(report, kind, found);
	}
	g_array_sort(found, compare_counters);
	report->n_more = found->len - MIN(found->len, report->limit);
	if (!is_there)
		spt_cli_complain("%s has no counters: \"" SPT_CLI " record --counters\" records some",
				 report->capture->path);
	else if (found->len == 0)
		spt_cli_complain("%s has no counters that meet the conditions; remove some of them",
				 report->capture->path);
	return found->len > 0;
}

static char *level_text(const SptDeclaredField *field, double value)
{
	const SptDeclaredField real = { field->name, field->unit, SPT_VALUE_F64 };

	if (strcmp(field->unit, "bytes/s") == 0) {
		g_autofree char *bytes = spt_format_bytes((uint64_t)value);

		return g_strconcat(bytes, "/s", NULL);
	}
	if (field->type == SPT_VALUE_NS || field->type == SPT_VALUE_BYTES)
		return spt_report_value_text(field, (SptValue){ .number = (uint64_t)value });
	return spt_report_value_text(&real, (SptValue){ .real = value });
}

static void print_counter(const SptCapture *capture, const struct counter_sums *sums)
{
	const SptDeclaredField *field = &sums->kind->fields[sums->field];
	g_autofree char *least = level_text(field, sums->least),
			*mean = level_text(field, mean_of(sums)),
			*most = level_text(field, sums->most),
			*last = level_text(field, sums->last),
			*label = spt_counter_label(capture, sums->kind, sums->thread);

	printf("%14s  %14s  %14s  %14s  %s%s%s\n", least, mean, most, last,
	       label ? label : sums->kind->name,
	       sums->kind->n_fields > 1 ? ": " : "", sums->kind->n_fields > 1 ? field->name : "");
}

static void print_counters(const struct spt_report *report)
{
	const GArray *found = report->found;

	printf("%s%14s  %14s  %14s  %14s  Counter%s\n", spt_color(SPT_COLOR_TITLE), "Least", "Mean",
	       "Most", "Last", spt_color(SPT_COLOR_OFF));
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++)
		print_counter(report->capture, &g_array_index(found, struct counter_sums, i));
}

static void add_counters(const struct spt_report *report, SptJson *json)
{
	const GArray *found = report->found;

	spt_json_text(json, "file", report->capture->path);
	spt_json_array(json, "counters");
	for (unsigned i = 0; i < MIN(found->len, report->limit); i++) {
		const struct counter_sums *sums = &g_array_index(found, struct counter_sums, i);
		const SptDeclaredField *field = &sums->kind->fields[sums->field];
		g_autofree char *label =
			spt_counter_label(report->capture, sums->kind, sums->thread);

		spt_json_object(json, NULL);
		spt_json_text(json, "name", sums->kind->name);
		if (label)
			spt_json_text(json, "label", label);
		spt_json_text(json, "field", field->name);
		spt_json_text(json, "unit", field->type == SPT_VALUE_BYTES ? "bytes" : field->unit);
		spt_json_count(json, "count", sums->n);
		spt_json_number(json, "least", sums->least);
		spt_json_number(json, "mean", mean_of(sums));
		spt_json_number(json, "most", sums->most);
		spt_json_number(json, "last", sums->last);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_counters = {
	.option = { "counters", 0, 0, G_OPTION_ARG_NONE, NULL,
		    "The values of each counter of the recording", NULL },
	.of = SPT_REPORT_OF_SAMPLES,
	.find = find_counters,
	.text = print_counters,
	.json = add_counters,
	.clear = (GDestroyNotify)g_array_unref,
};
