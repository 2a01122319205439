/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state of each thread: since when it is in it, and its time in each state so far.  The threads
 * are in a table of fixed size, keyed by task, which hooks read without a lock.
 *
 * A slot is written by the CPU that the thread leaves or gets, with the run queue locked.  What
 * says who woke it is written by wakers, with the thread's pi_lock held.  The scheduler orders all
 * of these.
 */
#ifndef _SYSPROF_THREADS_H
#define _SYSPROF_THREADS_H

#include <asm/barrier.h>
#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "compat/switch.h"
#include "sysprof-event.h"

#define SYSPROF_THREAD_WAYS	8

/* Period of the grid of every thread's life; the periods of sessions are whole multiples of it. */
#define SYSPROF_WAIT_PERIOD_NS	NSEC_PER_MSEC

/**
 * struct sysprof_slot - a thread
 * @since: when @state began
 * @next: the first instant of its grid not yet passed
 * @woken: when the thread was woken; 0: not yet, or it needs no waking
 * @since_made: when the slot was made, or the thread found
 * @waker_pid: process that ran where the thread was woken
 * @waker_tid: thread that ran there
 * @wake: number of the WAKE on @waker_cpu; 0: none
 * @random: state of the generator that places instants
 * @seq: odd while the sums are being changed
 * @switches: how often the thread left its CPU
 * @waker_cpu: CPU of the waking
 * @cpu: CPU on which the thread ran
 * @state: enum sysprof_state
 * @context: enum sysprof_context of the waking
 * @payer: whose share the slot is of; root's: none
 * @is_found: the thread existed before the hooks
 * @longest: duration of its longest wait
 * @wakes: number of waits that a waking ended
 * @ns: time in each enum sysprof_state, up to @since
 * @voluntary: the task's nvcsw at @since_made
 * @involuntary: the task's nivcsw at @since_made
 */
struct sysprof_slot {
	u64 since;
	u64 next;
	u64 woken;
	u64 since_made;
	u32 waker_pid;
	u32 waker_tid;
	u32 wake;
	u32 random;
	u32 seq;
	u32 switches;
	u16 waker_cpu;
	u16 cpu;
	u8 state;
	u8 context;
	u16 payer : 12;
	u16 is_found : 1;
	/* The members that each wait uses are in two cache lines. */
	u64 longest ____cacheline_aligned;
	u64 wakes;
	u64 ns[SYSPROF_STATES];
	u64 voluntary;
	u64 involuntary;
} ____cacheline_aligned;

/*
 * The table.  It is replaced only while no hook uses it.  A key holds a reference to its task: a
 * reader of RCU that finds it there can use the task.
 */
struct sysprof_threads {
	u32 shift;	/* turns a hash into the number of a bucket */
	struct task_struct **keys;
	struct sysprof_slot *slots;
};
extern struct sysprof_threads sysprof_threads;

/*
 * Makes a table with room for all living threads, and more; -ENOMEM.  Process context, with no hook
 * in place.
 */
int sysprof_threads_alloc(void);
void sysprof_threads_free(void);
/*
 * Adds all living threads, with the states that they seem to have.  Process context, with hooks in
 * place.
 */
void sysprof_threads_scan(void);

static __always_inline u32 sysprof_threads_bucket(const struct task_struct *task)
{
	return ((unsigned long)task * GOLDEN_RATIO_64 >> sysprof_threads.shift) *
	       SYSPROF_THREAD_WAYS;
}

/* The slot of @task, or NULL.  In a hook, or where @task cannot be freed; interrupts off. */
static __always_inline struct sysprof_slot *sysprof_threads_find(const struct task_struct *task)
{
	unsigned long at = sysprof_threads_bucket(task), i;
	struct task_struct **keys = sysprof_threads.keys + at;

	for (i = 0; i < SYSPROF_THREAD_WAYS; i++)
		if (likely(READ_ONCE(keys[i]) == task)) {
			/* Pairs with the release in sysprof_threads_add(). */
			smp_acquire__after_ctrl_dep();
			return &sysprof_threads.slots[at + i];
		}
	return NULL;
}

/* The number of slots, while hooks are in place. */
static inline u32 sysprof_threads_slots(void)
{
	return SYSPROF_THREAD_WAYS << (64 - sysprof_threads.shift);
}

/*
 * Makes a slot for @task, which has been in @state since @since.  If it has a slot already, that
 * begins anew, unless @is_found.  NULL: there is no room.  Interrupts off.
 */
struct sysprof_slot *sysprof_threads_add(struct task_struct *task, enum sysprof_state state,
					 u64 since, bool is_found);
/* @task, if it has a slot, leaves its CPU for ever. */
void sysprof_threads_remove(struct task_struct *task);

/* Returns the instants of the thread's grid that have passed up to @now. */
struct sysprof_instants {
	u64 from;
	u64 to;
};
struct sysprof_instants sysprof_threads_pass(struct sysprof_slot *slot, u64 now);

/*
 * Fills in the sums of @task, which has @slot, up to @now; time and cpu are not set.  The caller
 * keeps @task from being freed.  -ENOENT: @slot belongs to another task now; -EAGAIN: another CPU
 * is changing the sums.  Any task context.
 */
int sysprof_threads_sum(struct task_struct *task, const struct sysprof_slot *slot, u64 now,
			struct sysprof_thread *record);

/* The enum sysprof_state of a thread that is off its CPU in the kernel's @state. */
static __always_inline enum sysprof_state
sysprof_threads_state(const struct task_struct *task, unsigned int state)
{
	if (state & (__TASK_STOPPED | __TASK_TRACED))
		return SYSPROF_STATE_STOPPED;
	if (state & SYSPROF_TASK_LOCK)
		return SYSPROF_STATE_LOCK;
	if (state & (SYSPROF_TASK_FROZEN | TASK_PARKED | TASK_DEAD))
		return SYSPROF_STATE_OTHER;
	if (task->in_iowait)
		return SYSPROF_STATE_IOWAIT;
	if (state & TASK_UNINTERRUPTIBLE && !(state & TASK_NOLOAD))
		return SYSPROF_STATE_DISK;
	/* The thread is being woken already: its state before is not visible any more. */
	return SYSPROF_STATE_SLEEP;
}

#endif /* _SYSPROF_THREADS_H */
