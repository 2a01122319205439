// SPDX-License-Identifier: GPL-2.0-only
/* The table of threads: a hash of buckets, each of one line of keys. */
#include <linux/compiler.h>
#include <linux/kcsan-checks.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>

#include "compat/switch.h"
#include "program-quota.h"
#include "sources/threads.h"

#define SLOTS_MIN	16384U
#define SLOTS_MAX	131072U
#define SLOTS_PER_THREAD 4	/* of those when the table is made: buckets fill unevenly */
#define SUM_TRIES	1000	/* to read sums that another CPU changes */

struct sysprof_threads sysprof_threads;

static struct sysprof_shares shares;

/* Protects adding; finding needs no lock. */
static DEFINE_RAW_SPINLOCK(add_lock);

int sysprof_threads_alloc(void)
{
	struct task_struct *process, *thread;
	u32 n = 0, slots, bits;

	rcu_read_lock();
	for_each_process_thread(process, thread)
		n++;
	rcu_read_unlock();
	slots = clamp(n * SLOTS_PER_THREAD, SLOTS_MIN, SLOTS_MAX);
	bits = order_base_2(slots / SYSPROF_THREAD_WAYS);
	sysprof_threads.shift = 64 - bits;
	slots = SYSPROF_THREAD_WAYS << bits;
	sysprof_threads.keys = kvcalloc(slots, sizeof(*sysprof_threads.keys), GFP_KERNEL);
	sysprof_threads.slots = kvcalloc(slots, sizeof(*sysprof_threads.slots), GFP_KERNEL);
	sysprof_shares_begin(&shares, slots);
	if (sysprof_threads.keys && sysprof_threads.slots)
		return 0;
	sysprof_threads_free();
	return -ENOMEM;
}

void sysprof_threads_free(void)
{
	u32 i;

	for (i = 0; sysprof_threads.keys && i < sysprof_threads_slots(); i++)
		if (sysprof_threads.keys[i])
			put_task_struct(sysprof_threads.keys[i]);
	kvfree(sysprof_threads.keys);
	kvfree(sysprof_threads.slots);
	sysprof_threads.keys = NULL;
	sysprof_threads.slots = NULL;
}

/* xorshift32, after Marsaglia, "Xorshift RNGs" (2003). */
static u64 threads_instant_in(struct sysprof_slot *slot, u64 period)
{
	u32 x = slot->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	slot->random = x;
	return period * SYSPROF_WAIT_PERIOD_NS + ((u64)x * SYSPROF_WAIT_PERIOD_NS >> 32);
}

struct sysprof_instants sysprof_threads_pass(struct sysprof_slot *slot, u64 now)
{
	u64 period = div_u64(now, SYSPROF_WAIT_PERIOD_NS);
	struct sysprof_instants passed = { .from = div_u64(slot->next, SYSPROF_WAIT_PERIOD_NS) };

	/* That of the period under way may have passed or not, unless it is known already. */
	if (period > passed.from)
		WRITE_ONCE(slot->next, threads_instant_in(slot, period));
	if (slot->next <= now)
		WRITE_ONCE(slot->next, threads_instant_in(slot, ++period));
	passed.to = period;
	return passed;
}

static unsigned int threads_slots_of(u32 half, sysprof_payer payer)
{
	unsigned int n = 0;
	u32 i;

	for (i = half; i < half + SYSPROF_THREAD_WAYS / 2; i++)
		n += READ_ONCE(sysprof_threads.keys[i]) &&
		     /* A guess, without the lock: slots become others' meanwhile. */
		     data_race(sysprof_threads.slots[i].payer == payer);
	return n;
}

/* The first free way of the bucket at @at; SYSPROF_THREAD_WAYS: there is none. */
static u32 free_way(u32 at)
{
	u32 i;

	for (i = 0; i < SYSPROF_THREAD_WAYS && READ_ONCE(sysprof_threads.keys[at + i]); i++)
		;
	return i;
}

