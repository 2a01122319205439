// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces: for each mm an index of its executable ranges, so that a tick can turn addresses into places in objects.
 *
 * Writers are the hooks, under the mm's lock; the reader is the tick, which may interrupt a writer on its own CPU and must not
 * wait.  So each space has two copies of its array, and seq says which one to read:
 *
 *	writer:  edit the copy not read,  seq + 1,  edit the other copy
 *	reader:  q = seq,  read copy q & 1,  seq still q?  else again
 *
 * A hook neither allocates nor frees: memory comes from pools, and goes to a worker, which waits for a grace period. What a hook cannot
 * do (no memory, an array too small, a mapping it was not told of) marks the space incomplete, and the worker reads the
 * mm's mappings anew.  What is not in the index is unresolved, never wrong.
 */
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "objects.h"
#include "ranges.h"
#include "spaces.h"
#include "state.h"
#include "sysprof.h"

#define TABLE_BITS	12
#define STRIPE_BITS	6
#define SMALL_RANGES	32
#define LARGE_RANGES	256
#define POOL_SPACES	256
#define POOL_LARGE	16
#define READ_TRIES	4
#define LOCK_TRIES	20
#define REBUILD_NS	(100 * NSEC_PER_MSEC)

/**
 * struct space - the index of one mm
 * @hash: in the table; RCU
 * @mm: held by mmgrab() until after the grace period, so that its address is not used again
 * @lock: writers; raw: hooks run with preemption off
 * @seq: the copy to be read is copies[seq & 1]
 * @copies: where the ranges are, behind the space or allocated
 * @counted: pages that mm->exec_vm should count
 * @incomplete: something is missing
 * @asked: is in the list of those to be rebuilt, by @rebuild
 * @rebuilt: when it was last, ns
 * @rebuild: see @asked
 * @node: in the pool, or the list of those that are gone
 */
struct space {
	struct hlist_node hash;
	struct mm_struct *mm;
	raw_spinlock_t lock;
	u32 seq;
	struct ranges *copies[2];
	u64 counted;
	bool incomplete;
	atomic_t asked;
	u64 rebuilt;
	struct llist_node rebuild;
	struct llist_node node;
};

static struct hlist_head table[1 << TABLE_BITS];
static raw_spinlock_t stripes[1 << STRIPE_BITS];

/* Pools: the hooks take, under pool_lock; the worker fills. */
static DEFINE_RAW_SPINLOCK(pool_lock);
static struct llist_head space_pool, large_pool;
static int n_space_pool, n_large_pool;

static LLIST_HEAD(gone_spaces);
static LLIST_HEAD(retired_ranges);
static LLIST_HEAD(rebuilds);
static bool scan_wanted, forgetting;
static u64 scanned;

static struct irq_work kick;
static struct work_struct work;
static struct workqueue_struct *workqueue;

static void kick_worker(void)
{
	irq_work_queue(&kick);
}

static u32 hash_mm(const struct mm_struct *mm)
{
	return hash_ptr(mm, TABLE_BITS);
}

static raw_spinlock_t *stripe_of(u32 hash)
{
	return &stripes[hash & ((1 << STRIPE_BITS) - 1)];
}

static struct space *find_space(const struct mm_struct *mm)
{
	struct space *space;

	hlist_for_each_entry_rcu(space, &table[hash_mm(mm)], hash)
		if (space->mm == mm)
			return space;
	return NULL;
}

/* Small copies lie behind their space. */
static struct ranges *small_copy(struct space *space, int i)
{
	return (struct ranges *)((u8 *)(space + 1) + i * RANGES_BYTES(SMALL_RANGES));
}

static bool is_small(struct space *space, const struct ranges *ranges)
{
	return ranges == small_copy(space, 0) || ranges == small_copy(space, 1);
}

static void reset_space(struct space *space)
{
	int i;

	for (i = 0; i < 2; i++) {
		space->copies[i] = small_copy(space, i);
		space->copies[i]->n = 0;
		space->copies[i]->capacity = SMALL_RANGES;
	}
	raw_spin_lock_init(&space->lock);
	space->mm = NULL;
	space->seq = 0;
	space->counted = 0;
	space->incomplete = false;
	space->rebuilt = 0;
	atomic_set(&space->asked, 0);
}

