// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces: the memory that their hooks take, and the worker that fills and frees it and
 * reads mappings where a hook could not.
 */
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "mm-put.h"
#include "objects.h"
#include "ranges.h"
#include "regions.h"
#include "space.h"
#include "spaces.h"

#define POOL_SPACES	256
#define POOL_LARGE	16
#define POOL_REGIONS	16
/* An address space rests for this multiple of the time that reading it took. */
#define REST		10
/* After this time a scan leaves the rest to the worker. */
#define SCAN_NS		(200 * NSEC_PER_MSEC)

/* Pools: hooks take from them, under pool_lock; the worker fills them. */
static DEFINE_RAW_SPINLOCK(pool_lock);
static struct llist_head space_pool, large_pool, regions_pool;
static int n_space_pool, n_large_pool, n_regions_pool;

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

void sysprof_space_queue(struct space *space)
{
	llist_add(&space->rebuild, &rebuilds);
	kick_worker();
}

void sysprof_spaces_queue_scan(void)
{
	WRITE_ONCE(scan_wanted, true);
	kick_worker();
}

/* Small copies are in memory behind their space. */
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
		sysprof_ranges_clear(space->copies[i]);
		space->copies[i]->capacity = SMALL_RANGES;
	}
	raw_spin_lock_init(&space->lock);
	space->mm = NULL;
	space->regions = NULL;
	space->seq = 0;
	space->incomplete = false;
	space->coarse = false;
	space->rebuilt = 0;
	space->rest_ns = 0;
	atomic_set(&space->asked, 0);
}

/* Pools. */

static struct llist_node *spaces_work_take(struct llist_head *pool, int *n, int low)
{
	struct llist_node *node;

	raw_spin_lock(&pool_lock);
	node = llist_del_first(pool);
	if (node)
		--*n;
	if (*n < low)
		kick_worker();
	raw_spin_unlock(&pool_lock);
	return node;
}

static void give(struct llist_node *node, struct llist_head *pool, int *n)
{

	raw_spin_lock(&pool_lock);
	llist_add(node, pool);
	++*n;
	raw_spin_unlock(&pool_lock);
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
		sysprof_ranges_clear(ranges);
		ranges->capacity = capacity;
	}
	return ranges;
}

/* A copy larger than those of the pool is charged to @payer. */
static struct ranges *alloc_ranges_of(u32 capacity, sysprof_payer payer)
{
	struct ranges *ranges;

	if (capacity <= LARGE_RANGES)
		return alloc_ranges(capacity);
	if (!sysprof_quota_take(payer, RANGES_BYTES(capacity)))
		return NULL;
	ranges = alloc_ranges(capacity);
	if (ranges)
		ranges->payer = payer;
	else
		sysprof_quota_give(payer, RANGES_BYTES(capacity));
	return ranges;
}

static void free_ranges(struct ranges *ranges)
{
	if (ranges && ranges->capacity > LARGE_RANGES)
		sysprof_quota_give(ranges->payer, RANGES_BYTES(ranges->capacity));
	kvfree(ranges);
}

static int fill_pools(void)
{
	struct regions *regions;
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
	while (READ_ONCE(n_regions_pool) < POOL_REGIONS) {
		regions = kzalloc(sizeof(*regions), GFP_KERNEL);
		if (!regions)
			return -ENOMEM;
		give(&regions->pooled, &regions_pool, &n_regions_pool);
	}
	return 0;
}

struct space *sysprof_space_take(void)
{
	struct llist_node *node = spaces_work_take(&space_pool, &n_space_pool, POOL_SPACES / 2);

	return node ? llist_entry(node, struct space, node) : NULL;
}

void sysprof_space_give(struct space *space)
{
	give(&space->node, &space_pool, &n_space_pool);
}

struct regions *sysprof_space_take_regions(void)
{
	struct llist_node *node =
		spaces_work_take(&regions_pool, &n_regions_pool, POOL_REGIONS / 2);

	return node ? llist_entry(node, struct regions, pooled) : NULL;
}

