/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report --latest: the ticks that came latest, each with the stack it found.  The code on top is what ran when the interrupt got through at last:
 * where interrupts were off, or the machine was busy elsewhere, it came right after.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd.h"
#include "profile/selection.h"
#include "report.h"

static int later_first(const void *a, const void *b)
{
	const SptSampleRow *left = *(const SptSampleRow *const *)a, *right = *(const SptSampleRow *const *)b;

	if (left->delay_ns != right->delay_ns)
		return left->delay_ns > right->delay_ns ? -1 : 1;
	return left->time < right->time ? -1 : left->time > right->time;
}

static void print_stack(const SptCapture *capture, SptSymbols *symbols, const SptSampleRow *sample)
{
	const SptThreadRow *thread = &capture->threads[sample->thread];
	const SptProcessRow *process = &capture->processes[thread->process];
	g_autofree char *delay = spt_format_ns(sample->delay_ns);

	printf("%s late, on CPU %u in %s (pid %u)\n", delay, sample->cpu, process->name, process->pid);
	for (uint32_t node = sample->node; node; node = capture->nodes[node].parent) {
		SptName name = spt_symbols_name(symbols, &capture->nodes[node].frame);
		g_autofree char *line = g_strdup_printf("%s  %s", name.function, name.object);
		g_autofree char *shown = spt_format_cut(line, spt_terminal_width() > 4 ? spt_terminal_width() - 4 : 0);

		printf("    %s\n", shown);
	}
	putchar('\n');
}

void spt_report_print_latest(const SptCapture *capture, SptSymbols *symbols, const SptFilter *filter, unsigned n)
{
	g_autofree const SptSampleRow **samples = g_new(const SptSampleRow *, capture->n_samples + 1);
	struct spt_selection selection;
	size_t found = 0;

	spt_selection_init(&selection, capture, filter);
	for (uint64_t i = 0; i < capture->n_samples; i++) {
		const SptSampleRow *sample = &capture->samples[i];

		if (spt_selection_has_time(&selection, sample->time) &&
		    spt_selection_has_place(&selection, sample->thread, sample->cpu))
			samples[found++] = sample;
	}
	spt_selection_clear(&selection);
	qsort(samples, found, sizeof(*samples), later_first);
	for (size_t i = 0; i < found && i < n; i++)
		print_stack(capture, symbols, samples[i]);
}