/* Pools. */

static struct llist_node *take(struct llist_head *pool, int *n, int low)
{
	struct llist_node *node;
	unsigned long flags;

	raw_spin_lock_irqsave(&pool_lock, flags);
	node = llist_del_first(pool);
	if (node)
		--*n;
	if (*n < low)
		kick_worker();
	raw_spin_unlock_irqrestore(&pool_lock, flags);
	return node;
}

static void give(struct llist_node *node, struct llist_head *pool, int *n)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&pool_lock, flags);
	llist_add(node, pool);
	++*n;
	raw_spin_unlock_irqrestore(&pool_lock, flags);
}

static struct space *alloc_space(void)
{
	struct space *space = kzalloc(sizeof(*space) + 2 * RANGES_BYTES(SMALL_RANGES), GFP_KERNEL);

	if (space)
		reset_space(space);
	return space;
}

static struct ranges *alloc_ranges(u32 capacity)
{
	struct ranges *ranges = kvmalloc(RANGES_BYTES(capacity), GFP_KERNEL);

	if (ranges) {
		ranges->n = 0;
		ranges->capacity = capacity;
	}
	return ranges;
}

static int fill_pools(void)
{
	struct ranges *ranges;
	struct space *space;

	while (READ_ONCE(n_space_pool) < POOL_SPACES) {
		space = alloc_space();
		if (!space)
			return -ENOMEM;
		give(&space->node, &space_pool, &n_space_pool);
	}
	while (READ_ONCE(n_large_pool) < POOL_LARGE) {
		ranges = alloc_ranges(LARGE_RANGES);
		if (!ranges)
			return -ENOMEM;
		give(&ranges->retired, &large_pool, &n_large_pool);
	}
	return 0;
}

/* Spaces come and go. */

static void ask_rebuild(struct space *space)
{
	if (atomic_xchg(&space->asked, 1))
		return;
	llist_add(&space->rebuild, &rebuilds);
	kick_worker();
}

static void ask_scan(void)
{
	WRITE_ONCE(scan_wanted, true);
	kick_worker();
}

/* NULL if there is one already. */
static struct space *publish(struct space *space, struct mm_struct *mm)
{
	u32 hash = hash_mm(mm);
	unsigned long flags;
	bool there;

	raw_spin_lock_irqsave(stripe_of(hash), flags);
	there = find_space(mm);
	if (!there) {
		mmgrab(mm);
		space->mm = mm;
		hlist_add_head_rcu(&space->hash, &table[hash]);
	}
	raw_spin_unlock_irqrestore(stripe_of(hash), flags);
	return there ? NULL : space;
}

static struct space *new_space(struct mm_struct *mm)
{
	struct llist_node *node = take(&space_pool, &n_space_pool, POOL_SPACES / 2);
	struct space *space;

	if (!node) {
		ask_scan();
		return NULL;
	}
	space = llist_entry(node, struct space, node);
	if (publish(space, mm))
		return space;
	give(node, &space_pool, &n_space_pool);
	return NULL;
}

static void retire_ranges(struct space *space, struct ranges *ranges)
{
	if (!is_small(space, ranges))
		llist_add(&ranges->retired, &retired_ranges);
}

void sysprof_spaces_gone(struct mm_struct *mm)
{
	u32 hash = hash_mm(mm);
	struct space *space;
	unsigned long flags;

	raw_spin_lock_irqsave(stripe_of(hash), flags);
	space = find_space(mm);
	if (space)
		hlist_del_rcu(&space->hash);
	raw_spin_unlock_irqrestore(stripe_of(hash), flags);
	if (!space)
		return;
	llist_add(&space->node, &gone_spaces);
	kick_worker();
}

/* Updates. */

