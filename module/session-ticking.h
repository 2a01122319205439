/* SPDX-License-Identifier: GPL-2.0-only */
/* The sessions that a CPU ticks for, and the account of their periods. */
#ifndef _SYSPROF_SESSION_TICKING_H
#define _SYSPROF_SESSION_TICKING_H

#include <linux/percpu.h>

#include "delivery.h"

/*
 * The sessions that a CPU ticks for, linked by next.  Used on that CPU with interrupts off, or,
 * while it is offline, with offline_lock (session.c) held.
 */
DECLARE_PER_CPU(struct sysprof_session_cpu *, sysprof_ticking);
void sysprof_session_join_ticks(struct sysprof_session_cpu *sc, int cpu);
void sysprof_session_leave_ticks(struct sysprof_session_cpu *sc, int cpu);

/*
 * These work on the sessions of this CPU, on it, interrupts off.  Periods [from, to) are the
 * clock's.
 *
 * The first period from @from on in which a session wants a tick; for sessions of users without
 * CAP_SYS_RESOURCE, from @users_from on.  @from if there is no session.
 */
u64 sysprof_sessions_look_for_next(u64 from, u64 users_from);
/* From this period on some session wants every tick.  U64_MAX: none does. */
DECLARE_PER_CPU(u64, sysprof_every_period);
static __always_inline u64 sysprof_sessions_next(u64 from, u64 users_from)
{
	return likely(from >= max(users_from, this_cpu_read(sysprof_every_period))) ?
		       from :
		       sysprof_sessions_look_for_next(from, users_from);
}

/* Account for periods that have no sample. */
void sysprof_sessions_idle(int cpu, u64 from, u64 to);
void sysprof_sessions_offline(int cpu, u64 from, u64 to);
void sysprof_sessions_lost(enum sysprof_lost_reason reason, u64 from, u64 to);

#endif /* _SYSPROF_SESSION_TICKING_H */
