/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --latest: the latest ticks, each with the stack it found.  The code on top ran when the
 * interrupt was possible at last: where interrupts were off, or the machine was busy elsewhere,
 * that is right afterwards.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "profile/selection.h"
#include "report-filter.h"
#include "report.h"

static int later_first(const void *a, const void *b)
{
	const SptSampleRow *left = a, *right = b;

	if (left->delay_ns != right->delay_ns)
		return left->delay_ns > right->delay_ns ? -1 : 1;
	return left->time < right->time ? -1 : left->time > right->time;
}

static void print_stack(const SptCapture *capture, SptSymbols *symbols, const SptSampleRow *sample)
{
	const SptThreadRow *thread = &capture->threads[sample->thread];
	const SptProcessRow *process = &capture->processes[thread->process];
	g_autofree char *delay = spt_format_ns(sample->delay_ns);
	g_autofree char *whose = spt_format_cut(process->name, 0);

	printf("%s late, on CPU %u in %s (pid %u)\n", delay, sample->cpu, whose,
	       process->pid);
	for (uint32_t node = sample->node; node; node = capture->nodes[node].parent) {
		SptName name = spt_symbols_name(symbols, &capture->nodes[node].frame);
		g_autofree char *line = g_strdup_printf("%s  %s", name.function, name.object);
		g_autofree char *shown =
			spt_format_cut(line,
				       spt_terminal_width() > 4 ? spt_terminal_width() - 4 : 0);

		printf("    %s\n", shown);
	}
	putchar('\n');
}

static void print_text(const struct spt_report *report)
{
	const GArray *latest = report->found;

	for (guint i = 0; i < latest->len; i++)
		print_stack(report->capture, report->symbols,
			    &g_array_index(latest, SptSampleRow, i));
}

static void add_json(const struct spt_report *report, SptJson *json)
{
	const SptCapture *capture = report->capture;
	const GArray *latest = report->found;

	spt_json_array(json, "latest");
	for (guint i = 0; i < latest->len; i++) {
		const SptSampleRow *sample = &g_array_index(latest, SptSampleRow, i);
		const SptThreadRow *thread = &capture->threads[sample->thread];
		const SptProcessRow *process = &capture->processes[thread->process];

		spt_json_object(json, NULL);
		spt_json_count(json, "delay_ns", sample->delay_ns);
		spt_json_count(json, "time_ns", sample->time);
		spt_json_count(json, "cpu", sample->cpu);
		spt_json_count(json, "pid", process->pid);
		spt_json_count(json, "tid", thread->tid);
		spt_json_text(json, "process", process->name);
		spt_json_array(json, "frames");
		for (uint32_t node = sample->node; node; node = capture->nodes[node].parent) {
			SptName name =
				spt_symbols_name(report->symbols, &capture->nodes[node].frame);

			spt_json_object(json, NULL);
			spt_json_function(json, name.function, name.object);
			spt_json_end_object(json);
		}
		spt_json_end_array(json);
		spt_json_end_object(json);
	}
	spt_json_end_array(json);
}

static bool find(struct spt_report *report)
{
	const SptCapture *capture = report->capture;
	unsigned n = (unsigned)report->value.number;
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	GArray *latest = g_array_new(FALSE, FALSE, sizeof(SptSampleRow));
	struct spt_selection selection;
	const SptSampleRow *rows;
	uint32_t n_rows;

	report->found = latest;
	spt_selection_init(&selection, capture, report->filter);
	while ((rows = spt_samples_next(samples, &n_rows))) {
		for (uint32_t i = 0; i < n_rows; i++)
			if (spt_selection_has_time(&selection, rows[i].thread, rows[i].time) &&
			    spt_selection_has_place(&selection, rows[i].thread, rows[i].cpu))
				g_array_append_val(latest, rows[i]);
		/* Only the latest of each batch are kept, so the array does not grow. */
		qsort(latest->data, latest->len, sizeof(*rows), later_first);
		g_array_set_size(latest, MIN(latest->len, n));
	}
	spt_selection_clear(&selection);
	if (latest->len == 0)
		spt_cli_complain(SPT_REPORT_NOTHING_HOLDS, capture->path);
	return latest->len > 0;
}

const struct spt_report_kind spt_report_latest = {
	.option = { "latest", 0, 0, G_OPTION_ARG_INT, NULL,
		    "Print the N latest ticks and the stacks that they found", "N" },
	.of = SPT_REPORT_OF_SAMPLES,
	.metric = "delay",
	.find = find,
	.text = print_text,
	.json = add_json,
	.clear = (GDestroyNotify)g_array_unref,
};
