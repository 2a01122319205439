// SPDX-License-Identifier: GPL-2.0-only
/*
 * Snapshots: the present state of tasks, address spaces and objects, as state records in the
 * caller's memory.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "mm-id.h"
#include "mm-put.h"
#include "objects.h"
#include "regions.h"
#include "snapshot.h"
#include "source-ops.h"
#include "spaces.h"
#include "state.h"
#include "sysprof-event.h"
#include "traced.h"

#define SNAPSHOT_MIN_BYTES	(64U << 10)
#define SNAPSHOT_MAX_BYTES	(16U << 20)
/* A task that executes programs all the time is described as it was a moment later. */
#define EXEC_TRIES		8

/*
 * Threads by their ids: a descriptor that stays open during a walk must not keep the tasks of
 * exited threads.
 */
struct sysprof_snapshot_walk {
	unsigned int n;
	struct pid *threads[];
};

void sysprof_snapshot_end(struct sysprof_snapshot_walk *walk)
{
	unsigned int i;

	if (!walk)
		return;
	for (i = 0; i < walk->n; i++)
		put_pid(walk->threads[i]);
	kvfree(walk);
}

static struct sysprof_snapshot_walk *begin_walk(void)
{
	struct task_struct *process, *thread;
	struct sysprof_snapshot_walk *walk;
	unsigned int max = 0;

	rcu_read_lock();
	for_each_process_thread(process, thread)
		max++;
	rcu_read_unlock();
	/* Threads that are made from here on are reported by FORK. */
	max += max / 8 + 64;
	walk = kvmalloc(struct_size(walk, threads, max), GFP_KERNEL_ACCOUNT);
	if (!walk)
		return NULL;
	walk->n = 0;
	rcu_read_lock();
	for_each_process_thread(process, thread) {
		if (walk->n == max)
			break;
		walk->threads[walk->n++] = get_pid(task_pid(thread));
	}
	rcu_read_unlock();
	return walk;
}

/* Puts the regions of @mm behind @used bytes of @buffer.  -ENOSPC if they might not fit. */
static int put_regions(const struct mm_struct *mm, u8 *buffer, u32 bytes, u32 *used)
{
	struct sysprof_region *records = (struct sysprof_region *)(buffer + *used);
	u64 now = ktime_get_mono_fast_ns();
	u32 i, n;

	if (bytes - *used < SYSPROF_REGIONS_MAX * sizeof(*records))
		return -ENOSPC;
	n = sysprof_spaces_regions(mm, records);
	for (i = 0; i < n; i++)
		records[i].record.time = now;
	*used += n * sizeof(*records);
	return 0;
}

/*
 * Puts the maps of @mm behind @used bytes of @buffer.  @tries: for its lock.  -ENOSPC if they do
 * not fit, -EBUSY if @mm is locked.
 */
static int put_maps(struct task_struct *task, struct mm_struct *mm, u8 *buffer, u32 bytes,
		    u32 *used, unsigned int *tries)
{
	struct vm_area_struct *vma;
	struct sysprof_map map;
	u32 at = *used;
	int err = 0;

	if (!sysprof_spaces_lock(mm, tries))
		return -EBUSY;
	{
		SYSPROF_VMA_ITERATOR(iterator, mm);

		sysprof_for_each_vma(iterator, vma) {
			if (!(vma->vm_flags & VM_EXEC))
				continue;
			if (bytes - at < sizeof(map)) {
				err = -ENOSPC;
				break;
			}
			sysprof_state_map(&map, 0, vma, task);
			map.record.time = ktime_get_mono_fast_ns();
			memcpy(buffer + at, &map, sizeof(map));
			at += sizeof(map);
		}
	}
	mmap_read_unlock(mm);
	if (!err)
		*used = at;
	return err;
}

static bool may_see_maps(struct task_struct *task, const struct mm_struct *mm,
			 enum sysprof_maps maps, const struct sysprof_session *session)
{
	if (maps != SYSPROF_MAPS_TRACEABLE)
		return maps == SYSPROF_MAPS_ALL;
	return sysprof_traced_may(session, task, mm);
}

