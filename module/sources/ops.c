// SPDX-License-Identifier: GPL-2.0-only
/* Init and exit of sysprof-sources, and the table through which sysprof calls it. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>

#include "compat/export.h"
#include "source-ops.h"
#include "sources/holds.h"
#include "sources/irqs-off.h"
#include "sources/sources.h"
#include "sources/switch.h"
#include "sources/threads.h"

/* While the hooks of switches are armed, the table of threads stays. */
static int hold_threads(void)
{
	return sysprof_arm(&sysprof_switches);
}

static void release_threads(void)
{
	sysprof_disarm(&sysprof_switches);
}

static struct task_struct *leaving_thread(u32 slot)
{
	struct task_struct *task;

	/*
	 * A key has a reference, and the last switch drops it with the scheduler's own still there,
	 * which goes a grace period later.
	 */
	rcu_read_lock();
	task = READ_ONCE(sysprof_threads.keys[slot]);
	if (likely(!task) || pid_alive(task))
		task = NULL;
	else
		get_task_struct(task);
	rcu_read_unlock();
	return task;
}

static const struct sysprof_source_ops ops = {
	.owner = THIS_MODULE,
	.build = SYSPROF_BUILD,
	.set = sysprof_sources_set,
	.info = sysprof_sources_info,
	.destroy = sysprof_sources_destroy,
	.requests = sysprof_sources_requests,
	.arm = sysprof_sources_arm,
	.disarm = sysprof_sources_disarm,
	.begin = sysprof_sources_begin,
	.end = sysprof_sources_end,
	.flush = sysprof_sources_flush,
	.account = sysprof_sources_account,
	.tell = sysprof_sources_tell,
	.has_threads = sysprof_sources_has_threads,
	.thread = sysprof_sources_thread,
	.hold_threads = hold_threads,
	.release_threads = release_threads,
	.slots = sysprof_threads_slots,
	.leaving = leaving_thread,
	.late = sysprof_irqs_off_late,
	.tick = sysprof_holds_take,
	.switched = sysprof_switch,
	.arrives = sysprof_holds_enter,
};

static int __init sources_init(void)
{
	return sysprof_source_register(&ops);
}

/* No session has sources, and none can get any. */
static void __exit sources_exit(void)
{
	sysprof_sources_disarm_now();
	sysprof_source_unregister();
}

module_init(sources_init);
module_exit(sources_exit);

MODULE_DESCRIPTION("System profiler: waits, interrupts, locks, memory and other events of the kernel");
MODULE_VERSION(SYSPROF_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS(SYSPROF_SOURCES_ALIAS);
SYSPROF_IMPORT;
