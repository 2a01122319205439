/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time says how much all threads ran together.  Where there are several, their samples show how
 * much of that was at the same time: each represents the periods before it, and what they cover
 * together is when any of them ran.
 */
#include "profile/wall.h"

#include "profile/command.h"

static uint32_t count_threads(const SptCapture *capture, const bool *processes)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < capture->n_threads; i++)
		n += capture->threads[i].id && processes[capture->threads[i].process];
	return n;
}

/* On how many CPUs its threads were, on average, while any of them ran. */
static double count_cpus(const SptCapture *capture, const bool *processes)
{
	g_autoptr(SptSamples) samples = spt_samples_new(capture);
	uint64_t period_ns = MAX(spt_capture_period_ns(capture), 1), until = 0, all = 0, some = 0;
	const SptSampleRow *row;
	uint32_t n;

	while ((row = spt_samples_next(samples, &n))) {
		for (; n > 0; n--, row++) {
			uint64_t length = MIN(row->weight * period_ns, row->time);

			if (!processes[capture->threads[row->thread].process])
				continue;
			all += length;
			if (row->time <= until)
				continue;
			some += row->time - MAX(until, row->time - length);
			until = row->time;
		}
	}
	return some ? MAX((double)all / (double)some, 1) : 1;
}

static void tell(SptWall *wall, const SptCapture *capture, uint64_t pid, uint64_t ran_ns,
		 uint64_t wall_ns)
{
	g_autofree bool *processes = spt_processes_below(capture, pid);

	*wall = (SptWall){ .wall_ns = wall_ns, .cpus = 1 };
	if (count_threads(capture, processes) > 1)
		wall->cpus = count_cpus(capture, processes);
	wall->running = (double)ran_ns / (double)MAX(wall_ns, 1) / wall->cpus;
	/* Ticks show no better what was at the same time. */
	if (wall->running > 1) {
		wall->cpus *= wall->running;
		wall->running = 1;
	}
}

bool spt_wall_find(SptWall *wall, const SptCapture *capture)
{
	uint64_t wall_ns = spt_command_fact(capture, "wall_ns");

	if (wall_ns > 0)
		tell(wall, capture, spt_command_fact(capture, "command_pid"),
		     spt_command_fact(capture, "ran_ns"), wall_ns);
	return wall_ns > 0;
}

void spt_wall_of(SptWall *wall, const SptCapture *capture, uint64_t ran_ns, uint64_t wall_ns)
{
	tell(wall, capture, 0, ran_ns, wall_ns);
}
