// SPDX-License-Identifier: GPL-2.0-only
/* Address spaces: the worker, which reads mappings where a hook could not. */
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
#include "space.h"
#include "spaces.h"

/* An address space rests for this multiple of the time that reading it took. */
#define REST		10
/* After this time a scan leaves the rest to the worker. */
#define SCAN_NS		(200 * NSEC_PER_MSEC)

static bool forgetting;
static u64 scanned;
static struct work_struct work;
static struct workqueue_struct *workqueue;

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
	if (!sysprof_space_alloc_copies(copies, n, space->payer)) {
		*coarse = n > LARGE_RANGES;
		n = LARGE_RANGES;
		if (!*coarse || !sysprof_space_alloc_copies(copies, n, space->payer))
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

static bool space_is_resting(const struct space *space)
{
	return ktime_get_mono_fast_ns() - space->rebuilt < space->rest_ns;
}

static bool rebuild_asked(void)
{
	struct llist_node *list = llist_del_all(&sysprof_space_duties.rebuilds);
	unsigned int tries = SYSPROF_LOCK_TRIES;
	struct space *space, *next;
	bool all = true;

	llist_for_each_entry_safe(space, next, list, rebuild) {
		struct mm_struct *mm = space->mm;
		bool done = true;

		/* Other users' hooks need memory, however many mappings there are here. */
		sysprof_space_fill_pools();
		/* From here on the space may be requested again. */
		atomic_set(&space->asked, 0);
		if (!mmget_not_zero(mm)) {
			/* Its end was missed, or is being reported right now. */
			sysprof_spaces_gone(mm);
			continue;
		}
		done = !space_is_resting(space) && rebuild(mm, 0, space, &tries);
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
			sysprof_space_fill_pools();
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

static void spaces_work_work_fn(struct work_struct *unused)
{
	struct llist_node *gone = llist_del_all(&sysprof_space_duties.gone),
			  *retired = llist_del_all(&sysprof_space_duties.retired);
	bool all;

	sysprof_space_fill_pools();
	if (gone || retired) {
		/*
		 * After this no tick uses removed spaces, and none can ask for a rebuild of one
		 * ...
		 */
		synchronize_rcu();
	}
	/* ... so that they are in no list once this list has been processed. */
	all = rebuild_asked();
	sysprof_space_free_gone(gone);
	sysprof_space_free_retired(retired);
	/* A hook that still finds no space requests it again. */
	if (READ_ONCE(sysprof_space_duties.scan_wanted) && !READ_ONCE(forgetting) &&
	    ktime_get_mono_fast_ns() - scanned > REBUILD_NS) {
		WRITE_ONCE(sysprof_space_duties.scan_wanted, false);
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
	return sysprof_space_fill_pools();
}

void sysprof_spaces_forget(void)
{
	int i;

	WRITE_ONCE(forgetting, true);
	irq_work_sync(&sysprof_space_duties.kick);
	flush_work(&work);
	sysprof_spaces_bury_all();
	/* The first round drops them, a second one those that the first found. */
	for (i = 0; i < 2; i++) {
		queue_work(workqueue, &work);
		flush_work(&work);
	}
	WRITE_ONCE(sysprof_space_duties.scan_wanted, false);
	WRITE_ONCE(forgetting, false);
}

int sysprof_spaces_init(void)
{
	workqueue = alloc_ordered_workqueue("sysprof-spaces", 0);
	if (!workqueue)
		return -ENOMEM;
	sysprof_spaces_init_table();
	init_irq_work(&sysprof_space_duties.kick, spaces_work_kick_fn);
	INIT_WORK(&work, spaces_work_work_fn);
	return 0;
}

/* Forgotten before. */
void sysprof_spaces_exit(void)
{
	sysprof_spaces_forget();
	irq_work_sync(&sysprof_space_duties.kick);
	destroy_workqueue(workqueue);
	sysprof_space_free_pools();
}
