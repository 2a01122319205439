/* SPDX-License-Identifier: GPL-2.0-only */
/* Bounds the part of a CPU that sampling takes, whatever sessions request. */
#ifndef _SYSPROF_THROTTLE_H
#define _SYSPROF_THROTTLE_H

#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/time64.h>
#include <linux/types.h>
#include <asm/local64.h>

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

/**
 * struct sysprof_throttle - of one payer on one CPU
 * @paid: up to this time what was spent so far is paid for; NMIs change it, too
 * @long_ns: of what is not paid for yet, in long ticks
 */
struct sysprof_throttle {
	local64_t paid;
	u64 long_ns;
};
DECLARE_PER_CPU(struct sysprof_throttle[SYSPROF_PAYERS], sysprof_throttles);
#define SYSPROF_THROTTLE_BURST_NS (100 * NSEC_PER_MSEC) /* what is paid may be ahead by this */

/*
 * All of these are about this CPU, which the caller must not leave meanwhile.  Any context, NMI
 * too.
 */

/* @cost_ns were spent, up to @now. */
void sysprof_throttle_spend(enum sysprof_payer payer, u64 now, u64 cost_ns);
/* The time before which nothing may be spent. */
static inline u64 sysprof_throttle_until(enum sysprof_payer payer)
{
	return max_t(s64,
		     local64_read(this_cpu_ptr(&sysprof_throttles[payer].paid)) -
			     SYSPROF_THROTTLE_BURST_NS,
		     0);
}
/* In a tick: a hypervisor had the CPU for @stolen_ns, perhaps while time was being spent. */
void sysprof_throttle_forgive(u64 stolen_ns);

#endif /* _SYSPROF_THROTTLE_H */
