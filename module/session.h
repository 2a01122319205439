/* SPDX-License-Identifier: GPL-2.0-only */
/* Sessions: configured, started, ticked and stopped. */
#ifndef _SYSPROF_SESSION_H
#define _SYSPROF_SESSION_H

#include "delivery.h"

struct cpumask;
struct pt_regs;
struct sysprof_stack;

#define SYSPROF_DEFAULT_PERIOD_NS	NSEC_PER_MSEC
#define SYSPROF_MIN_PERIOD_NS		(20 * NSEC_PER_USEC)
#define SYSPROF_MAX_PERIOD_NS		NSEC_PER_SEC
#define SYSPROF_MAX_RING_BYTES		(64U << 20)

/* All of these: process context.  init(), once: checks the module's parameter. */
int sysprof_session_init(void);
struct sysprof_session *sysprof_session_create(void);
void sysprof_session_destroy(struct sysprof_session *session);
/*
 * @config has the request, checked by the device, and on return what is granted.  @keeps_budget: no
 * rate was requested.  @filter and @cpus are from filter.c; the session owns the filter from then
 * on, unless this fails.
 */
int sysprof_session_configure(struct sysprof_session *session, struct sysprof_config *config,
			      bool keeps_budget, struct sysprof_filter *filter,
			      const struct cpumask *cpus);
/*
 * Samples at most one in @part of its periods from now on.  -EINVAL if the session requested a
 * rate, or if @part is out of range.
 */
int sysprof_session_slow(struct sysprof_session *session, u32 part);
/* The tables that the session shares, from now until it is destroyed; NULL: no memory. */
struct sysprof_tables *sysprof_session_tables(struct sysprof_session *session);
int sysprof_session_start(struct sysprof_session *session, struct sysprof_start *ret);
void sysprof_session_stop(struct sysprof_session *session);
/*
 * Reads the account of @stats->cpu.  Also puts reports of losses into the ring, as far as there is
 * room.
 */
int sysprof_session_stats(struct sysprof_session *session, struct sysprof_stats *stats);
/* The same for one of the session's sources; -EINVAL if none has that number. */
struct sysprof_source_stats;
int sysprof_session_source_stats(struct sysprof_session *session,
				 struct sysprof_source_stats *stats);

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

#endif /* _SYSPROF_SESSION_H */
