/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits and wakings, on their way to the sessions that requested them. */
#ifndef _SYSPROF_WAITS_H
#define _SYSPROF_WAITS_H

#include <linux/types.h>

#include "sources/sources.h"
#include "sources/threads.h"

struct sysprof_stack;

/* The wakings of which some session may want a WAKE. */
enum sysprof_wakes {
	SYSPROF_WAKES_NONE,
	SYSPROF_WAKES_GRID,	/* of waits in which an instant has passed */
	SYSPROF_WAKES_ALL,
};
extern u8 sysprof_wakes_wanted;

/* Each CPU numbers its wakings; 0 is none. */
static inline u64 sysprof_wake_key(u16 cpu, u32 number)
{
	return (u64)(cpu + 1) << 32 | number;
}

/**
 * struct sysprof_wait - a wait that has ended
 * @begin: when the wait began
 * @woken: end of the blocked part
 * @end: end of the wait
 * @instants: instants of the thread's grid in the wait
 * @flags: SYSPROF_EVENT_*
 * @part: the part of the record that all its events have
 * @state: enum sysprof_state
 */
struct sysprof_wait {
	u64 begin;
	u64 woken;
	u64 end;
	struct sysprof_instants instants;
	union {
		struct sysprof_part_wait wait;
		struct sysprof_part_wait_file file;
		struct sysprof_part_wait_futex futex;
	} part;
	u16 flags;
	u8 state;
};

static __always_inline bool sysprof_needs_waking(u8 state)
{
	return state != SYSPROF_STATE_PREEMPTED && state != SYSPROF_STATE_NEW;
}

/*
 * The rare cases of pick().  Returns 0 if the wait is not to be reported.  @so_far: the result for
 * earlier sessions.
 */
u32 sysprof_waits_choose(struct sysprof_subscription *sub, struct sysprof_wait *wait,
			 const struct sysprof_slot *slot, struct task_struct *task,
			 struct sysprof_stack *stack, u32 so_far);

/* The same as pick() while users' sessions are not asked. */
bool sysprof_waits_pick_skipping(struct sysprof_wait *wait, const struct sysprof_slot *slot,
				 struct task_struct *task, struct sysprof_stack *stack);

/*
 * All of these: in hooks, interrupts off.  pick() counts a wait of @task, which gets this CPU, for
 * each session, and reports it to those that want no stack.  The caller has set begin, woken, end
 * and instants of @wait, and not changed @slot.  @passes: there are instants.  True: the wait is to
 * be reported with the parts of the stack that are in @stack->request; put() does that.
 */
static __always_inline bool sysprof_waits_pick(struct sysprof_wait *wait, bool passes,
					       const struct sysprof_slot *slot,
					       struct task_struct *task,
					       struct sysprof_stack *stack)
{
	u64 begin = wait->begin, duration = wait->end - begin, value = wait->woken - begin;
	int cpu = smp_processor_id();
	struct sysprof_tally *tally;
	struct sysprof_subscription *sub;
	u32 delivered = 0;

	if (sysprof_subscriptions_skip())
		return sysprof_waits_pick_skipping(wait, slot, task, stack);
	sysprof_for_each_subscription(sub) {
		if (likely(begin >= sub->plain_from && duration < sub->threshold && !passes)) {
			tally = &sub->cpus[cpu].left_out;
			tally->events++;
			tally->value += value;
			tally->ns += duration;
		} else {
			delivered |= sysprof_waits_choose(sub, wait, slot, task, stack, delivered);
		}
	}
	return delivered;
}

void sysprof_waits_put(const struct sysprof_wait *wait, struct sysprof_stack *stack);
/* Counts a wait of a thread that has no slot. */
void sysprof_waits_missed(void);
/*
 * Current wakes @task, whose wait is in @slot.  Writes a WAKE with @key for the sessions that want
 * it.  False: there are none.
 */
bool sysprof_wakes_put(struct task_struct *task, const struct sysprof_slot *slot, u64 now,
		       u8 context, struct sysprof_stack *stack, u64 key);

#endif /* _SYSPROF_WAITS_H */
