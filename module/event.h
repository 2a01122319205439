/* SPDX-License-Identifier: GPL-2.0-only */
/* An EVENT on its way into a session's ring: what all sources do alike. */
#ifndef _SYSPROF_EVENT_RECORD_H
#define _SYSPROF_EVENT_RECORD_H

#include <linux/types.h>

#include "sources.h"

/**
 * struct sysprof_event_shape - what of a stack goes into an event of a session's
 * @n_kernel: frames
 * @n_user: likewise
 * @raw_bytes: of the stack, 0: none
 * @has_user: there is a user part, and it was asked for
 * @hides: enum sysprof_hides, of that
 */
struct sysprof_event_shape {
	u32 n_kernel;
	u32 n_user;
	u32 raw_bytes;
	bool has_user;
	u8 hides;
};

/*
 * All in hooks, on this CPU with interrupts off.  @stacks: SYSPROF_STACKS_*, what the session wants
 * of the source's.
 */

/* Whether events of @task here are hidden from @session. */
bool sysprof_event_is_excluded(const struct sysprof_session *session,
			       const struct task_struct *task);
/* Whether the session's share of the CPU is used up. */
bool sysprof_event_is_throttled(const struct sysprof_session *session, u64 now);
/* What the session wants of the stack, beside what others do. */
void sysprof_event_add_wish(struct sysprof_stack_wish *wish, const struct sysprof_session *session,
			    u32 stacks);
struct sysprof_event_shape sysprof_event_shape(const struct sysprof_session *session, u32 stacks,
					       struct sysprof_session_cpu *sc,
					       struct sysprof_stack *stack);
u32 sysprof_event_bytes(const struct sysprof_event_shape *shape);
/*
 * Room for an event of @bytes; NULL: it is lost, and counted in @account.  Events have half of a
 * ring.
 */
struct sysprof_event *sysprof_event_reserve(struct sysprof_session_cpu *sc, u32 bytes,
					    struct sysprof_source_account *account, u64 value,
					    u64 ns, u64 weight);
/* Fills in the stack; returns where parts go on, behind that of the raw stack. */
struct sysprof_part *sysprof_event_put_stack(struct sysprof_event *event,
					     const struct sysprof_session *session, u32 stacks,
					     const struct sysprof_session_cpu *sc,
					     const struct sysprof_stack *stack,
					     const struct sysprof_event_shape *shape);

/*
 * Stacks are what takes time: there is a share of the CPU for them, and this one began at @begin.
 * Some are timed, and pay for the others; @stacks counts them, for one CPU.
 */
void sysprof_event_pay_for_stack(u32 *stacks, u64 begin);

#endif /* _SYSPROF_EVENT_RECORD_H */
