/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's trace points of waits; root's opener reads them for others, too. */
#ifndef SPT_PERF_TRACEPOINTS_H
#define SPT_PERF_TRACEPOINTS_H

#include <stdint.h>

#define SPT_PERF_SCHEDULER_EVENTS "/sys/kernel/tracing/events/sched"

/* Ids and field offsets of the trace points; id 0: closed. */
struct spt_perf_tracepoints {
	uint32_t switch_id, waking_id;
	uint32_t state_at, woken_at;	/* offsets in a record's raw part, of 8 and 4 bytes */
};

/* Reads them below @directory (SPT_PERF_SCHEDULER_EVENTS). */
void spt_perf_tracepoints_read(const char *directory, struct spt_perf_tracepoints *ret);

#endif
