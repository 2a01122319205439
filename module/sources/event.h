/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing an EVENT into a session's ring: the part that all sources share. */
#ifndef _SYSPROF_EVENT_RECORD_H
#define _SYSPROF_EVENT_RECORD_H

#include <linux/err.h>
#include <linux/types.h>

#include "sources/sources.h"
#include "throttle.h"

/*
 * What the session requests of stacks of a source of which it gets @stacks.  Process context,
 * before the source is on.
 */
void sysprof_event_request(const struct sysprof_session *session, u32 stacks,
			   struct sysprof_stack_request *request);

/*
 * In place of SYSPROF_STACKS_*: the session must not know whose event it is.  The event has no
 * stack, and pid, tid and mm are 0.
 */
#define SYSPROF_STACKS_HIDDEN (1U << 31)

/* All of these: in hooks, on this CPU with interrupts off. */

/*
 * What a session gets of an event that is its own although current may not be: @stacks, or
 * SYSPROF_STACKS_HIDDEN.
 */
u32 sysprof_event_stacks(const struct sysprof_session *session, u32 stacks);

/* Whether events of @task here are hidden from @session. */
bool sysprof_event_is_excluded(const struct sysprof_session *session,
			       const struct task_struct *task);
/* Whether the session has used up its part of the CPU. */
static inline bool sysprof_event_is_throttled(const struct sysprof_session *session, u64 now)
{
	return sysprof_throttle_until(SYSPROF_PAID_BY_EVENTS) > now ||
	       (!session->is_exempt && sysprof_throttle_until(SYSPROF_PAID_BY_USERS_EVENTS) > now);
}
/*
 * Takes room for an event with its stack, of which the session gets @stacks, and for a part of
 * @part_bytes.  What is of the stack is filled in; the caller fills in the rest, the part and
 * begin to state, adds its flags, and then calls sysprof_ring_commit().  Events can fill half of a
 * ring.  -ENOSPC; -E2BIG.
 */
struct sysprof_event *sysprof_event_reserve(struct sysprof_session_cpu *sc, u32 stacks,
					    struct sysprof_stack *stack, u32 part_bytes);
/* Where the part of @bytes goes: it is the last one. */
static inline void *sysprof_event_part(struct sysprof_event *event, u32 bytes)
{
	return (u8 *)event + event->record.size * 8 - bytes;
}

/* Where an event that reserve() returned is counted. */
static inline struct sysprof_tally *sysprof_event_tally(struct sysprof_source_account *account,
							const struct sysprof_event *event)
{
	if (!IS_ERR(event))
		return &account->delivered;
	return &account->lost[PTR_ERR(event) == -E2BIG ? SYSPROF_LOST_TOO_BIG :
							 SYSPROF_LOST_RING_FULL];
}

#define SYSPROF_TIMED_STACKS 8 /* one of this number of stacks is timed */

/* Whether the stack that is about to be taken is timed; @stacks counts those of one CPU. */
static inline bool sysprof_event_is_timed(u32 stacks)
{
	return unlikely(stacks % SYSPROF_TIMED_STACKS == 0);
}

/*
 * Stacks take most of the time of events, so they have a limited part of the CPU.  This stack was
 * begun at @begin.  Those that are timed count for the others, too.
 */
void sysprof_event_pay(u64 begin);
static inline void sysprof_event_pay_for_stack(u32 *stacks, u64 begin)
{
	if (sysprof_event_is_timed((*stacks)++))
		sysprof_event_pay(begin);
}

#endif /* _SYSPROF_EVENT_RECORD_H */
