// SPDX-License-Identifier: GPL-2.0-only
/*
 * Waits for locks of the kernel: how long, and who held the lock when the wait began.
 * A wait is reported where it ends; the stack there is still the waiter's.
 *
 * Waits under way are in a table by task and lock: a task may wait for a lock in an interrupt
 * while it waits for another.  Nobody but the task itself looks for its entries.  It may be in an
 * NMI as it does, so waits in NMIs are not recorded.  holds.c has the stacks of the holders.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rtmutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>
#include <trace/events/lock.h>

#include "kernel-frame.h"
#include "sources/holds.h"
#include "sources/immediate.h"
#include "program-quota.h"

#define BITS	   13
#define WAYS	   8
#define OWNER_BITS 7UL /* in a word that is otherwise a pointer */
#define READERS	   1UL /* in a rwsem's word: readers hold it */

/**
 * struct contention - a wait for a lock
 * @task: task that waits; NULL: the entry is free
 * @lock: lock that it waits for
 * @begin: when the wait began
 * @flags: as in the trace point
 * @holder_pid: process that held the lock then; 0: not known
 * @holder_tid: thread that held the lock then; 0: not known
 * @payer: whose share the entry is of; root's: none
 * @hold: where the holder finds that it is waited for; NULL: nobody wants its stack, or no room
 */
struct contention {
	struct task_struct *task;
	void *lock;
	u64 begin;
	u32 flags;
	u32 holder_pid;
	u32 holder_tid;
	sysprof_payer payer;
	struct sysprof_hold *hold;
};

static struct contention *table;
static struct sysprof_shares shares;

static struct contention *locks_bucket_of(const struct task_struct *task)
{
	return table + hash_ptr(task, BITS) / WAYS * WAYS;
}

static struct contention *locks_find(const struct task_struct *task, const void *lock)
{
	struct contention *bucket = locks_bucket_of(task);
	int i;

	for (i = 0; i < WAYS; i++)
		if (READ_ONCE(bucket[i].task) == task && bucket[i].lock == lock)
			return &bucket[i];
	return NULL;
}

static struct contention *add_from(struct contention *half, struct task_struct *task,
				   sysprof_payer payer)
{
	int i;

	for (i = 0; i < WAYS / 2; i++)
		if (!READ_ONCE(half[i].task) && !cmpxchg(&half[i].task, NULL, task)) {
			half[i].payer = payer;
			return &half[i];
		}
	return NULL;
}

static noinline struct contention *add_to_share(struct contention *half, struct task_struct *task)
{
	sysprof_payer payer = sysprof_quota_payer(task);
	struct contention *entry;
	unsigned int i, n = 0;

	for (i = 0; i < WAYS / 2; i++)
		n += READ_ONCE(half[i].task) && half[i].payer == payer;
	if (!sysprof_shares_take(&shares, payer, n))
		return NULL;
	entry = add_from(half, task, payer);
	if (!entry)
		sysprof_shares_give(&shares, payer);
	return entry;
}

static struct contention *locks_add(struct task_struct *task)
{
	struct contention *bucket = locks_bucket_of(task),
			  *entry = add_from(bucket, task, SYSPROF_PAYER_ROOT);

	return likely(entry) ? entry : add_to_share(bucket + WAYS / 2, task);
}

#ifdef LCB_F_MUTEX
/* A word of a lock; 0: there is no memory any more. */
static unsigned long read_word(const void *at)
{
	unsigned long word;

	__get_kernel_nofault(&word, at, unsigned long, fault);
	return word;
fault:
	return 0;
}

/*
 * The owner of an rt_mutex, and so of mutexes, rwsems and locks of RT kernels, which are made of
 * them.
 */
static unsigned long owner_of_rt(void *lock, u32 flags)
{
	unsigned long owner = 0;

	if (flags == LCB_F_RT)
		owner = read_word(&((struct rt_mutex_base *)lock)->owner);
#ifdef CONFIG_PREEMPT_RT
	else if (!(flags & ~(LCB_F_RT | LCB_F_READ | LCB_F_WRITE)))
		owner = read_word(&((struct rwbase_rt *)lock)->rtmutex.owner);
#endif
	return owner;
}

/*
 * The task in the owner word of @lock.  A task that held it exists for an RCU grace period, if the
 * lock exists: as long as somebody waits for it.
 */
struct task_struct *sysprof_locks_holder(void *lock, u32 flags)
{
	unsigned long owner = 0;

	if (flags & LCB_F_RT)
		owner = owner_of_rt(lock, flags);
#ifndef CONFIG_PREEMPT_RT
	else if (flags & LCB_F_MUTEX)
		owner = read_word(&((struct mutex *)lock)->owner);
	else if (flags && !(flags & ~(LCB_F_READ | LCB_F_WRITE)))
		owner = read_word(&((struct rw_semaphore *)lock)->owner);
	if (!(flags & (LCB_F_MUTEX | LCB_F_RT)) && owner & READERS)
		owner = 0;
#endif
	return (struct task_struct *)(owner & ~OWNER_BITS);
}