bool sysprof_space_take_large(struct ranges *copies[2])
{
	struct llist_node *node[2];
	int i;

	for (i = 0; i < 2; i++) {
		node[i] = spaces_work_take(&large_pool, &n_large_pool, POOL_LARGE / 2);
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

void sysprof_space_retire(struct space *space, struct ranges *ranges)
{
	if (!is_small(space, ranges))
		llist_add(&ranges->retired, &retired_ranges);
}

void sysprof_space_bury(struct space *space)
{
	llist_add(&space->node, &gone_spaces);
	kick_worker();
}

/* The worker. */

bool sysprof_spaces_lock(struct mm_struct *mm, unsigned int *tries)
{
	while (!mmap_read_trylock(mm)) {
		if (!*tries)
			return false;
		--*tries;
		usleep_range(100, 1000);
	}
	return true;
}

static bool alloc_copies(struct ranges *copies[2], u32 capacity, sysprof_payer payer)
{
	int i;

	for (i = 0; i < 2; i++)
		copies[i] = alloc_ranges_of(capacity, payer);
	if (copies[0] && copies[1])
		return true;
	for (i = 0; i < 2; i++)
		free_ranges(copies[i]);
	return false;
}

static unsigned long count_mappings(struct mm_struct *mm)
{
	struct vm_area_struct *vma;
	unsigned long n = 0;

	SYSPROF_VMA_ITERATOR(iterator, mm);

	sysprof_for_each_vma(iterator, vma)
		n += !!(vma->vm_flags & VM_EXEC);
	return n;
}

/*
 * Reads the executable mappings of @mm, which is @space's, locked and process @pid's (0: not
 * known), into two new copies.  *@coarse: some are missing.
 */
static bool spaces_work_read_mappings(struct mm_struct *mm, u32 pid, const struct space *space,
				      struct ranges *copies[2], bool *coarse)
{
	unsigned long n = count_mappings(mm) + SMALL_RANGES / 2;
	struct vm_area_struct *vma;
	struct code_range range;

	SYSPROF_VMA_ITERATOR(iterator, mm);

	n = max_t(unsigned long, roundup_pow_of_two(n), SMALL_RANGES);
	*coarse = n > RANGES_MAX;
	if (*coarse)
		n = RANGES_MAX;
	if (!alloc_copies(copies, n, space->payer)) {
		*coarse = n > LARGE_RANGES;
		n = LARGE_RANGES;
		if (!*coarse || !alloc_copies(copies, n, space->payer))
			return false;
	}
	sysprof_for_each_vma(iterator, vma) {
		if (!(vma->vm_flags & VM_EXEC) || (*coarse && !vma->vm_file))
			continue;
		/* Room for ranges that hooks add in between. */
		if (copies[0]->n + SMALL_RANGES / 2 > n)
			break;
		sysprof_objects_prepare();
		sysprof_space_range(&range, vma, pid, space->payer);
		sysprof_ranges_insert(copies[0], copies[0]->n, &range);
	}
	return true;
}

/*
 * Fills @space with the mappings of its address space, @mm.  @tries: for its lock.  False: to be
 * tried again.
 */
static bool rebuild(struct mm_struct *mm, u32 pid, struct space *space, unsigned int *tries)
{
	struct ranges *copies[2];
	bool done, coarse;
	u64 begun;

	if (!sysprof_spaces_lock(mm, tries))
		return false;
	begun = ktime_get_mono_fast_ns();
	done = spaces_work_read_mappings(mm, pid, space, copies, &coarse);
	if (done) {
		sysprof_space_install(space, copies, coarse);
		space->rest_ns = coarse ? COARSE_NS : REST * (space->rebuilt - begun);
	}
	mmap_read_unlock(mm);
	return done;
}

static bool is_resting(const struct space *space)
{
	return ktime_get_mono_fast_ns() - space->rebuilt < space->rest_ns;
}

static bool rebuild_asked(void)
{
	struct llist_node *list = llist_del_all(&rebuilds);
	unsigned int tries = SYSPROF_LOCK_TRIES;
	struct space *space, *next;
	bool all = true;

	llist_for_each_entry_safe(space, next, list, rebuild) {
		struct mm_struct *mm = space->mm;
		bool done = true;

		/* Other users' hooks need memory, however many mappings there are here. */
		fill_pools();
		/* From here on the space may be requested again. */
		atomic_set(&space->asked, 0);
		if (!mmget_not_zero(mm)) {
			/* Its end was missed, or is being reported right now. */
			sysprof_spaces_gone(mm);
			continue;
		}
		done = !is_resting(space) && rebuild(mm, 0, space, &tries);
		if (!done && !READ_ONCE(forgetting))
			ask_rebuild(space);
		sysprof_mm_put(mm);
		all = all && done;
	}
	return all;
}

/*
 * A thread of @process that has memory: the leader, unless it has exited before the others.  RCU
 * read side.
 */
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

/* @in_time: the mappings may be read now. */
static void make_space(struct mm_struct *mm, struct task_struct *task, bool in_time,
		       unsigned int *tries)
{
	struct space *space = sysprof_space_get(mm, sysprof_quota_payer(task));

	if (!space)
		ask_scan();
	else if (!in_time || !rebuild(mm, task->tgid, space, tries))
		ask_rebuild(space);
}

/* Every mm that has no space. */
void sysprof_spaces_scan(void)
{
	struct task_struct *process, *thread;
	struct task_struct **tasks;
	unsigned int n = 0, max = 0, tries = SYSPROF_LOCK_TRIES, i;
	u64 begun = ktime_get_mono_fast_ns();
	struct mm_struct *mm;

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
			fill_pools();
			if (!sysprof_space_known(mm))
				make_space(mm, tasks[i],
					   ktime_get_mono_fast_ns() - begun < SCAN_NS, &tries);
			sysprof_mm_put(mm);
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
		free_ranges(ranges);
}

static void free_gone(struct llist_node *list)
{
	struct space *space, *next;
	int i;

	llist_for_each_entry_safe(space, next, list, node) {
		mmdrop(space->mm);
		for (i = 0; i < 2; i++)
			if (!is_small(space, space->copies[i]))
				free_ranges(space->copies[i]);
		kfree(space->regions);
		reset_space(space);
		if (READ_ONCE(n_space_pool) < POOL_SPACES)
			give(&space->node, &space_pool, &n_space_pool);
		else
			kfree(space);
	}
}

static void spaces_work_work_fn(struct work_struct *unused)
{
	struct llist_node *gone = llist_del_all(&gone_spaces),
			  *retired = llist_del_all(&retired_ranges);
	bool all;

	fill_pools();
	if (gone || retired) {
		/*
		 * After this no tick uses removed spaces, and none can ask for a rebuild of one
		 * ...
		 */
		synchronize_rcu();
	}
	/* ... so that they are in no list once this list has been processed. */
	all = rebuild_asked();
	free_gone(gone);
	free_retired(retired);
	/* A hook that still finds no space requests it again. */
	if (READ_ONCE(scan_wanted) && !READ_ONCE(forgetting) &&
	    ktime_get_mono_fast_ns() - scanned > REBUILD_NS) {
		WRITE_ONCE(scan_wanted, false);
		sysprof_spaces_scan();
		scanned = ktime_get_mono_fast_ns();
	}
	if (!all)
		usleep_range(10000, 20000);
}

static void spaces_work_kick_fn(struct irq_work *unused)
{
	queue_work(workqueue, &work);
}

/* Life. */

int sysprof_spaces_prepare(void)
{
	return fill_pools();
}

void sysprof_spaces_forget(void)
{
	int i;

	WRITE_ONCE(forgetting, true);
	irq_work_sync(&kick);
	flush_work(&work);
	sysprof_spaces_bury_all();
	/* The first round drops them, a second one those that the first found. */
	for (i = 0; i < 2; i++) {
		queue_work(workqueue, &work);
		flush_work(&work);
	}
	WRITE_ONCE(scan_wanted, false);
	WRITE_ONCE(forgetting, false);
}

int sysprof_spaces_init(void)
{
	workqueue = alloc_ordered_workqueue("sysprof-spaces", 0);
	if (!workqueue)
		return -ENOMEM;
	sysprof_spaces_init_table();
	init_irq_work(&kick, spaces_work_kick_fn);
	INIT_WORK(&work, spaces_work_work_fn);
	return 0;
}

/* Forgotten before. */
void sysprof_spaces_exit(void)
{
	struct regions *regions, *next_regions;
	struct space *space, *next;

	sysprof_spaces_forget();
	irq_work_sync(&kick);
	destroy_workqueue(workqueue);
	llist_for_each_entry_safe(space, next, llist_del_all(&space_pool), node)
		kfree(space);
	llist_for_each_entry_safe(regions, next_regions, llist_del_all(&regions_pool), pooled)
		kfree(regions);
	free_retired(llist_del_all(&large_pool));
}
