/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes and threads are selected by name or number; each thread of the capture is decided once.
 */
#include "profile/selection.h"

#include <string.h>

const SptProcessRow *spt_process_of_thread(const SptCapture *capture, uint32_t thread)
{
	uint32_t id = thread < capture->n_threads ? capture->threads[thread].process : 0;

	return id != 0 && id < capture->n_processes ? &capture->processes[id] : NULL;
}

const char *spt_process_label(const SptProcessRow *process)
{
	if (!process)
		return "[unknown]";
	if (process->name && *process->name)
		return process->name;
	return process->pid == 0 ? "[idle]" : "[unnamed]";
}

/* @number: NULL if the text is no number. */
static bool is_called(const char *wanted, const char *name, const uint32_t *number)
{
	uint64_t value;

	if (*wanted && strspn(wanted, "0123456789") == strlen(wanted))
		return g_ascii_string_to_unsigned(wanted, 10, 0, UINT32_MAX, &value, NULL) &&
		       number && *number == value;
	return strcmp(name, wanted) == 0;
}

bool spt_filter_is_of_leaves(const SptFilter *filter, const SptCapture *capture)
{
	return capture->has_leaves && (!filter || (filter->begin_ns == 0 && filter->end_ns == 0 &&
						   !filter->thread && !filter->cpus));
}

bool spt_filter_is_about_stacks(const SptFilter *filter)
{
	return filter && (filter->where || filter->object || filter->side != SPT_SIDE_ANY);
}

bool spt_filter_has_process(const SptFilter *filter, const SptProcessRow *process)
{
	if (!filter || (!filter->process && !filter->processes))
		return true;
	if (filter->processes && (!process || !filter->processes[process->id]))
		return false;
	return !filter->process || is_called(filter->process, spt_process_label(process),
					     process ? &process->pid : NULL);
}

static bool is_wanted(const SptCapture *capture, uint32_t thread, const SptFilter *filter)
{
	const SptProcessRow *process = spt_process_of_thread(capture, thread);
	const SptThreadRow *row = thread < capture->n_threads && capture->threads[thread].id ?
					  &capture->threads[thread] :
					  NULL;
	const char *name = row && row->name ? row->name : "";

	return spt_filter_has_process(filter, process) &&
	       (!filter->thread || is_called(filter->thread, name, row ? &row->tid : NULL));
}

void spt_selection_init(struct spt_selection *selection, const SptCapture *capture,
			const SptFilter *filter)
{
	*selection = (struct spt_selection){ .end_ns = UINT64_MAX };
	if (!filter)
		return;
	selection->begin_ns = filter->begin_ns;
	if (filter->end_ns)
		selection->end_ns = filter->end_ns;
	selection->cpus = filter->cpus;
	selection->n_cpus = filter->n_cpus;
	selection->least_parallelism = filter->least_parallelism;
	selection->most_parallelism = filter->most_parallelism;
	if (!filter->process && !filter->processes && !filter->thread)
		return;
	/* A sample's thread exists or is 0. */
	selection->threads = g_new(bool, (size_t)capture->n_threads + 1);
	for (uint32_t i = 0; i <= capture->n_threads; i++)
		selection->threads[i] = is_wanted(capture, i, filter);
}

/* The part of @weight that belongs to the first @part_ns of its @duration_ns. */
static uint64_t begin_of(uint64_t weight, uint64_t part_ns, uint64_t duration_ns)
{
	return (uint64_t)((unsigned __int128)weight * part_ns / duration_ns);
}

bool spt_selection_spread(const struct spt_selection *selection, uint64_t time,
			  uint64_t duration_ns, uint64_t *weight)
{
	uint64_t start, begin, end;

	duration_ns = MIN(duration_ns, time);
	start = time - duration_ns;
	begin = MAX(start, selection->begin_ns);
	end = MIN(time, selection->end_ns);
	if (begin >= end)
		return false;
	*weight = begin_of(*weight, end - start, duration_ns) -
		  begin_of(*weight, begin - start, duration_ns);
	return true;
}

void spt_selection_clear(struct spt_selection *selection)
{
	g_clear_pointer(&selection->threads, g_free);
}
