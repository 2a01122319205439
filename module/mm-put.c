// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drops references to address spaces that were read.  A process may exit meanwhile, and then this
 * module tears its memory down.  That waits for its asynchronous I/O, for ever if a server does not
 * answer (FUSE), so a work item of its own does it, which nothing waits for but the module's end:
 * the module is in use until then.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "mm-put.h"

struct last_put {
	struct work_struct work;
	struct mm_struct *mm;
};

static struct workqueue_struct *workqueue;

static void put_fn(struct work_struct *work)
{
	struct last_put *last = container_of(work, struct last_put, work);

	mmput(last->mm);
	kfree(last);
	/* destroy_workqueue() waits for the rest of this function. */
	module_put(THIS_MODULE);
}

void sysprof_mm_put(struct mm_struct *mm)
{
	struct last_put *last;

	if (atomic_add_unless(&mm->mm_users, -1, 1))
		return;
	last = kmalloc(sizeof(*last), GFP_KERNEL | __GFP_NOFAIL);
	INIT_WORK(&last->work, put_fn);
	last->mm = mm;
	__module_get(THIS_MODULE);
	queue_work(workqueue, &last->work);
}

int sysprof_mm_put_init(void)
{
	workqueue = alloc_workqueue("sysprof-mm", WQ_UNBOUND, 0);
	return workqueue ? 0 : -ENOMEM;
}

void sysprof_mm_put_exit(void)
{
	destroy_workqueue(workqueue);
}
