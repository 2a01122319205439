/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_THROTTLE_H
#define _SYSPROF_THROTTLE_H

#include <linux/types.h>

/*
 * The payer of time that is spent on a CPU.  All sessions together have a quarter of it.  Those of
 * users without CAP_SYS_RESOURCE have half of that, so that they cannot hold up an administrator's.
 */
enum sysprof_payer {
	SYSPROF_PAID_BY_ALL,
	SYSPROF_PAID_BY_USERS,
	/* The stacks of events have a part of their own, twice as large. */
	SYSPROF_PAID_BY_EVENTS,
	SYSPROF_PAID_BY_USERS_EVENTS,
	SYSPROF_PAYERS
};

/*
 * All of these are about this CPU, which the caller must not leave meanwhile.  Any context, NMI
 * too.
 */

/* @cost_ns were spent, up to @now. */
void sysprof_throttle_spend(enum sysprof_payer payer, u64 now, u64 cost_ns);
/* The time before which nothing may be spent. */
u64 sysprof_throttle_until(enum sysprof_payer payer);
/* In a tick: a hypervisor had the CPU for @stolen_ns, perhaps while time was being spent. */
void sysprof_throttle_forgive(u64 stolen_ns);

#endif /* _SYSPROF_THROTTLE_H */
