/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The attributes of the events that sample CPUs and report tasks and switches.  Root's opener of
 * perf events makes the same ones for others, so nothing here needs a library.
 */
#ifndef SPT_PERF_ATTR_H
#define SPT_PERF_ATTR_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fields of a sample, which are also behind every other record. */
#define SPT_PERF_SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)
/* The sample type that is requested in addition for copies of stacks. */
#define SPT_PERF_RAW_SAMPLE_TYPE (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)

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

/* What of the configuration an event of a CPU depends on. */
struct spt_perf_view {
	bool is_wanted;			/* the CPU is sampled, and not only its tasks reported */
	bool only_user, only_kernel;	/* as in SptTraceFilter */
	bool no_user;			/* no frames of user mode */
	bool tells_switches;		/* among the records of a thread's event */
	bool has_raw;			/* registers and stacks */
	uint64_t registers;		/* which ones, with has_raw */
};

/*
 * A CPU's switches: a record of each, or samples with a stack.  The samples are of each thread that
 * is switched out, or of each hit of trace point @point.
 */
struct spt_perf_switches {
	bool is_switches;
	uint32_t point;			/* 0: the software event of switches */
	uint32_t copy_bytes;		/* of the stacks */
	size_t watermark_bytes;
	int64_t thread;			/* as in struct spt_perf_event */
};

void spt_perf_attr_of_event(struct perf_event_attr *ret, const struct spt_perf_event *event,
			    const struct spt_perf_view *view);
/* @registers: those that come with copies of stacks. */
void spt_perf_attr_of_switches(struct perf_event_attr *ret, const struct spt_perf_switches *event,
			       uint64_t registers);

#endif
