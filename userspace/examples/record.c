/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * record: a profiler of your own.  Samples the whole system for a second, and adds up how long
 * each CPU was busy.
 */
#include <stdio.h>

#include "trace/trace.h"

#define MAX_CPUS 1024

static void add_up(const struct sysprof_record *record, void *data)
{
	unsigned *busy_ms = data;

	/* A sample represents this number of periods; ours are milliseconds. */
	if (record->type == SYSPROF_SAMPLE && record->cpu < MAX_CPUS)
		busy_ms[record->cpu] += ((const struct sysprof_sample *)record)->weight;
}

int main(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(SptTrace) trace = spt_trace_open(&error);
	const SptTraceConfig config = { .period_ns = 1000000 };
	unsigned busy_ms[MAX_CPUS] = { 0 };
	int64_t end = g_get_monotonic_time() + G_USEC_PER_SEC;
	bool ok = trace && spt_trace_start(trace, &config, NULL, &error);

	while (ok && g_get_monotonic_time() < end) {
		spt_trace_wait(trace, 100);
		ok = spt_trace_drain(trace, false, add_up, busy_ms, &error);
	}
	ok = ok && spt_trace_stop(trace, &error) &&
	     spt_trace_drain(trace, true, add_up, busy_ms, &error);
	if (!ok) {
		fprintf(stderr, "record: %s\n", error->message);
		return 1;
	}
	for (unsigned cpu = 0; cpu < spt_trace_n_cpus(trace) && cpu < MAX_CPUS; cpu++)
		printf("CPU %u: %u ms busy\n", cpu, busy_ms[cpu]);
	return 0;
}
