/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rate of sessions that requested none: it falls until ticks cost no more than their part of a
 * CPU.
 */
#ifndef _SYSPROF_BUDGET_H
#define _SYSPROF_BUDGET_H

#include <linux/types.h>

#define SYSPROF_MAX_STRETCH 1000U

/* A tick with a stack took @cost_ns on this CPU.  In the sampling context, interrupts off. */
void sysprof_budget_spent(u64 cost_ns, u64 now);
/* Number of periods, each of @period_ns, of which one may be sampled.  Any context. */
u32 sysprof_budget_stretch(u64 period_ns);

#endif /* _SYSPROF_BUDGET_H */
