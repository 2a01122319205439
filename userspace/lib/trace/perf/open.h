/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the event of each CPU, and explains the kernel's refusals. */
#ifndef SPT_PERF_OPEN_H
#define SPT_PERF_OPEN_H

#include "trace/perf/attr.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/*
 * A descriptor of a cpu-clock event of @cpu that is not enabled yet, or -1 and errno.  The event of
 * a CPU that is not in config->filter only reports tasks.
 */
int spt_perf_open_event(unsigned cpu, const struct spt_perf_event *event,
			const SptTraceConfig *config);
/* The same of its switches, or of their stacks. */
int spt_perf_open_switches(unsigned cpu, const struct spt_perf_switches *event);
struct spt_perf_view spt_perf_view_of(unsigned cpu, const SptTraceConfig *config);
bool spt_perf_wants_cpu(const SptTraceFilter *filter, unsigned cpu);
/* Sets one sentence on why opening failed with errno @number, and what helps. */
void spt_perf_set_open_error(GError **error, int number);
/* The number of entries at which the kernel cuts a stack. */
unsigned spt_perf_max_frames(void);
/* CPUs are numbered below this. */
unsigned spt_perf_possible_cpus(void);

G_END_DECLS

#endif
