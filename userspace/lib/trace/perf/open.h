/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the event of each CPU, and explains the kernel's refusals. */
#ifndef SPT_PERF_OPEN_H
#define SPT_PERF_OPEN_H

#include "trace/trace.h"

G_BEGIN_DECLS

enum spt_perf_part {
	SPT_PERF_WHOLE,			/* ticks, and reports of tasks */
	SPT_PERF_TASKS,
	SPT_PERF_TICKS,
};

struct spt_perf_event {
	enum spt_perf_part part;
	uint64_t period_ns;
	/*
	 * bytes of each stack, if config->raw_bytes is not 0; 0: frames instead, in a record of the
	 * same form
	 */
	uint32_t copy_bytes;
	size_t watermark_bytes;
	int cgroup;			/* descriptor of a control group, or -1 */
	int64_t thread;			/* this thread and those that it starts; -1: all threads */
	bool only_user;
};

/*
 * A descriptor of a cpu-clock event of @cpu that is not enabled yet, or -1 and errno.  The event of
 * a CPU that is not in config->filter only reports tasks.
 */
int spt_perf_open_event(unsigned cpu, const struct spt_perf_event *event,
			const SptTraceConfig *config);
/*
 * The same for a CPU's switches: a record of each, or samples with a stack.  The samples are of
 * each thread that is switched out, or of each hit of trace point @point.
 */
struct spt_perf_switches {
	bool is_switches;
	uint32_t point;			/* 0: the software event of switches */
	uint32_t copy_bytes;		/* of the stacks */
	size_t watermark_bytes;
	int64_t thread;			/* as in struct spt_perf_event */
};
int spt_perf_open_switches(unsigned cpu, const struct spt_perf_switches *event);
bool spt_perf_wants_cpu(const SptTraceFilter *filter, unsigned cpu);
/* Sets one sentence on why opening failed with errno @number, and what helps. */
void spt_perf_set_open_error(GError **error, int number);
/* The number of entries at which the kernel cuts a stack. */
unsigned spt_perf_max_frames(void);
/* CPUs are numbered below this. */
unsigned spt_perf_possible_cpus(void);

G_END_DECLS

#endif