/* Lets readers see @new, then makes the other copy the same; a copy that was larger or smaller before is retired. */
static void flip(struct space *space, struct ranges *new, struct ranges *other)
{
	u32 seq = space->seq;
	struct ranges *old;

	old = space->copies[!(seq & 1)];
	if (old != new) {
		WRITE_ONCE(space->copies[!(seq & 1)], new);
		retire_ranges(space, old);
	}
	/* The new copy is whole before it is read; pairs with smp_load_acquire() in sysprof_spaces_resolve(). */
	smp_store_release(&space->seq, seq + 1);
	/* Who still reads the old copy sees the new seq behind it; pairs with smp_rmb() in sysprof_spaces_resolve(). */
	smp_wmb();
	old = space->copies[seq & 1];
	if (old != other) {
		WRITE_ONCE(space->copies[seq & 1], other);
		retire_ranges(space, old);
	}
	memcpy(other->range, new->range, new->n * sizeof(new->range[0]));
	WRITE_ONCE(other->n, new->n);
	space->counted = sysprof_ranges_count(new);
}

/* Both or, if there is no memory, none. */
static bool take_two_large(struct ranges *copies[2])
{
	struct llist_node *node[2];
	int i;

	for (i = 0; i < 2; i++) {
		node[i] = take(&large_pool, &n_large_pool, POOL_LARGE / 2);
		if (!node[i]) {
			if (i)
				give(node[0], &large_pool, &n_large_pool);
			return false;
		}
	}
	for (i = 0; i < 2; i++)
		copies[i] = llist_entry(node[i], struct ranges, retired);
	return true;
}

/* Under space->lock: makes [start, end) @new.  False: there is no memory. */
static bool update(struct space *space, u64 start, u64 end, const struct code_range *new)
{
	struct ranges *read = space->copies[space->seq & 1], *large[2];
	struct ranges *edit = space->copies[!(space->seq & 1)], *other = read;

	/* A range may be cut in two, and one come in between. */
	if (read->n + 2 > edit->capacity) {
		if (edit->capacity >= LARGE_RANGES || !take_two_large(large))
			return false;
		edit = large[0];
		other = large[1];
		memcpy(edit->range, read->range, read->n * sizeof(read->range[0]));
		edit->n = read->n;
	}
	sysprof_ranges_replace(edit, start, end, new);
	flip(space, edit, other);
	return true;
}

/* The hooks. */

static void make_range(struct code_range *range, struct vm_area_struct *vma, u32 pid)
{
	u64 offset = vma->vm_file ? (u64)vma->vm_pgoff << PAGE_SHIFT : 0;
	u64 object = sysprof_state_object(vma, pid);

	range->start = vma->vm_start;
	range->end = vma->vm_end;
	/* An object without an id resolves to nothing, but what lay there before must go. */
	range->base = object ? (object << SYSPROF_FRAME_OBJECT_SHIFT) + offset - vma->vm_start : 0;
	range->counted = vma->vm_flags & (VM_WRITE | VM_STACK) ? 0 : vma_pages(vma);
}

static bool overlaps(const struct ranges *ranges, u64 start, u64 end)
{
	u32 at = sysprof_ranges_first_behind(ranges, start);

	return at < ranges->n && ranges->range[at].start < end;
}

static void apply(struct space *space, u64 start, u64 end, const struct code_range *range)
{
	unsigned long flags;
	bool ok = true;

	raw_spin_lock_irqsave(&space->lock, flags);
	if (range || overlaps(space->copies[space->seq & 1], start, end))
		ok = update(space, start, end, range);
	if (!ok)
		space->incomplete = true;
	raw_spin_unlock_irqrestore(&space->lock, flags);
	if (!ok)
		ask_rebuild(space);
}

void sysprof_spaces_mapped(struct vm_area_struct *vma)
{
	struct mm_struct *mm = vma->vm_mm;
	struct space *space;
	struct code_range range;

	rcu_read_lock();
	space = find_space(mm);
	if (!(vma->vm_flags & VM_EXEC)) {
		if (space)
			apply(space, vma->vm_start, vma->vm_end, NULL);
	} else {
		if (!space) {
			space = new_space(mm);
			/* A new program's first mapping is not counted yet when it gets here; otherwise there are more. */
			if (space && mm->exec_vm) {
				space->incomplete = true;
				ask_rebuild(space);
			}
		}
		make_range(&range, vma, current->tgid);
		if (space)
			apply(space, range.start, range.end, &range);
		if (space && !range.base)
			ask_rebuild(space);
	}
	rcu_read_unlock();
}

