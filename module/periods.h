/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the clock's periods belong to a session, and which of those it samples. */
#ifndef _SYSPROF_PERIODS_H
#define _SYSPROF_PERIODS_H

#include <linux/hash.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "budget.h"
#include "delivery.h"

/*
 * One of every @divisor things is picked, at a position that varies so that nothing aliases with
 * it.  picked() returns the n-th picked thing; picked_before() returns how many picked things are
 * before @x.
 */
static inline u64 picked(u64 n, u32 divisor)
{
	return divisor == 1 ? n : n * divisor + hash_64(n, 32) % divisor;
}

static inline u64 picked_before(u64 x, u32 divisor)
{
	u64 whole;
	u32 rest;

	if (divisor == 1)
		return x;
	whole = div_u64_rem(x, divisor, &rest);
	return whole + (hash_64(whole, 32) % divisor < rest);
}

/*
 * Number of the session's periods among the clock's periods [from, to) on a CPU.  Periods before
 * the session joined do not count.
 */
static inline u64 own_periods(const struct sysprof_session *session,
			      const struct sysprof_session_cpu *sc, u64 from, u64 to)
{
	from = max(from, sc->first_period);
	return from < to ?
		       picked_before(to, session->divisor) - picked_before(from, session->divisor) :
		       0;
}

/* The session samples one of this number of its periods, to keep to the budget. */
static inline u32 stretch_of(const struct sysprof_session *session)
{
	return session->keeps_budget ? max(sysprof_budget_stretch(session->config.period_ns),
					   READ_ONCE(session->least_stretch)) :
				       1;
}

/* Number of the session's periods in [from, to) that it samples. */
static inline u64 sampled_periods(const struct sysprof_session *session,
				  const struct sysprof_session_cpu *sc, u64 from, u64 to)
{
	u32 stretch = stretch_of(session);

	from = max(from, sc->first_period);
	if (from >= to)
		return 0;
	return picked_before(picked_before(to, session->divisor), stretch) -
	       picked_before(picked_before(from, session->divisor), stretch);
}

#endif /* _SYSPROF_PERIODS_H */
