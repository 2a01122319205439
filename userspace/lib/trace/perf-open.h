/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event that is opened on each CPU, and what the kernel says if it may not be. */
#ifndef SPT_PERF_OPEN_H
#define SPT_PERF_OPEN_H

#include "trace/trace.h"

G_BEGIN_DECLS

/* A descriptor of a cpu-clock event of @cpu that does not run yet, or -1 and errno. */
int spt_perf_open_event(unsigned cpu, uint64_t period_ns, bool no_user, size_t watermark_bytes);
/* One sentence on why it failed with @number, and what helps. */
void spt_perf_set_open_error(GError **error, int number);
/* At which number of entries the kernel cuts a stack. */
unsigned spt_perf_max_frames(void);
/* CPUs are numbered below this. */
unsigned spt_perf_possible_cpus(void);

G_END_DECLS

#endif
