/* SPDX-License-Identifier: GPL-2.0-only */
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

/* All in process context.  The first, once: whether the module's parameter can be understood. */
int sysprof_session_init(void);
struct sysprof_session *sysprof_session_create(void);
void sysprof_session_destroy(struct sysprof_session *session);
/*
 * @config: in: the request, checked by the device; out: what is granted.  @keeps_budget: no rate
 * was requested.  @filter and @cpus: from filter.c; the filter is the session's from then on,
 * unless this fails.
 */
int sysprof_session_configure(struct sysprof_session *session, struct sysprof_config *config,
			      bool keeps_budget, struct sysprof_filter *filter,
			      const struct cpumask *cpus);
/*
 * At most one in @part of its periods is sampled from now on; -EINVAL: it has a rate of its own, or
 * @part is not one that is possible.
 */
int sysprof_session_slow(struct sysprof_session *session, u32 part);
/* The tables it shares, from now on until it is destroyed; NULL: no memory. */
struct sysprof_tables *sysprof_session_tables(struct sysprof_session *session);
int sysprof_session_start(struct sysprof_session *session, struct sysprof_start *ret);
void sysprof_session_stop(struct sysprof_session *session);
/*
 * The account of @stats->cpu; also puts what is known of losses into its ring, as far as there is
 * room.
 */
int sysprof_session_stats(struct sysprof_session *session, struct sysprof_stats *stats);
/* Likewise of one of its sources; -EINVAL if it has none of that number. */
struct sysprof_source_stats;
int sysprof_session_source_stats(struct sysprof_session *session,
				 struct sysprof_source_stats *stats);

/**
 * struct sysprof_tick - a tick, for all sessions of its CPU
 * @now: when it began
 * @from: first of the clock's periods that the tick represents
 * @to: first period after those
 * @users_from: periods before this one are lost for sessions that are not exempt (throttled)
 * @delay_ns: by how much it is late
 * @last: on return, when the last sample was written, or lost; @now if there is none
 * @users_begin: on return, since when it was for sessions that are not exempt; 0: not at all, or
 *	there are no others that they could hold up
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
 * A tick on this CPU, interrupts off: takes what the sessions want of the stack of current (as in
 * stack.h), into @stack, and hands it out.  False: none of them wanted it.
 */
bool sysprof_sessions_sample(struct sysprof_stack *stack, struct pt_regs *regs,
			     struct sysprof_tick *tick);

/*
 * A counter of @session's own on this CPU overflowed and found @regs; it has counted @periods since
 * it was made.  @stack is the caller's to fill.  Any context, NMI too, but one call at a time for
 * each CPU.
 */
void sysprof_session_overflow(struct sysprof_session *session, struct sysprof_stack *stack,
			      struct pt_regs *regs, u64 periods);

#endif /* _SYSPROF_SESSION_H */
