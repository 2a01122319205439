/* SPDX-License-Identifier: GPL-2.0-only */
/* Switches of a CPU, kept until they are a record. */
#ifndef _SYSPROF_LANE_BUFFER_H
#define _SYSPROF_LANE_BUFFER_H

#include <linux/compiler.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "sysprof-event.h"

struct sysprof_subscription;

/**
 * struct sysprof_lane_buffer - switches of a CPU that are not written yet
 * @older: that of another session, on the same CPU
 * @sub: the session's
 * @begin: time of the first switch
 * @last: time of the last switch
 * @tid: thread that ran up to the first switch
 * @n: number of switches
 * @has_gap: switches before the first one were lost
 * @until: before this time there is room for a switch without a further check; 0: there is none
 * @entries: as in struct sysprof_lane
 */
struct sysprof_lane_buffer {
	struct sysprof_lane_buffer *older;
	struct sysprof_subscription *sub;
	u64 begin;
	u64 last;
	u32 tid;
	u32 n;
	bool has_gap;
	u64 until;
	u64 entries[SYSPROF_LANE_ENTRIES_MAX];
};

/* Adds a switch to @next at @now; @left: enum sysprof_state of who left.  There is room. */
static __always_inline void sysprof_lane_put(struct sysprof_lane_buffer *entries, u64 now, u8 left,
					     const struct task_struct *next)
{
	/* The clock may step back a little when it is adjusted. */
	now = max(now, entries->last);
	entries->entries[entries->n++] = (now - entries->last) << SYSPROF_LANE_NS_SHIFT |
					 (u64)left << SYSPROF_LANE_STATE_SHIFT |
					 (next->pid & SYSPROF_LANE_TID_MASK);
	entries->last = now;
	if (unlikely(entries->n == SYSPROF_LANE_ENTRIES_MAX))
		entries->until = 0;
}

#endif /* _SYSPROF_LANE_BUFFER_H */
