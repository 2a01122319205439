/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --events: the events of a declared kind, one by one, and what their numbers are like. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cmd.h"
#include "profile/declared.h"
#include "profile/selection.h"
#include "profile/sentences.h"
#include "report-fields.h"
#include "report-rates.h"
#include "report.h"

/* Of a field that has numbers. */
struct statistics {
	double least, most, sum;
	double weight, weighted;	/* each number by its weight */
};

struct events {
	const SptDeclared *kind;
	uint64_t n;			/* events that meet the conditions */
	struct statistics fields[SPT_DECLARED_FIELDS], duration;
	GArray *durations;		/* uint64_t, sorted */
	struct spt_rates rates;		/* of a counter */
};

typedef void (*event_func)(const struct spt_report *report, const SptDeclaredRow *row, void *data);

/*
 * Calls @func with at most @limit of the events that are selected.  @rates: NULL, or those of the
 * counter that they are of.
 */
static void each_event(const struct spt_report *report, const SptDeclared *kind, uint64_t limit,
		       struct spt_rates *rates, event_func func, void *data)
{
	g_autoptr(SptDeclaredReader) reader = spt_declared_reader_new(report->capture, kind);
	struct spt_selection selection;
	const SptDeclaredRow *rows;
	uint32_t n;

	spt_selection_init(&selection, report->capture, report->filter);
	while (limit && (rows = spt_declared_reader_next(reader, &n)))
		for (uint32_t i = 0; i < n && limit; i++) {
			if (rates)
				spt_rates_see(rates, rows[i].time);
			if (!spt_selection_has_time(&selection, rows[i].thread, rows[i].time) ||
			    !spt_selection_has_place(&selection, rows[i].thread, rows[i].cpu) ||
			    !spt_declared_meets(kind, &rows[i], report->conditions,
						report->n_conditions))
				continue;
			func(report, &rows[i], data);
			limit--;
		}
	spt_selection_clear(&selection);
}

static void add_number(struct statistics *statistics, double value, double weight, bool is_first)
{
	statistics->least = is_first ? value : MIN(statistics->least, value);
	statistics->most = is_first ? value : MAX(statistics->most, value);
	statistics->sum += value;
	statistics->weight += weight;
	statistics->weighted += weight * value;
}

static void count_event(G_GNUC_UNUSED const struct spt_report *report, const SptDeclaredRow *row,
			void *data)
{
	struct events *events = data;
	bool is_counter = events->kind->shape == SPT_DECLARED_COUNTER;

	for (unsigned i = 0; i < events->kind->n_fields; i++) {
		const SptDeclaredField *field = &events->kind->fields[i];

		add_number(&events->fields[i], spt_value_real(field, row->values[i]),
			   is_counter ? spt_rates_weight(&events->rates, field) : 1,
			   events->n == 0);
	}
	add_number(&events->duration, (double)row->duration_ns, 1, events->n == 0);
	g_array_append_val(events->durations, row->duration_ns);
	events->n++;
}