/* Whether find_room() may find some; without a lock. */
static bool may_have_room(const struct task_struct *task)
{
	u32 at = sysprof_threads_bucket(task), i = free_way(at);
	sysprof_payer payer;

	if (i < SYSPROF_THREAD_WAYS / 2 || i == SYSPROF_THREAD_WAYS)
		return i < SYSPROF_THREAD_WAYS;
	payer = sysprof_quota_payer(task);
	return sysprof_shares_may_take(&shares, payer,
				       threads_slots_of(at + SYSPROF_THREAD_WAYS / 2, payer));
}

/* @payer: whose share it is of. */
static struct sysprof_slot *find_room(const struct task_struct *task, sysprof_payer *payer)
{
	u32 at = sysprof_threads_bucket(task), i = free_way(at);

	BUILD_BUG_ON(SYSPROF_QUOTA_PAYERS > 1 << 12);
	*payer = SYSPROF_PAYER_ROOT;
	if (i == SYSPROF_THREAD_WAYS)
		return NULL;
	if (unlikely(i >= SYSPROF_THREAD_WAYS / 2)) {
		*payer = sysprof_quota_payer(task);
		if (!sysprof_shares_take(&shares, *payer,
					 threads_slots_of(at + SYSPROF_THREAD_WAYS / 2, *payer)))
			return NULL;
	}
	return &sysprof_threads.slots[at + i];
}

static void begin_slot(struct sysprof_slot *slot, struct task_struct *task,
		       enum sysprof_state state, u64 since, bool is_found, sysprof_payer payer)
{
	u64 now = ktime_get_mono_fast_ns();

	*slot = (struct sysprof_slot){
		.since = since,
		.since_made = since,
		/* Any seed but 0: times and addresses of tasks differ enough. */
		.random = hash_64(now ^ (unsigned long)task, 32) | 1,
		.cpu = task_cpu(task),
		.state = state,
		.payer = payer,
		.is_found = is_found,
		.voluntary = is_found ? READ_ONCE(task->nvcsw) : 0,
		.involuntary = is_found ? READ_ONCE(task->nivcsw) : 0,
	};
	slot->next = threads_instant_in(slot, div_u64(since, SYSPROF_WAIT_PERIOD_NS));
	if (slot->next <= since)
		slot->next = threads_instant_in(slot, div_u64(since, SYSPROF_WAIT_PERIOD_NS) + 1);
}

struct sysprof_slot *sysprof_threads_add(struct task_struct *task, enum sysprof_state state,
					 u64 since, bool is_found)
{
	struct sysprof_slot *slot;
	sysprof_payer payer;
	unsigned long flags;

	/* Each switch to a thread without a slot comes here: none waits for others in vain. */
	if (!sysprof_threads_find(task) && !may_have_room(task))
		return NULL;
	raw_spin_lock_irqsave(&add_lock, flags);
	slot = sysprof_threads_find(task);
	/* The state that hooks have seen is better than the one guessed here. */
	if (slot && is_found)
		goto out;
	if (slot) {
		begin_slot(slot, task, state, since, is_found, slot->payer);
		goto out;
	}
	slot = find_room(task, &payer);
	if (slot) {
		begin_slot(slot, task, state, since, is_found, payer);
		get_task_struct(task);
		/* Pairs with the acquire in sysprof_threads_find(). */
		smp_store_release(&sysprof_threads.keys[slot - sysprof_threads.slots], task);
	}
out:
	raw_spin_unlock_irqrestore(&add_lock, flags);
	return slot;
}

void sysprof_threads_remove(struct task_struct *task)
{
	unsigned long at = sysprof_threads_bucket(task), i;
	struct task_struct **keys = sysprof_threads.keys + at;
	sysprof_payer payer;

	/*
	 * The slot may be another thread's by now.  The exchange pairs with smp_rmb() in
	 * sysprof_threads_sum(): sums that were read are of this key.
	 */
	for (i = 0; i < SYSPROF_THREAD_WAYS; i++) {
		if (READ_ONCE(keys[i]) != task)
			continue;
		payer = sysprof_threads.slots[at + i].payer;
		if (cmpxchg(&keys[i], task, NULL) != task)
			continue;
		sysprof_shares_give(&shares, payer);
		/* Not the last reference: the scheduler has one until after the switch. */
		put_task_struct(task);
		return;
	}
}

