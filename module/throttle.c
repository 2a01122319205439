// SPDX-License-Identifier: GPL-2.0-only
/*
 * The limit of what sampling takes of a CPU, for any rate and any number of sessions: beyond it,
 * sampling would starve what it measures.  Time that was spent is paid for by time in which nothing
 * is spent: @paid is the time up to which that is done.  Costs are counted as measured.  A host may
 * have taken the CPU away during a tick.  The time of long ticks is given back when the kernel
 * learns of that.  Where it does not, the allowance in advance covers a single one.
 */
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/time64.h>
#include <asm/local64.h>

#include "throttle.h"

#define BURST_NS	(100 * NSEC_PER_MSEC)	/* so far paid may be ahead of now */
#define LONG_NS		NSEC_PER_MSEC		/* a tick this long may have been interrupted */
#define COST_MAX_NS	(10 * NSEC_PER_MSEC)	/* in one that is longer a host had the CPU */

/**
 * struct throttle - of one payer on one CPU
 * @paid: up to this time what was spent so far is paid for; NMIs change it, too
 * @long_ns: of what is not paid for yet, in long ticks
 */
struct throttle {
	local64_t paid;
	u64 long_ns;
};

/*
 * A fixed part of a CPU, in any two seconds and more, with what may be spent in advance and what
 * a tick costs beside its timed part: for that a twelfth more has to be paid.
 */
static const unsigned int shares[SYSPROF_PAYERS] = {
	[SYSPROF_PAID_BY_ALL] = 4,
	[SYSPROF_PAID_BY_USERS] = 8,
	[SYSPROF_PAID_BY_EVENTS] = 2,
	[SYSPROF_PAID_BY_USERS_EVENTS] = 4,
};

static DEFINE_PER_CPU(struct throttle[SYSPROF_PAYERS], throttles);

static u64 price(enum sysprof_payer payer, u64 cost_ns)
{
	u64 price = cost_ns * shares[payer];

	return price + price / 12;
}

void sysprof_throttle_spend(enum sysprof_payer payer, u64 now, u64 cost_ns)
{
	struct throttle *throttle = this_cpu_ptr(&throttles[payer]);
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

u64 sysprof_throttle_until(enum sysprof_payer payer)
{
	return max_t(s64, local64_read(this_cpu_ptr(&throttles[payer].paid)) - BURST_NS, 0);
}

void sysprof_throttle_forgive(u64 stolen_ns)
{
	struct throttle *throttle;
	u64 ns;
	int i;

	for (i = 0; i < SYSPROF_PAYERS; i++) {
		throttle = this_cpu_ptr(&throttles[i]);
		ns = min(stolen_ns, throttle->long_ns);
		throttle->long_ns -= ns;
		local64_sub(price(i, ns), &throttle->paid);
	}
}
