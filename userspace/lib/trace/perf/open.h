/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event that is opened on each CPU, and what the kernel says if it may not be. */
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
	 * of stacks, where config->raw_bytes is not 0; 0: frames instead, in a record of the same
	 * form
	 */
	uint32_t copy_bytes;
	size_t watermark_bytes;
	int cgroup;			/* descriptor of a control group, or -1 */
	int64_t thread;			/* this thread and what it starts; -1: everybody */
	bool only_user;
};

/*
 * A descriptor of a cpu-clock event of @cpu that does not run yet, or -1 and errno.  A CPU that is
 * not in config->filter only reports tasks.
 */
int spt_perf_open_event(unsigned cpu, const struct spt_perf_event *event,
			const SptTraceConfig *config);
/*
 * The same of a CPU's switches: a record of each, or a sample with the stack of who is switched
 * out, or of where trace point @point is hit.
 */
struct spt_perf_switches {
	bool is_switches;
	uint32_t point;			/* 0: the software event of switches */
	uint32_t copy_bytes;		/* of the stacks */
	size_t watermark_bytes;
	int64_t thread;			/* as above */
};
int spt_perf_open_switches(unsigned cpu, const struct spt_perf_switches *event);
bool spt_perf_wants_cpu(const SptTraceFilter *filter, unsigned cpu);
/* One sentence on why it failed with @number, and what helps. */
void spt_perf_set_open_error(GError **error, int number);
/* At which number of entries the kernel cuts a stack. */
unsigned spt_perf_max_frames(void);
/* CPUs are numbered below this. */
unsigned spt_perf_possible_cpus(void);

G_END_DECLS

#endif
