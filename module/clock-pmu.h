/* SPDX-License-Identifier: GPL-2.0-only */
/* Ticks of one session by a hardware counter on each CPU. */
#ifndef _SYSPROF_CLOCK_PMU_H
#define _SYSPROF_CLOCK_PMU_H

#include <linux/types.h>

struct sysprof_pmu;
struct sysprof_session;

#define SYSPROF_DEFAULT_EVENT_PERIOD	1000000
#define SYSPROF_MIN_EVENT_PERIOD	1000
/*
 * The least without CAP_PERFMON.  Where overflows take too long, perf lowers the rate of everybody.
 */
#define SYSPROF_MIN_USER_EVENT_PERIOD	100000

/* All of these: process context.  Whether this machine has a counter for cycles that can sample. */
bool sysprof_pmu_available(void);
/*
 * Makes the counters that the session's config describes, stopped, one on each of its CPUs that is
 * online.  The caller holds cpus_read_lock.  -ENODEV if there is no such event; -EBUSY and other
 * errors are perf's.  Call disable() before destroy().
 */
struct sysprof_pmu *sysprof_pmu_create(struct sysprof_session *session);
/*
 * -EBUSY if there is no room for one of them beside the counters of other users; call disable()
 * then.
 */
int sysprof_pmu_enable(struct sysprof_pmu *pmu);
/* When this returns, no overflow is running or will run. */
void sysprof_pmu_disable(struct sysprof_pmu *pmu);
void sysprof_pmu_destroy(struct sysprof_pmu *pmu);

#endif /* _SYSPROF_CLOCK_PMU_H */
