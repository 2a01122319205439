/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing an EVENT into a session's ring: the part that all sources share. */
#ifndef _SYSPROF_EVENT_RECORD_H
#define _SYSPROF_EVENT_RECORD_H

#include <linux/types.h>

#include "sources.h"

/**
 * struct sysprof_event_shape - the parts of a stack that go into a session's event
 * @n_kernel: number of kernel frames
 * @n_user: number of user frames
 * @raw_bytes: bytes of the raw stack; 0: none
 * @has_user: the stack has a user part, and the session requested user parts
 * @hides: enum sysprof_hides of the user part
 */
struct sysprof_event_shape {
	u32 n_kernel;
	u32 n_user;
	u32 raw_bytes;
	bool has_user;
	u8 hides;
};

/*
 * All of these: in hooks, on this CPU with interrupts off.  @stacks: SYSPROF_STACKS_*, what the
 * session requests of the source's stacks.
 */

/* Whether events of @task here are hidden from @session. */
bool sysprof_event_is_excluded(const struct sysprof_session *session,
			       const struct task_struct *task);
/* Whether the session has used up its part of the CPU. */
bool sysprof_event_is_throttled(const struct sysprof_session *session, u64 now);
/* Adds what the session requests of the stack to @wish, which has what other sessions request. */
void sysprof_event_add_wish(struct sysprof_stack_wish *wish, const struct sysprof_session *session,
			    u32 stacks);
struct sysprof_event_shape sysprof_event_shape(const struct sysprof_session *session, u32 stacks,
					       struct sysprof_session_cpu *sc,
					       struct sysprof_stack *stack);
u32 sysprof_event_bytes(const struct sysprof_event_shape *shape);
/*
 * Returns room for an event of @bytes.  NULL: the event is lost, which @account counts.  Events can
 * fill half of a ring.
 */
struct sysprof_event *sysprof_event_reserve(struct sysprof_session_cpu *sc, u32 bytes,
					    struct sysprof_source_account *account, u64 value,
					    u64 ns, u64 weight);
/* Fills in the stack.  Returns where the next part goes, behind the raw stack. */
struct sysprof_part *sysprof_event_put_stack(struct sysprof_event *event,
					     const struct sysprof_session *session, u32 stacks,
					     const struct sysprof_session_cpu *sc,
					     const struct sysprof_stack *stack,
					     const struct sysprof_event_shape *shape);

/*
 * Stacks take most of the time of events, so they have a limited part of the CPU.  This stack began
 * at @begin.  Only some are timed, and count for the others, too; @stacks counts the stacks of one
 * CPU.
 */
void sysprof_event_pay_for_stack(u32 *stacks, u64 begin);

#endif /* _SYSPROF_EVENT_RECORD_H */