void sysprof_spaces_forked(struct mm_struct *parent, struct mm_struct *child)
{
	struct space *from, *to;
	struct ranges *ranges;
	unsigned long flags;
	int i;

	rcu_read_lock();
	from = find_space(parent);
	to = from ? new_space(child) : NULL;
	if (!to)
		goto out;
	raw_spin_lock_irqsave(&from->lock, flags);
	ranges = from->copies[from->seq & 1];
	if (ranges->n > SMALL_RANGES && ranges->n <= LARGE_RANGES)
		take_two_large(to->copies);
	if (ranges->n <= to->copies[0]->capacity) {
		for (i = 0; i < 2; i++) {
			memcpy(to->copies[i]->range, ranges->range, ranges->n * sizeof(ranges->range[0]));
			to->copies[i]->n = ranges->n;
		}
		to->counted = from->counted;
		to->incomplete = from->incomplete;
	} else {
		to->incomplete = true;
	}
	raw_spin_unlock_irqrestore(&from->lock, flags);
	if (to->incomplete)
		ask_rebuild(to);
out:
	rcu_read_unlock();
}

void sysprof_spaces_moved(struct vm_area_struct *vma)
{
	struct space *space;

	/* The move may yet be undone: look when it is over.  Until then the mm's lock is held. */
	rcu_read_lock();
	space = find_space(vma->vm_mm);
	if (space)
		ask_rebuild(space);
	rcu_read_unlock();
}

/* The worker. */

bool sysprof_spaces_lock(struct mm_struct *mm)
{
	int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		if (mmap_read_trylock(mm))
			return true;
		usleep_range(100, 1000);
	}
	return false;
}

/* Reads the executable mappings of @mm, which is locked and process @pid's (0: not known), into two new copies. */
static bool read_mappings(struct mm_struct *mm, u32 pid, struct ranges *copies[2])
{
	struct vm_area_struct *vma;
	struct code_range range;
	u32 n = 0;

	{
		SYSPROF_VMA_ITERATOR(iterator, mm);

		sysprof_for_each_vma(iterator, vma)
			n += !!(vma->vm_flags & VM_EXEC);
	}
	n = max(roundup_pow_of_two(n + SMALL_RANGES / 2), (unsigned long)SMALL_RANGES);
	copies[0] = alloc_ranges(n);
	copies[1] = alloc_ranges(n);
	if (!copies[0] || !copies[1])
		return false;
	{
		SYSPROF_VMA_ITERATOR(iterator, mm);

		sysprof_for_each_vma(iterator, vma) {
			if (!(vma->vm_flags & VM_EXEC))
				continue;
			sysprof_objects_prepare();
			make_range(&range, vma, pid);
			sysprof_ranges_insert(copies[0], copies[0]->n, &range);
		}
	}
	return true;
}

/* @space: the mm's, or NULL to make one.  False: to be tried again. */
static bool rebuild(struct mm_struct *mm, u32 pid, struct space *space)
{
	struct ranges *copies[2] = {};
	unsigned long flags;

	if (!sysprof_spaces_lock(mm))
		return false;
	if (!read_mappings(mm, pid, copies)) {
		mmap_read_unlock(mm);
		kvfree(copies[0]);
		kvfree(copies[1]);
		return false;
	}
	rcu_read_lock();
	if (!space)
		space = find_space(mm);
	if (!space)
		space = new_space(mm);
	if (space) {
		raw_spin_lock_irqsave(&space->lock, flags);
		flip(space, copies[0], copies[1]);
		space->incomplete = false;
		space->rebuilt = ktime_get_mono_fast_ns();
		raw_spin_unlock_irqrestore(&space->lock, flags);
	}
	rcu_read_unlock();
	mmap_read_unlock(mm);
	if (!space) {
		kvfree(copies[0]);
		kvfree(copies[1]);
	}
	return space;
}

