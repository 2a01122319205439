// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits the part of a CPU that sampling takes, for any rate and any number of sessions: beyond it,
 * sampling would starve the programs that it measures.  Time that was spent is paid for by time in
 * which nothing is spent: @paid is the time up to which that is done.  Costs are counted as
 * measured.  A host may have taken the CPU away during a tick.  The time of long ticks is given
 * back when the kernel learns of that.  Where it does not, the allowance in advance covers a single
 * one.
 */
#include <linux/minmax.h>
#include <linux/preempt.h>

#include "compat/export.h"
#include "throttle.h"

#define LONG_NS		NSEC_PER_MSEC		/* a tick this long may have been interrupted */
#define COST_MAX_NS	(10 * NSEC_PER_MSEC)	/* in a longer tick a host had the CPU */

/*
 * A fixed part of a CPU, in any two seconds and more.  It includes what may be spent in advance,
 * and the untimed part of a tick: for that, a twelfth more has to be paid.
 */
static const unsigned int shares[SYSPROF_PAYERS] = {
	[SYSPROF_PAID_BY_ALL] = 4,
	[SYSPROF_PAID_BY_USERS] = 8,
	[SYSPROF_PAID_BY_EVENTS] = 2,
	[SYSPROF_PAID_BY_USERS_EVENTS] = 4,
};

DEFINE_PER_CPU(struct sysprof_throttle[SYSPROF_PAYERS], sysprof_throttles);

static u64 price(enum sysprof_payer payer, u64 cost_ns)
{
	u64 price = cost_ns * shares[payer];

	return price + price / 12;
}

void sysprof_throttle_spend(enum sysprof_payer payer, u64 now, u64 cost_ns)
{
	struct sysprof_throttle *throttle = this_cpu_ptr(&sysprof_throttles[payer]);
	s64 old, begin;

	cost_ns = min_t(u64, cost_ns, COST_MAX_NS);
	do {
		old = local64_read(&throttle->paid);
		begin = max_t(s64, old, now);
	} while (local64_cmpxchg(&throttle->paid, old, begin + price(payer, cost_ns)) != old);
	if (in_nmi())
		return;
	if (old <= (s64)now)
		throttle->long_ns = 0;
	if (cost_ns >= LONG_NS)
		throttle->long_ns += cost_ns;
}
SYSPROF_EXPORT(sysprof_throttle_spend);

void sysprof_throttle_forgive(u64 stolen_ns)
{
	struct sysprof_throttle *throttle;
	u64 ns;
	int i;

	for (i = 0; i < SYSPROF_PAYERS; i++) {
		throttle = this_cpu_ptr(&sysprof_throttles[i]);
		ns = min(stolen_ns, throttle->long_ns);
		throttle->long_ns -= ns;
		local64_sub(price(i, ns), &throttle->paid);
	}
}

/* Behind all that uses it: sparse forgets here that it is of each CPU. */
SYSPROF_EXPORT(sysprof_throttles);