/*
 * Sets @record to what @task was at the record's time: later changes have a record with a later
 * one.  Another image would get samples of the one before its exec, so both are looked at twice.
 * Returns the address space, with a reference, or NULL.
 */
static struct mm_struct *describe_task(struct task_struct *task, struct sysprof_task *record)
{
	unsigned int tries = EXEC_TRIES;
	struct mm_struct *mm;
	u64 now;

	for (;;) {
		mm = get_task_mm(task);
		now = ktime_get_mono_fast_ns();
		sysprof_state_task(record, SYSPROF_TASK, 0, task, task->comm);
		record->mm = sysprof_mm_id(mm);
		record->record.time = now;
		/* Pairs with the task's lock, which exec gives back and takes between the two. */
		smp_rmb();
		if (!mm || READ_ONCE(task->mm) == mm || !--tries)
			break;
		sysprof_mm_put(mm);
	}
	rcu_read_lock();
	record->parent_pid = pid_alive(task) ? rcu_dereference(task->real_parent)->tgid : 0;
	rcu_read_unlock();
	return mm;
}

static int put_task(struct task_struct *task, enum sysprof_maps maps,
		    const struct sysprof_session *session, u8 *buffer, u32 bytes, u32 *used,
		    u32 *busy, unsigned int *tries)
{
	struct sysprof_task record;
	struct mm_struct *mm;
	u32 at = *used;
	int err = 0;

	if (bytes - at < sizeof(record))
		return -ENOSPC;
	mm = describe_task(task, &record);
	memcpy(buffer + at, &record, sizeof(record));
	at += sizeof(record);

	/* Once per process; its leader may have exited before the others. */
	if (mm && (thread_group_leader(task) || !READ_ONCE(task->group_leader->mm))) {
		err = may_see_maps(task, mm, maps, session) ?
			      put_maps(task, mm, buffer, bytes, &at, tries) :
			      0;
		if (err == -EBUSY) {
			++*busy;
			err = 0;
		}
		if (!err)
			err = put_regions(mm, buffer, bytes, &at);
	}
	if (mm)
		sysprof_mm_put(mm);
	if (!err)
		*used = at;
	return err;
}

