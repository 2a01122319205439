// SPDX-License-Identifier: GPL-2.0-only
/*
 * Injected idle time, as a thermal driver makes it: while it is loaded a thread of CPU 0 is its
 * idle task for 2 ms out of every 20.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

static struct task_struct *thread;

static int inject(void *unused)
{
	/* play_idle_precise() is for threads with a real-time priority. */
	sched_set_fifo(current);
	while (!kthread_should_stop()) {
		play_idle_precise(2 * NSEC_PER_MSEC, U64_MAX);
		usleep_range(18000, 18100);
	}
	return 0;
}

static int __init idled_init(void)
{
	thread = kthread_create_on_cpu(inject, NULL, 0, "idled/%u");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	wake_up_process(thread);
	return 0;
}

static void __exit idled_exit(void)
{
	kthread_stop(thread);
}

module_init(idled_init);
module_exit(idled_exit);

MODULE_DESCRIPTION("Injected idle time");
MODULE_LICENSE("GPL");
