/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of threads that hold a lock while others wait for it.  A holder's stack is taken by the
 * CPU that runs the holder: at its next tick, or as soon as it gets a CPU again.
 */
#ifndef _SYSPROF_HOLDS_H
#define _SYSPROF_HOLDS_H

#include <linux/types.h>

struct pt_regs;
struct sysprof_hold;
struct task_struct;

/* A session wants stacks of holders. */
extern bool sysprof_holds_wanted;

/* Process context: before the first join(), and after the last leave(). */
int sysprof_holds_create(void);
void sysprof_holds_destroy(void);
/*
 * Likewise: no entry has @bit any more.  No hook sees a session that has it.  True: hooks that run
 * may have read it of an entry.
 */
bool sysprof_holds_forget(u64 bit);

/*
 * The next three: interrupts off, RCU read side.  current waits since @begin for @lock, which
 * @holder has; @flags as in the trace point.  NULL: no room.
 */
struct sysprof_hold *sysprof_holds_join(struct task_struct *holder, void *lock, u32 flags,
					u64 begin);
/* current waits no longer.  Returns the key of the holder's stack; 0: it was not taken. */
u64 sysprof_holds_leave(struct sysprof_hold *hold);
/* The task that has @lock.  @lock can be memory that was freed since. */
struct task_struct *sysprof_locks_holder(void *lock, u32 flags);

/*
 * While some holder has waiters: a tick has interrupted @regs of current; NULL: it is taken here
 * instead.  Interrupts off.
 */
void sysprof_holds_take(struct pt_regs *regs);
/* Likewise: @next gets this CPU.  With the run queue locked. */
void sysprof_holds_enter(struct task_struct *next);

#endif /* _SYSPROF_HOLDS_H */