/* The task's times, if the session may know them. */
static int put_thread(struct task_struct *task, const struct sysprof_session *session, u8 *buffer,
		      u32 bytes, u32 *used)
{
	struct sysprof_thread record;
	unsigned long flags;
	int err;

	if (bytes - *used < sizeof(record))
		return -ENOSPC;
	for (;;) {
		local_irq_save(flags);
		err = sysprof_source_ops->thread(session, task, &record);
		local_irq_restore(flags);
		if (err != -EAGAIN)
			break;
		/* A host has taken away the CPU that changes the thread's sums. */
		if (signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	if (!err) {
		memcpy(buffer + *used, &record, sizeof(record));
		*used += sizeof(record);
	}
	return 0;
}

static int snapshot_tasks(struct sysprof_snapshot_walk **walk, struct sysprof_snapshot *arg,
			  enum sysprof_maps maps, const struct sysprof_session *session, u8 *buffer)
{
	struct task_struct *task;
	unsigned int tries = SYSPROF_LOCK_TRIES;
	u32 used = 0;
	int err = 0;

	if (!arg->cursor) {
		sysprof_snapshot_end(*walk);
		*walk = begin_walk();
		if (!*walk)
			return -ENOMEM;
	}
	if (!*walk || arg->cursor > (*walk)->n)
		return -EINVAL;
	for (; arg->cursor < (*walk)->n; arg->cursor++) {
		task = get_pid_task((*walk)->threads[arg->cursor], PIDTYPE_PID);
		/* EXIT has reported it. */
		if (!task)
			continue;
		err = arg->part == SYSPROF_SNAPSHOT_THREADS ?
			      put_thread(task, session, buffer, arg->buffer_bytes, &used) :
			      put_task(task, maps, session, buffer, arg->buffer_bytes, &used,
				       &arg->busy, &tries);
		put_task_struct(task);
		if (err)
			break;
		if (signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	/* A call ends when the buffer is full, unless one task alone is too large. */
	if (err && !used)
		return err;
	if (!used) {
		sysprof_snapshot_end(*walk);
		*walk = NULL;
	}
	arg->filled_bytes = used;
	return 0;
}

/* Cursors of threads from here on are slots. */
#define LEAVING		(1ULL << 32)
#define SLOTS_AT_ONCE	8

/*
 * Threads that are off the list of threads, without ids, but have not left their CPU for the last
 * time.  Nothing else would report them if the session stops before they do.
 */
static int snapshot_leaving(struct sysprof_snapshot *arg, const struct sysprof_session *session,
			    u8 *buffer)
{
	u32 i = min_t(u64, arg->cursor - LEAVING, U32_MAX), slots = sysprof_source_ops->slots();
	struct task_struct *task;
	u32 used = 0;
	int err = 0;

	if (i > slots)
		return -EINVAL;
	for (; i < slots; i++) {
		task = sysprof_source_ops->leaving(i);
		if (unlikely(task)) {
			err = put_thread(task, session, buffer, arg->buffer_bytes, &used);
			put_task_struct(task);
		}
		if (err)
			break;
		if (!(i % SLOTS_AT_ONCE))
			cond_resched();
	}
	arg->cursor = LEAVING + i;
	arg->filled_bytes = used;
	/* Nothing and no error would be the end. */
	return used ? 0 : err;
}

static int snapshot_all_threads(struct sysprof_snapshot_walk **walk, struct sysprof_snapshot *arg,
				const struct sysprof_session *session, u8 *buffer)
{
	int err;

	if (arg->cursor < LEAVING) {
		err = snapshot_tasks(walk, arg, SYSPROF_MAPS_NONE, session, buffer);
		if (err || arg->filled_bytes)
			return err;
		arg->cursor = LEAVING;
	}
	return snapshot_leaving(arg, session, buffer);
}

/* The hooks of switches are held, so that the table of threads stays. */
static int snapshot_threads(struct sysprof_snapshot_walk **walk, struct sysprof_snapshot *arg,
			    const struct sysprof_session *session, u8 *buffer)
{
	int err;

	/* Sessions that have not requested them do not use hooks. */
	if (!sysprof_source_has_threads(session))
		return -EINVAL;
	err = sysprof_source_ops->hold_threads();
	if (err)
		return err;
	err = sysprof_source_has_threads(session) ?
		      snapshot_all_threads(walk, arg, session, buffer) :
		      -EINVAL;
	sysprof_source_ops->release_threads();
	return err;
}

static int snapshot_objects(struct sysprof_snapshot *arg, u8 *buffer)
{
	u32 last = arg->cursor;

	if (!arg->cursor)
		sysprof_objects_flush();
	arg->filled_bytes = sysprof_objects_fill(arg->cursor, buffer, arg->buffer_bytes, &last);
	arg->cursor = last;
	return 0;
}

int sysprof_snapshot_take(struct sysprof_snapshot_walk **walk, struct sysprof_snapshot *arg,
			  enum sysprof_maps maps, const struct sysprof_session *session)
{
	u8 *buffer;
	int err;

	if (arg->buffer_bytes < SNAPSHOT_MIN_BYTES || arg->part > SYSPROF_SNAPSHOT_THREADS)
		return -EINVAL;
	arg->buffer_bytes = min(arg->buffer_bytes, SNAPSHOT_MAX_BYTES);
	/*
	 * Not straight to the caller: a fault on its memory takes a lock that may be the one that
	 * is held.
	 */
	buffer = kvmalloc(arg->buffer_bytes, GFP_KERNEL_ACCOUNT);
	if (!buffer)
		return -ENOMEM;
	switch (arg->part) {
	case SYSPROF_SNAPSHOT_TASKS:
		err = snapshot_tasks(walk, arg, maps, session, buffer);
		break;
	case SYSPROF_SNAPSHOT_OBJECTS:
		err = snapshot_objects(arg, buffer);
		break;
	default:
		err = snapshot_threads(walk, arg, session, buffer);
	}
	if (!err && copy_to_user(u64_to_user_ptr(arg->buffer), buffer, arg->filled_bytes))
		err = -EFAULT;
	kvfree(buffer);
	return err;
}