static bool rebuild_asked(void)
{
	struct llist_node *list = llist_del_all(&rebuilds);
	struct space *space, *next;
	bool all = true;

	llist_for_each_entry_safe(space, next, list, rebuild) {
		struct mm_struct *mm = space->mm;
		bool done = true;

		/* From here on it may be asked for again. */
		atomic_set(&space->asked, 0);
		if (!mmget_not_zero(mm))
			continue;
		done = rebuild(mm, 0, space);
		if (!done && !READ_ONCE(forgetting))
			ask_rebuild(space);
		/* May be the last: then our own hook runs in here. */
		mmput(mm);
		all = all && done;
	}
	return all;
}

/* A thread of @process that has memory: the leader, unless it has left the others alone.  RCU read side. */
static struct task_struct *thread_with_mm(struct task_struct *process)
{
	struct task_struct *thread;

	if (process->flags & PF_KTHREAD)
		return NULL;
	for_each_thread(process, thread)
		if (READ_ONCE(thread->mm))
			return thread;
	return NULL;
}

/* Every mm that has no space. */
void sysprof_spaces_scan(void)
{
	struct task_struct *process, *thread;
	struct task_struct **tasks;
	unsigned int n = 0, max = 0, i;
	struct mm_struct *mm;
	bool known;

	rcu_read_lock();
	for_each_process(process)
		max++;
	rcu_read_unlock();
	max += max / 8 + 64;
	tasks = kvmalloc_array(max, sizeof(*tasks), GFP_KERNEL);
	if (!tasks)
		return;
	rcu_read_lock();
	for_each_process(process) {
		thread = thread_with_mm(process);
		if (!thread || n == max)
			continue;
		get_task_struct(thread);
		tasks[n++] = thread;
	}
	rcu_read_unlock();
	for (i = 0; i < n; i++) {
		mm = get_task_mm(tasks[i]);
		if (mm) {
			rcu_read_lock();
			known = find_space(mm);
			rcu_read_unlock();
			fill_pools();
			if (!known && !rebuild(mm, tasks[i]->tgid, NULL))
				ask_scan();
			mmput(mm);
		}
		put_task_struct(tasks[i]);
		cond_resched();
	}
	kvfree(tasks);
}

static void free_retired(struct llist_node *list)
{
	struct ranges *ranges, *next;

	llist_for_each_entry_safe(ranges, next, list, retired)
		kvfree(ranges);
}

static void free_gone(struct llist_node *list)
{
	struct space *space, *next;
	int i;

	llist_for_each_entry_safe(space, next, list, node) {
		mmdrop(space->mm);
		for (i = 0; i < 2; i++)
			if (!is_small(space, space->copies[i]))
				kvfree(space->copies[i]);
		reset_space(space);
		if (READ_ONCE(n_space_pool) < POOL_SPACES)
			give(&space->node, &space_pool, &n_space_pool);
		else
			kfree(space);
	}
}

static void work_fn(struct work_struct *unused)
{
	struct llist_node *gone = llist_del_all(&gone_spaces), *retired = llist_del_all(&retired_ranges);
	bool all;

	fill_pools();
	if (gone || retired) {
		/* After this no tick looks at them, and none can ask for a rebuild of one that is gone ... */
		synchronize_rcu();
	}
	/* ... so that when this list has been gone through, they are in none. */
	all = rebuild_asked();
	free_gone(gone);
	free_retired(retired);
	/* Whoever still misses a space asks again. */
	if (READ_ONCE(scan_wanted) && !READ_ONCE(forgetting) && ktime_get_mono_fast_ns() - scanned > REBUILD_NS) {
		WRITE_ONCE(scan_wanted, false);
		sysprof_spaces_scan();
		scanned = ktime_get_mono_fast_ns();
	}
	if (!all)
		usleep_range(10000, 20000);
}

static void kick_fn(struct irq_work *unused)
{
	queue_work(workqueue, &work);
}