static int compare_durations(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The duration that @per_cent of the events do not exceed. */
static uint64_t duration_at(const struct events *events, unsigned per_cent)
{
	uint64_t n = events->durations->len;

	return n ? g_array_index(events->durations, uint64_t, (n * per_cent + 99) / 100 - 1) : 0;
}

static double statistics_mean(const struct events *events, const struct statistics *statistics)
{
	return statistics->weight > 0 ? statistics->weighted / statistics->weight :
					statistics->sum / (double)events->n;
}

static void clear(gpointer data)
{
	struct events *events = data;

	g_array_unref(events->durations);
	g_free(events);
}

static bool find(struct spt_report *report)
{
	const SptDeclared *kind = spt_declared_find(report->capture, report->value.text);
	struct events *events = g_new0(struct events, 1);

	report->found = events;
	events->kind = kind;
	events->durations = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	if (kind->shape == SPT_DECLARED_COUNTER)
		spt_rates_init(&events->rates, report, kind);
	each_event(report, kind, UINT64_MAX, &events->rates, count_event, events);
	g_array_sort(events->durations, compare_durations);
	report->n_more = (unsigned)MIN(events->n - MIN(events->n, report->limit), UINT_MAX);
	if (events->n == 0 && kind->rows > 0)
		spt_cli_complain("%s has no events \"%s\" that meet the conditions; remove some of them",
				 report->capture->path, kind->name);
	return events->n > 0 || kind->rows == 0;
}

/* A number that is not one of the events', in the unit of the field. */
static char *number_text(const SptDeclaredField *field, double value)
{
	const SptDeclaredField real = { field->name, field->unit, SPT_VALUE_F64 };

	if (field->type == SPT_VALUE_NS || field->type == SPT_VALUE_BYTES)
		return spt_report_value_text(field, (SptValue){ .number = (uint64_t)value });
	return spt_report_value_text(&real, (SptValue){ .real = value });
}

static void print_statistics(const struct events *events, const SptDeclaredField *field,
			     const struct statistics *statistics)
{
	g_autofree char *least = number_text(field, statistics->least),
			*mean = number_text(field, statistics_mean(events, statistics)),
			*most = number_text(field, statistics->most),
			*sum = number_text(field, statistics->sum);

	printf("%s: %s to %s, mean %s", field->name, least, most, mean);
	if (events->kind->shape == SPT_DECLARED_COUNTER)
		putchar('\n');
	else
		printf(", sum %s\n", sum);
}

static void print_event(const struct spt_report *report, const SptDeclaredRow *row, void *data)
{
	const struct events *events = data;
	const SptThreadRow *thread = &report->capture->threads[row->thread];
	const SptProcessRow *process = spt_process_of_thread(report->capture, row->thread);
	g_autofree char *name = spt_format_cut(spt_process_label(process), 16);
	g_autofree char *duration = spt_format_took(row->duration_ns);
	g_autoptr(GString) line = g_string_new(NULL);

	printf("%11.6f  ", ((double)row->time - (double)report->summary->start_ns) / 1e9);
	if (events->kind->shape == SPT_DECLARED_INTERVAL)
		printf("%*s  ", spt_format_width(duration, 10), duration);
	if (row->thread)
		g_string_append_printf(line, "%s (%u)", name, thread->tid);
	printf("%-24s", line->str);
	for (unsigned i = 0; i < events->kind->n_fields; i++) {
		g_autofree char *value = spt_report_value_text(&events->kind->fields[i],
							       row->values[i]);

		printf("  %s=%s", events->kind->fields[i].name, value);
	}
	putchar('\n');
}

/* As of a metric of the kind. */
static void print_lost(const SptCapture *capture, const SptDeclared *kind)
{
	const SptMetric *metric = spt_declared_metric(capture, kind->name, NULL);
	g_autofree char *lost = metric ? spt_sentences_lost(metric, capture) : NULL;

	if (lost)
		puts(lost);
}

static void print_text(const struct spt_report *report)
{
	static const SptDeclaredField duration = { "duration", "", SPT_VALUE_NS };
	const struct events *events = report->found;
	const SptDeclared *kind = events->kind;
	bool is_interval = kind->shape == SPT_DECLARED_INTERVAL;
	g_autofree char *n = spt_format_count(events->n);

	printf("%s: %s %s\n", kind->title, n, events->n == 1 ? "event" : "events");
	print_lost(report->capture, kind);
	if (events->n == 0)
		return;
	if (is_interval) {
		g_autofree char *half = spt_format_ns(duration_at(events, 50));
		g_autofree char *most = spt_format_ns(duration_at(events, 99));

		print_statistics(events, &duration, &events->duration);
		printf("duration: half of them up to %s, 99 %% up to %s\n", half, most);
	}
	for (unsigned i = 0; i < kind->n_fields; i++)
		if (spt_value_type_adds_up(kind->fields[i].type))
			print_statistics(events, &kind->fields[i], &events->fields[i]);
	printf("\n%s%11s  %s%-24s  Fields%s\n", spt_color(SPT_COLOR_TITLE), "Time",
	       is_interval ? "  Duration  " : "", "Thread", spt_color(SPT_COLOR_OFF));
	each_event(report, kind, report->limit, NULL, print_event, (void *)events);
}

static void add_value(SptJson *json, const SptDeclaredField *field, SptValue value)
{
	switch (field->type) {
	case SPT_VALUE_TEXT:
		spt_json_text(json, field->name, value.text);
		break;
	case SPT_VALUE_I64:
		spt_json_signed(json, field->name, value.integer);
		break;
	case SPT_VALUE_F64:
		spt_json_number(json, field->name, value.real);
		break;
	default:
		spt_json_count(json, field->name, value.number);
	}
}

static void add_event(const struct spt_report *report, const SptDeclaredRow *row, void *data)
{
	const SptDeclared *kind = ((const struct events *)report->found)->kind;
	const SptProcessRow *process = spt_process_of_thread(report->capture, row->thread);
	SptJson *json = data;

	spt_json_object(json, NULL);
	spt_json_count(json, "time_ns", row->time);
	spt_json_count(json, "duration_ns", row->duration_ns);
	spt_json_count(json, "cpu", row->cpu);
	spt_json_count(json, "pid", process ? process->pid : 0);
	spt_json_count(json, "tid", report->capture->threads[row->thread].tid);
	spt_json_object(json, "fields");
	for (unsigned i = 0; i < kind->n_fields; i++)
		add_value(json, &kind->fields[i], row->values[i]);
	spt_json_end_object(json);
	spt_json_end_object(json);
}

static void add_statistics(SptJson *json, const struct events *events,
			   const struct statistics *statistics)
{
	if (events->n == 0)
		return;
	spt_json_number(json, "least", statistics->least);
	spt_json_number(json, "most", statistics->most);
	spt_json_number(json, "mean", statistics_mean(events, statistics));
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	const struct events *events = report->found;
	const SptDeclared *kind = events->kind;

	spt_json_text(json, "file", report->capture->path);
	spt_json_text(json, "events", kind->name);
	spt_json_text(json, "title", kind->title);
	spt_json_text(json, "shape", spt_declared_shape_name(kind->shape));
	spt_json_count(json, "count", events->n);
	spt_json_object(json, "duration_ns");
	add_statistics(json, events, &events->duration);
	spt_json_count(json, "median", duration_at(events, 50));
	spt_json_count(json, "p99", duration_at(events, 99));
	spt_json_end_object(json);
	spt_json_array(json, "fields");
	for (unsigned i = 0; i < kind->n_fields; i++) {
		spt_json_object(json, NULL);
		spt_json_text(json, "name", kind->fields[i].name);
		spt_json_text(json, "type", spt_value_type_name(kind->fields[i].type));
		spt_json_text(json, "unit", kind->fields[i].unit);
		if (spt_value_type_adds_up(kind->fields[i].type))
			add_statistics(json, events, &events->fields[i]);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
	spt_json_array(json, "rows");
	each_event(report, kind, report->limit, NULL, add_event, json);
	spt_json_end_array(json);
}

const struct spt_report_kind spt_report_events = {
	.option = { "events", 0, 0, G_OPTION_ARG_STRING, NULL,
		    "List the events of a kind that the recording declares; info names the kinds",
		    "NAME" },
	.of = SPT_REPORT_OF_SAMPLES,
	.find = find,
	.text = print_text,
	.json = add_json,
	.clear = clear,
};
