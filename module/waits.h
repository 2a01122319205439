/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits and wakings on their way to the sessions that want them. */
#ifndef _SYSPROF_WAITS_H
#define _SYSPROF_WAITS_H

#include <linux/types.h>

#include "sources.h"
#include "threads.h"

struct sysprof_stack;

/* Of which wakings there may be a session that wants WAKE. */
enum sysprof_wakes {
	SYSPROF_WAKES_NONE,
	SYSPROF_WAKES_GRID,	/* those of waits in which an instant has passed */
	SYSPROF_WAKES_ALL,
};
extern u8 sysprof_wakes_wanted;

/* Numbers of wakings count on each CPU; 0 is none. */
static inline u64 sysprof_wake_key(u16 cpu, u32 number)
{
	return (u64)(cpu + 1) << 32 | number;
}

/**
 * struct sysprof_wait - a wait that has ended
 * @begin: when
 * @woken: its blocked part ends here
 * @end: and it here
 * @instants: of the thread's grid that fell into it
 * @flags: SYSPROF_EVENT_*
 * @part: what goes into its events
 * @state: enum sysprof_state
 */
struct sysprof_wait {
	u64 begin;
	u64 woken;
	u64 end;
	struct sysprof_instants instants;
	struct sysprof_part_wait part;
	u16 flags;
	u8 state;
};

static __always_inline bool sysprof_needs_waking(u8 state)
{
	return state != SYSPROF_STATE_PREEMPTED && state != SYSPROF_STATE_NEW;
}

/* The rare cases of pick().  Not 0: the wait is to be reported; @so_far: to others, too. */
u32 sysprof_waits_choose(struct sysprof_tap *tap, struct sysprof_wait *wait,
			 const struct sysprof_slot *slot, struct task_struct *task,
			 struct sysprof_stack *stack, u32 so_far);

/*
 * All in hooks, interrupts off.  pick(): counts a wait of @task, which gets this CPU, for each
 * session, and reports it to those that want no stack; begin, woken, end and instants are set, and
 * @slot is still as it was.  @passes: there are instants.  True: the wait is to be reported with
 * what @stack->wish requests of its stack.  put() reports it.
 */
static __always_inline bool sysprof_waits_pick(struct sysprof_wait *wait, bool passes,
					       const struct sysprof_slot *slot,
					       struct task_struct *task,
					       struct sysprof_stack *stack)
{
	u64 begin = wait->begin, duration = wait->end - begin, value = wait->woken - begin;
	int cpu = smp_processor_id();
	struct sysprof_tally *tally;
	struct sysprof_tap *tap;
	u32 told = 0;

	sysprof_for_each_tap(tap) {
		if (likely(begin >= tap->plain_from && duration < tap->threshold && !passes)) {
			tally = &tap->cpus[cpu].left_out;
			tally->events++;
			tally->value += value;
			tally->ns += duration;
		} else {
			told |= sysprof_waits_choose(tap, wait, slot, task, stack, told);
		}
	}
	return told;
}

void sysprof_waits_put(const struct sysprof_wait *wait, struct sysprof_stack *stack);
/* A thread without a slot has waited. */
void sysprof_waits_missed(void);
/*
 * Current wakes @task, which waits as @slot says: writes WAKE for those who want it.  False: there
 * are none.  @key: what it is called.
 */
bool sysprof_wakes_put(struct task_struct *task, const struct sysprof_slot *slot, u64 now,
		       u8 context, struct sysprof_stack *stack, u64 key);

#endif /* _SYSPROF_WAITS_H */
