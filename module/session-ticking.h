/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_SESSION_TICKING_H
#define _SYSPROF_SESSION_TICKING_H

#include <linux/percpu.h>

#include "delivery.h"

/*
 * The sessions that a CPU ticks for, linked by next.  Touched there with interrupts off, or, while
 * it is offline, with offline_lock (session.c) held.
 */
DECLARE_PER_CPU(struct sysprof_session_cpu *, sysprof_ticking);
void sysprof_session_join_ticks(struct sysprof_session_cpu *sc, int cpu);
void sysprof_session_leave_ticks(struct sysprof_session_cpu *sc, int cpu);

/*
 * Of the CPU's sessions, on that CPU, interrupts off.  Periods are the clock's: [from, to).
 *
 * The first period from @from in which a session wants a tick, one of a user without
 * CAP_SYS_RESOURCE from @users_from; @from if there is no session.
 */
u64 sysprof_sessions_next(u64 from, u64 users_from);
/* What becomes of periods that have no sample. */
void sysprof_sessions_idle(int cpu, u64 from, u64 to);
void sysprof_sessions_offline(int cpu, u64 from, u64 to);
void sysprof_sessions_lost(enum sysprof_lost_reason reason, u64 from, u64 to);

#endif /* _SYSPROF_SESSION_TICKING_H */
