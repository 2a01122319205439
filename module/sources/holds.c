// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holders of locks that others wait for, in a table by task.  A waiter joins the entry of its
 * holder, or makes one, and leaves it when it no longer waits.  The last one to leave frees the
 * entry.  In between, the holder itself finds the entry as it runs, and sends its stack.
 *
 * A holder that sleeps has to get a CPU before it can release its lock.  Its memory is not mapped
 * yet when the scheduler reports the switch, so the CPU sends an interrupt to itself, which comes
 * before the holder has done anything.
 */
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "arch.h"
#include "compat/switch.h"
#include "contexts.h"
#include "filter.h"
#include "sources/holds.h"
#include "sources/immediate.h"
#include "program-quota.h"
#include "source-ops.h"
#include "sources/sources.h"

#define BITS	11
#define WAYS	8
#define FILLING (-1)

/**
 * struct sysprof_hold - a thread that holds a lock
 * @refs: its waiters, and the holder while it sends its stack; FILLING: an entry to be; 0: free
 * @flags: of the lock, as in the trace point
 * @payer: whose share the entry is of; root's: none
 * @task: the holder
 * @lock: the lock
 * @begin: when the first waiter began to wait
 * @seen_until: until when it was seen to hold the lock; 0: it was not seen
 * @key: of the stack; 0: it was not sent
 * @is_reported: it is in the accounts, and was sent to the sessions that get it
 * @sessions: those whose filters pass a waiter, by sysprof_subscription.bit
 */
struct sysprof_hold {
	atomic_t refs;
	u32 flags;
	sysprof_payer payer;
	struct task_struct *task;
	void *lock;
	u64 begin;
	u64 seen_until;
	u64 key;
	bool is_reported;
	atomic64_t sessions;
};

/**
 * struct holds_cpu - of one CPU; touched there with interrupts off
 * @work: interrupts a holder that gets this CPU
 * @number: number of keys given
 */
struct holds_cpu {
	struct irq_work work;
	u32 number;
};

static struct sysprof_hold *table;
static struct sysprof_shares shares;
static DEFINE_PER_CPU(struct holds_cpu, holds_cpus);
bool sysprof_holds_wanted;

/* RCU read side. */
static struct sysprof_hold *holds_bucket_of(const struct task_struct *task)
{
	struct sysprof_hold *first = READ_ONCE(table);

	return first ? first + hash_ptr((void *)task, BITS) / WAYS * WAYS : NULL;
}

static bool get(struct sysprof_hold *hold)
{
	int refs = atomic_read(&hold->refs);

	/* Ends: each turn means that another one has joined or left. */
	while (refs > 0)
		if (atomic_try_cmpxchg(&hold->refs, &refs, refs + 1))
			return true;
	return false;
}

static struct sysprof_immediate_event hold_event_of(const struct sysprof_hold *hold, u64 until)
{
	struct sysprof_immediate_event event = {
		.begin = hold->begin,
		.end = max(until, hold->begin),
		.delivered_to = atomic64_read(&hold->sessions),
		.immediate = SYSPROF_IMMEDIATE_HOLD,
		.is_global = true,
	};

	event.value = event.end - event.begin;
	return event;
}

/* Nobody waits any more.  Ticks that found the holder too early have not counted it. */
static void holds_count(const struct sysprof_hold *hold)
{
	const struct sysprof_immediate_event event = hold_event_of(hold, hold->seen_until);

	if (hold->is_reported || !hold->seen_until)
		return;
	rcu_read_lock();
	sysprof_immediate_count_unpicked(&event);
	rcu_read_unlock();
}

static void holds_put(struct sysprof_hold *hold)
{
	int refs = atomic_read(&hold->refs);

	/* Ends: each turn means that another one has joined or left. */
	while (!atomic_try_cmpxchg(&hold->refs, &refs, refs == 1 ? FILLING : refs - 1))
		;
	if (refs != 1)
		return;
	holds_count(hold);
	sysprof_shares_give(&shares, hold->payer);
	atomic_dec(&sysprof_source_gates.holds);
	/* Pairs with the exchange in join(): this one is done with the entry. */
	atomic_set_release(&hold->refs, 0);
}

/* @lock NULL: of any. */
static bool get_of(struct sysprof_hold *hold, const struct task_struct *task, const void *lock)
{
	/* A look without a reference: it may be another one's by now. */
	if (READ_ONCE(hold->task) != task || READ_ONCE(hold->is_reported) || !get(hold))
		return false;
	if (hold->task == task && !READ_ONCE(hold->is_reported) && (!lock || hold->lock == lock))
		return true;
	holds_put(hold);
	return false;
}

/* The sessions whose filters pass current, which waits. */
static u64 sessions_of_waiter(void)
{
	struct sysprof_subscription *sub;
	u64 sessions = 0;

	sysprof_for_each_subscription(sub)
		if (sub->immediate[SYSPROF_IMMEDIATE_HOLD].id &&
		    sysprof_filter_passes_task(sub->session->filter, current))
			sessions |= sub->bit;
	return sessions;
}

static unsigned int holds_of(struct sysprof_hold *half, sysprof_payer payer)
{
	unsigned int i, n = 0;

	for (i = 0; i < WAYS / 2; i++)
		n += atomic_read(&half[i].refs) && half[i].payer == payer;
	return n;
}