/* The tick. */

/* What is behind a gap in the index, or in front of a change that no hook told of.  Never waits for the answer. */
static void doubt(struct space *space)
{
	u64 now = ktime_get_mono_fast_ns();

	if (now - READ_ONCE(space->rebuilt) > REBUILD_NS)
		ask_rebuild(space);
}

static u32 resolve_once(const struct ranges *ranges, const u64 *addresses, u32 n, bool first_is_exact, u64 *frames)
{
	const struct code_range *range = NULL;
	u32 i, at;
	u64 place;

	for (i = 0; i < n; i++) {
		place = addresses[i] - !(i == 0 && first_is_exact);
		/* Callers often lie in the same object. */
		if (!range || place < range->start || place >= range->end) {
			at = sysprof_ranges_first_behind(ranges, place);
			if (at >= READ_ONCE(ranges->n))
				break;
			range = &ranges->range[at];
			if (place < range->start || !range->base)
				break;
		}
		frames[i] = addresses[i] + range->base;
	}
	return i;
}

u32 sysprof_spaces_resolve(const u64 *addresses, u32 n, bool first_is_exact, bool in_user, u64 *frames, u8 *end)
{
	struct space *space = find_space(current->mm);
	const struct ranges *ranges;
	u32 seq, resolved, i;

	if (!n)
		return 0;
	if (!space) {
		ask_scan();
		*end = SYSPROF_END_UNMAPPED;
		return 0;
	}
	for (i = 0; i < READ_TRIES; i++) {
		/* Pairs with smp_store_release() in flip(). */
		seq = smp_load_acquire(&space->seq);
		ranges = READ_ONCE(space->copies[seq & 1]);
		resolved = resolve_once(ranges, addresses, n, first_is_exact, frames);
		/* Pairs with smp_wmb() in flip(): had the copy been edited meanwhile, seq is another. */
		smp_rmb();
		if (likely(READ_ONCE(space->seq) == seq))
			break;
	}
	if (i == READ_TRIES)
		resolved = 0;
	if (resolved < n)
		*end = SYSPROF_END_UNMAPPED;
	/* While a task runs in user mode nobody is half way through changing its mappings, or only a sibling is. */
	if (!resolved || READ_ONCE(space->incomplete) ||
	    (in_user && READ_ONCE(space->counted) != READ_ONCE(current->mm->exec_vm)))
		doubt(space);
	return resolved;
}

/* Life. */

int sysprof_spaces_prepare(void)
{
	return fill_pools();
}

void sysprof_spaces_forget(void)
{
	struct hlist_node *next;
	struct space *space;
	int i;

	WRITE_ONCE(forgetting, true);
	irq_work_sync(&kick);
	flush_work(&work);
	for (i = 0; i < ARRAY_SIZE(table); i++) {
		hlist_for_each_entry_safe(space, next, &table[i], hash) {
			hlist_del(&space->hash);
			llist_add(&space->node, &gone_spaces);
		}
	}
	/* The first round lets go of them, a second one of what the first brought up. */
	for (i = 0; i < 2; i++) {
		queue_work(workqueue, &work);
		flush_work(&work);
	}
	WRITE_ONCE(scan_wanted, false);
	WRITE_ONCE(forgetting, false);
}

int sysprof_spaces_init(void)
{
	int i;

	workqueue = alloc_ordered_workqueue("sysprof-spaces", 0);
	if (!workqueue)
		return -ENOMEM;
	for (i = 0; i < ARRAY_SIZE(stripes); i++)
		raw_spin_lock_init(&stripes[i]);
	init_irq_work(&kick, kick_fn);
	INIT_WORK(&work, work_fn);
	return 0;
}

/* Forgotten before. */
void sysprof_spaces_exit(void)
{
	struct space *space, *next;

	sysprof_spaces_forget();
	irq_work_sync(&kick);
	destroy_workqueue(workqueue);
	llist_for_each_entry_safe(space, next, llist_del_all(&space_pool), node)
		kfree(space);
	free_retired(llist_del_all(&large_pool));
}
