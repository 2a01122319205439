/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_CLOCK_PMU_H
#define _SYSPROF_CLOCK_PMU_H

#include <linux/types.h>

struct sysprof_pmu;
struct sysprof_session;

#define SYSPROF_DEFAULT_EVENT_PERIOD	1000000
#define SYSPROF_MIN_EVENT_PERIOD	1000
/* Without CAP_PERFMON: perf lowers the rate that all may have where overflows take too long. */
#define SYSPROF_MIN_USER_EVENT_PERIOD	100000

/* All in process context.  Whether this machine has a counter for cycles that can sample. */
bool sysprof_pmu_available(void);
/*
 * Counters as the session's config says, stopped, on those of its CPUs that are online;
 * cpus_read_lock is held.  -ENODEV: there is no such event; -EBUSY and others: perf's.  destroy()
 * when they are disabled.
 */
struct sysprof_pmu *sysprof_pmu_create(struct sysprof_session *session);
/* -EBUSY: one of them finds no room beside those of others; disable() then. */
int sysprof_pmu_enable(struct sysprof_pmu *pmu);
/* After it no overflow is on its way. */
void sysprof_pmu_disable(struct sysprof_pmu *pmu);
void sysprof_pmu_destroy(struct sysprof_pmu *pmu);

#endif /* _SYSPROF_CLOCK_PMU_H */