static enum sysprof_state guess(const struct task_struct *task, unsigned int state)
{
	if (sysprof_is_on_cpu(task))
		return SYSPROF_STATE_RUNNING;
	return state ? sysprof_threads_state(task, state) : SYSPROF_STATE_PREEMPTED;
}

/* Hooks correct a wrong state later: struct sysprof_thread says that it was found. */
static void threads_find(struct task_struct *task)
{
	unsigned int state = sysprof_task_state(task);
	struct sysprof_slot *slot;
	unsigned long flags;

	local_irq_save(flags);
	if (state != TASK_DEAD && !sysprof_threads_find(task)) {
		slot = sysprof_threads_add(task, guess(task, state), ktime_get_mono_fast_ns(),
					   true);
		/*
		 * A thread that ends meanwhile either finds the slot and removes it, or is seen
		 * here to have ended.  Pairs with the barrier in __schedule(), between the state
		 * and the trace point.
		 */
		smp_mb();
		if (slot && sysprof_task_state(task) == TASK_DEAD)
			sysprof_threads_remove(task);
	}
	local_irq_restore(flags);
}

void sysprof_threads_scan(void)
{
	struct task_struct *process, *thread;

	rcu_read_lock();
	for_each_process_thread(process, thread)
		threads_find(thread);
	rcu_read_unlock();
}

/*
 * The state of a thread that is woken and does not run yet: the rest of its wait has another state.
 */
static void threads_add_wait(struct sysprof_thread *record, u64 woken)
{
	u64 at = clamp(woken, record->state_since, record->at);

	record->ns[record->state] += at - record->state_since;
	record->state = SYSPROF_STATE_WOKEN;
	record->state_since = at;
}

static bool is_blocked(u32 state)
{
	return state >= SYSPROF_STATE_SLEEP && state <= SYSPROF_STATE_OTHER;
}

int sysprof_threads_sum(struct task_struct *task, const struct sysprof_slot *slot, u64 now,
			struct sysprof_thread *record)
{
	int tries = SUM_TRIES;
	u64 woken;
	u32 seq;

	*record = (struct sysprof_thread){
		.record.type = SYSPROF_THREAD,
		.record.size = sizeof(*record) / 8,
		.record.pid = task->tgid,
		.record.tid = task->pid,
		.start_time = task->start_time,
	};
	do {
		if (!tries--)
			return -EAGAIN;
		seq = READ_ONCE(slot->seq);
		/* Pairs with smp_wmb() in sysprof_switch(): sums and their key. */
		smp_rmb();
		/* Reads that are repeated, like those of a seqcount. */
		kcsan_nestable_atomic_begin();
		record->since = slot->since_made;
		record->state_since = slot->since;
		record->state = slot->state;
		record->switches = slot->switches;
		record->wakes = slot->wakes;
		record->longest = slot->longest;
		record->flags = slot->is_found ? SYSPROF_THREAD_FOUND : 0;
		record->voluntary = READ_ONCE(task->nvcsw) - slot->voluntary;
		record->involuntary = READ_ONCE(task->nivcsw) - slot->involuntary;
		woken = READ_ONCE(slot->woken);
		memcpy(record->ns, slot->ns, sizeof(record->ns));
		kcsan_nestable_atomic_end();
		/* Pairs with smp_wmb() in sysprof_switch(), after the sums. */
		smp_rmb();
	} while (seq & 1 || seq != READ_ONCE(slot->seq));
	if (READ_ONCE(sysprof_threads.keys[slot - sysprof_threads.slots]) != task)
		return -ENOENT;
	record->at = max(now, record->state_since);
	if (woken && is_blocked(record->state))
		threads_add_wait(record, woken);
	record->ns[record->state] += record->at - record->state_since;
	return 0;
}