/* Semaphores have no flag. */
static u16 locks_kind_of(u32 flags)
{
	u16 kind = !flags			      ? SYSPROF_LOCK_OTHER :
		   flags & LCB_F_MUTEX		      ? SYSPROF_LOCK_MUTEX :
		   flags & LCB_F_RT		      ? SYSPROF_LOCK_RT :
		   flags & LCB_F_PERCPU		      ? SYSPROF_LOCK_PERCPU :
		   !(flags & LCB_F_SPIN)	      ? SYSPROF_LOCK_RWSEM :
		   flags & (LCB_F_READ | LCB_F_WRITE) ? SYSPROF_LOCK_RWLOCK :
							SYSPROF_LOCK_SPIN;

	return kind;
}
#else
struct task_struct *sysprof_locks_holder(void *lock, u32 flags)
{
	return NULL;
}

static u16 locks_kind_of(u32 flags)
{
	return SYSPROF_LOCK_OTHER;
}
#endif

static void begin_hit(void *data, void *lock, unsigned int flags)
{
	struct contention *entry;
	struct task_struct *holder;
	unsigned long irq_flags;

	if (in_nmi()) {
		sysprof_immediate_missed(SYSPROF_IMMEDIATE_LOCK);
		return;
	}
	local_irq_save(irq_flags);
	/* The kernel reports a mutex twice: a task spins first, and then sleeps. */
	if (locks_find(current, lock))
		goto out;
	entry = locks_add(current);
	if (!entry) {
		sysprof_immediate_missed(SYSPROF_IMMEDIATE_LOCK);
		goto out;
	}
	entry->lock = lock;
	entry->flags = flags;
	entry->begin = ktime_get_mono_fast_ns();
	rcu_read_lock();
	holder = sysprof_locks_holder(lock, flags);
	/* A writer that has an RT kernel's rwsem waits for readers. */
	if (holder == current)
		holder = NULL;
	entry->holder_pid = holder ? READ_ONCE(holder->tgid) : 0;
	entry->holder_tid = holder ? READ_ONCE(holder->pid) : 0;
	entry->hold = NULL;
	if (holder && READ_ONCE(sysprof_holds_wanted)) {
		entry->hold = sysprof_holds_join(holder, lock, flags, entry->begin);
		if (!entry->hold)
			sysprof_immediate_missed(SYSPROF_IMMEDIATE_HOLD);
	}
	rcu_read_unlock();
out:
	local_irq_restore(irq_flags);
}

static void locks_tell(const struct contention *entry)
{
	u64 now = ktime_get_mono_fast_ns();
	const struct sysprof_part_lock part = {
		.part = { .type = SYSPROF_PART_LOCK,
			  .size = sizeof(part) / 8,
			  .a = locks_kind_of(entry->flags) },
		.holder_pid = entry->holder_pid,
		.holder_tid = entry->holder_tid,
		.lock = sysprof_kernel_frame_encode((unsigned long)entry->lock),
	};
	struct sysprof_immediate_event event = {
		.begin = entry->begin,
		.end = now,
		.value = now - entry->begin,
		.key = entry->hold ? sysprof_holds_leave(entry->hold) : 0,
		.part = &part.part,
		.immediate = SYSPROF_IMMEDIATE_LOCK,
		.context = sysprof_immediate_context(),
		.is_global = true,
	};

	rcu_read_lock();
	sysprof_immediate_tell(&event);
	rcu_read_unlock();
}

static void end_hit(void *data, void *lock, int ret)
{
	struct contention *entry;
	unsigned long flags;

	if (in_nmi())
		return;
	local_irq_save(flags);
	entry = locks_find(current, lock);
	if (entry) {
		locks_tell(entry);
		sysprof_shares_give(&shares, entry->payer);
		WRITE_ONCE(entry->task, NULL);
	}
	local_irq_restore(flags);
}

/* Hooks of ends are put before hooks of beginnings, and removed after them. */
static struct sysprof_hook hooks[] = {
	{ "contention_end", end_hit },
	{ "contention_begin", begin_hit },
};

#ifdef LCB_F_MUTEX
static void __maybe_unused locks_check_prototypes(void)
{
	check_trace_callback_type_contention_begin(begin_hit);
	check_trace_callback_type_contention_end(end_hit);
}
#endif

static int locks_begin(void)
{
	int err;

	table = kvcalloc(1 << BITS, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	sysprof_shares_begin(&shares, 1 << BITS);
	err = sysprof_holds_create();
	if (!err)
		return 0;
	kvfree(table);
	table = NULL;
	return err;
}

static void locks_end(void)
{
	sysprof_holds_destroy();
	kvfree(table);
	table = NULL;
}

struct sysprof_hooking sysprof_locks = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_locks),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
	.begin = locks_begin,
	.end = locks_end,
};
