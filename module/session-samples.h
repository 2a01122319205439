/* SPDX-License-Identifier: GPL-2.0-only */
/* What sessions get of a tick or an overflow. */
#ifndef _SYSPROF_SESSION_SAMPLES_H
#define _SYSPROF_SESSION_SAMPLES_H

#include <linux/types.h>

struct pt_regs;
struct sysprof_session;
struct sysprof_stack;

/**
 * struct sysprof_tick - a tick, for all sessions of its CPU
 * @now: when it began
 * @from: first of the clock's periods that the tick represents
 * @to: first period after those
 * @users_from: periods before this one are lost for sessions that are not exempt (throttled)
 * @delay_ns: how late the tick is
 * @last: on return, when the last sample was written or lost; @now if there was none
 * @users_begin: on return, when the work for sessions that are not exempt began; 0: there was none,
 *	or there are no exempt sessions to hold up
 */
struct sysprof_tick {
	u64 now;
	u64 from;
	u64 to;
	u64 users_from;
	u64 delay_ns;
	u64 last;
	u64 users_begin;
};

/*
 * Takes a tick on this CPU, interrupts off.  Puts what the sessions request of current's stack into
 * @stack (as in stack.h) and delivers it.  False: no session wanted the tick.
 */
bool sysprof_sessions_sample(struct sysprof_stack *stack, struct pt_regs *regs,
			     struct sysprof_tick *tick);

/*
 * A counter of @session on this CPU overflowed while @regs ran.  It has counted @periods since it
 * was made.  The caller provides @stack, which this fills.  Any context, NMI too, but one call at a
 * time for each CPU.
 */
void sysprof_session_overflow(struct sysprof_session *session, struct sysprof_stack *stack,
			      struct pt_regs *regs, u64 periods);

/*
 * On @cpu with interrupts off; if it is offline, on any CPU.  complete_account(): fills in fields
 * of its account that only the clock knows.  tell_account(): writes that and those of sources into
 * its ring, as far as there is room.
 */
void sysprof_session_complete_account(struct sysprof_session *session, int cpu, u64 now);
void sysprof_session_tell_account(struct sysprof_session *session, int cpu, u64 now);

#endif /* _SYSPROF_SESSION_SAMPLES_H */
