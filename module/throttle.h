/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_THROTTLE_H
#define _SYSPROF_THROTTLE_H

#include <linux/types.h>

/*
 * Who pays for time that is spent on a CPU.  All sessions together have a quarter of it; those of
 * users without CAP_SYS_RESOURCE have half of that, so that they cannot hold up an administrator's.
 */
enum sysprof_payer {
	SYSPROF_PAID_BY_ALL,
	SYSPROF_PAID_BY_USERS,
	/* The stacks of events, which have twice as much of their own. */
	SYSPROF_PAID_BY_EVENTS,
	SYSPROF_PAID_BY_USERS_EVENTS,
	SYSPROF_PAYERS
};

/* All are of this CPU, which must not be left meanwhile; in any context, NMI too. */

/* @ns were spent, up to @now. */
void sysprof_throttle_spend(enum sysprof_payer payer, u64 now, u64 cost_ns);
/* Nothing may be spent before this time. */
u64 sysprof_throttle_until(enum sysprof_payer payer);
/* In a tick: a hypervisor had the CPU for so long, perhaps while time was being spent. */
void sysprof_throttle_forgive(u64 stolen_ns);

#endif /* _SYSPROF_THROTTLE_H */