struct sysprof_hold *sysprof_holds_join(struct task_struct *holder, void *lock, u32 flags,
					u64 begin)
{
	struct sysprof_hold *bucket = holds_bucket_of(holder);
	sysprof_payer payer = SYSPROF_PAYER_ROOT;
	int i;

	if (!bucket)
		return NULL;
	for (i = 0; i < WAYS; i++)
		if (get_of(&bucket[i], holder, lock)) {
			atomic64_or(sessions_of_waiter(), &bucket[i].sessions);
			return &bucket[i];
		}
	for (i = 0; i < WAYS; i++) {
		if (atomic_read(&bucket[i].refs))
			continue;
		if (i >= WAYS / 2)
			payer = sysprof_quota_payer(holder);
		if (!sysprof_shares_take(&shares, payer, holds_of(bucket + WAYS / 2, payer)))
			return NULL;
		if (atomic_cmpxchg(&bucket[i].refs, 0, FILLING)) {
			sysprof_shares_give(&shares, payer);
			continue;
		}
		bucket[i].payer = payer;
		WRITE_ONCE(bucket[i].key, 0);
		WRITE_ONCE(bucket[i].is_reported, false);
		WRITE_ONCE(bucket[i].task, holder);
		bucket[i].lock = lock;
		bucket[i].flags = flags;
		bucket[i].begin = begin;
		bucket[i].seen_until = 0;
		atomic64_set(&bucket[i].sessions, sessions_of_waiter());
		atomic_inc(&sysprof_source_gates.holds);
		/* Pairs with the exchange in get(). */
		atomic_set_release(&bucket[i].refs, 1);
		return &bucket[i];
	}
	return NULL;
}

u64 sysprof_holds_leave(struct sysprof_hold *hold)
{
	u64 key = READ_ONCE(hold->key);

	holds_put(hold);
	return key;
}

static void holds_tell(struct sysprof_hold *hold, struct pt_regs *regs)
{
	struct holds_cpu *cpu = this_cpu_ptr(&holds_cpus);
	u64 now = ktime_get_mono_fast_ns();
	struct sysprof_immediate_event event = hold_event_of(hold, now);

	hold->seen_until = event.end;
	if (!sysprof_immediate_has_picker(&event))
		return;
	event.regs = regs;
	event.context = sysprof_context_of_tick();
	event.key = BIT_ULL(63) | (u64)(smp_processor_id() + 1) << 32 | (cpu->number + 1);
	if (sysprof_immediate_wants(&event)) {
		cpu->number++;
		sysprof_immediate_tell_wanted(&event);
		WRITE_ONCE(hold->key, event.key);
	}
	/* Those that begin to wait from here on make another entry. */
	WRITE_ONCE(hold->is_reported, true);
}

/* Of @regs; NULL: of what runs here. */
void sysprof_holds_take(struct pt_regs *regs)
{
	struct sysprof_hold *bucket;
	int i;

	rcu_read_lock();
	bucket = holds_bucket_of(current);
	for (i = 0; bucket && i < WAYS; i++) {
		if (!get_of(&bucket[i], current, NULL))
			continue;
		if (sysprof_locks_holder(bucket[i].lock, bucket[i].flags) == current)
			holds_tell(&bucket[i], regs);
		holds_put(&bucket[i]);
	}
	rcu_read_unlock();
}

void sysprof_holds_enter(struct task_struct *next)
{
	struct sysprof_hold *bucket;
	int i;

	rcu_read_lock();
	bucket = holds_bucket_of(next);
	for (i = 0; bucket && i < WAYS; i++)
		if (READ_ONCE(bucket[i].task) == next && atomic_read(&bucket[i].refs) > 0 &&
		    !READ_ONCE(bucket[i].is_reported)) {
			irq_work_queue(this_cpu_ptr(&holds_cpus.work));
			break;
		}
	rcu_read_unlock();
}

static void holds_work_fn(struct irq_work *work)
{
	unsigned long flags;

	local_irq_save(flags);
	sysprof_holds_take(sysprof_arch_interrupted());
	local_irq_restore(flags);
}

bool sysprof_holds_forget(u64 bit)
{
	u64 had = 0;
	int i;

	for (i = 0; i < 1 << BITS; i++)
		had |= atomic64_fetch_andnot(bit, &table[i].sessions);
	return had & bit;
}

int sysprof_holds_create(void)
{
	struct sysprof_hold *made = kvcalloc(1 << BITS, sizeof(*made), GFP_KERNEL);
	int i;

	if (!made)
		return -ENOMEM;
	sysprof_shares_begin(&shares, 1 << BITS);
	for_each_possible_cpu(i)
		sysprof_init_hard_irq_work(&per_cpu_ptr(&holds_cpus, i)->work, holds_work_fn);
	/* Pairs with the dependent loads of holds_bucket_of(). */
	smp_store_release(&table, made);
	return 0;
}

void sysprof_holds_destroy(void)
{
	struct sysprof_hold *made = table;
	int i;

	WRITE_ONCE(table, NULL);
	/* For ticks and switches that saw the table, and then for what they have queued. */
	synchronize_rcu();
	for_each_possible_cpu(i)
		irq_work_sync(&per_cpu_ptr(&holds_cpus, i)->work);
	/* Of waiters that still wait. */
	atomic_set(&sysprof_source_gates.holds, 0);
	kvfree(made);
}
