/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of each thread: since when it does what it does, and how long it did what.  A table
 * of fixed size that hooks read without a lock, keyed by task.
 *
 * A slot is written by the CPU that the thread leaves or gets, with the run queue locked, and what
 * says who woke it by wakers, with the thread's pi_lock held; the scheduler orders all of these.
 */
#ifndef _SYSPROF_THREADS_H
#define _SYSPROF_THREADS_H

#include <linux/cache.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "sysprof-event.h"

#define SYSPROF_THREAD_WAYS	8

/* The grid of every thread's life; those of sessions are whole multiples of it. */
#define SYSPROF_WAIT_PERIOD_NS	NSEC_PER_MSEC

/**
 * struct sysprof_slot - a thread
 * @since: when @state began
 * @next: the first instant of its grid not yet passed
 * @woken: when it was woken; 0: not yet, or it needs no waking
 * @since_made: when it was made, or found
 * @waker_pid: who ran where it was woken from
 * @waker_tid: likewise
 * @wake: number of the WAKE on @waker_cpu, 0: none
 * @random: state of the generator that places instants
 * @seq: odd while the sums change
 * @switches: how often it left its CPU
 * @waker_cpu: where that was
 * @cpu: where it ran
 * @state: enum sysprof_state
 * @context: enum sysprof_context of the waking
 * @is_found: it was there before
 * @longest: of its waits
 * @wakes: waits that a waking ended
 * @ns: by enum sysprof_state, up to @since
 * @voluntary: nvcsw when it was made, or found
 * @involuntary: nivcsw, likewise
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
	bool is_found;
	/* What is touched at each wait is in two cache lines. */
	u64 longest ____cacheline_aligned;
	u64 wakes;
	u64 ns[SYSPROF_STATES];
	u64 voluntary;
	u64 involuntary;
} ____cacheline_aligned;

/* The table; replaced only while no hook is at it. */
struct sysprof_threads {
	u32 shift;	/* of a hash, down to the number of a bucket */
	struct task_struct **keys;
	struct sysprof_slot *slots;
};
extern struct sysprof_threads sysprof_threads;

/* Process context, with no hook on: for as many threads as live, and more; -ENOMEM. */
int sysprof_threads_alloc(void);
void sysprof_threads_free(void);
/* Process context, with hooks on: all threads that live, as they seem to be. */
void sysprof_threads_scan(void);

static __always_inline u32 sysprof_threads_bucket(const struct task_struct *task)
{
	return ((unsigned long)task * GOLDEN_RATIO_64 >> sysprof_threads.shift) *
	       SYSPROF_THREAD_WAYS;
}

/* The slot of @task, or NULL.  In a hook, or where @task cannot go away; interrupts off. */
static __always_inline struct sysprof_slot *sysprof_threads_find(const struct task_struct *task)
{
	unsigned long at = sysprof_threads_bucket(task), i;
	struct task_struct **keys = sysprof_threads.keys + at;

	for (i = 0; i < SYSPROF_THREAD_WAYS; i++)
		if (likely(READ_ONCE(keys[i]) == task))
			return &sysprof_threads.slots[at + i];
	return NULL;
}

/* How many slots there are, while hooks are on. */
static inline u32 sysprof_threads_slots(void)
{
	return SYSPROF_THREAD_WAYS << (64 - sysprof_threads.shift);
}

/*
 * A slot for @task, which has been in @state since @since; one that it has already is begun anew
 * unless @is_found.  NULL: there is no place.  Interrupts off.
 */
struct sysprof_slot *sysprof_threads_add(struct task_struct *task, enum sysprof_state state,
					 u64 since, bool is_found);
/* @task, which has @slot, leaves its CPU for ever. */
void sysprof_threads_remove(struct sysprof_slot *slot);

/* The instants of its grid that have passed up to @now. */
struct sysprof_instants {
	u64 from;
	u64 to;
};
struct sysprof_instants sysprof_threads_pass(struct sysprof_slot *slot, u64 now);

/*
 * The sums of @task, which has @slot and cannot go away, as they are now; time and cpu are not set.
 * False: @slot is another's by now.  Any task context.
 */
bool sysprof_threads_sum(struct task_struct *task, const struct sysprof_slot *slot, u64 now,
			 struct sysprof_thread *record);

/* What a thread in @state of the kernel's is to us that is off its CPU. */
enum sysprof_state sysprof_threads_state(const struct task_struct *task, unsigned int state);

#endif /* _SYSPROF_THREADS_H */
