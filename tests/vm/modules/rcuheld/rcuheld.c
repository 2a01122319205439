// SPDX-License-Identifier: GPL-2.0-only
/*
 * A grace period of RCU that takes as long as one likes: who writes N to the parameter hold starts
 * a reader on CPU 1, with preemption off, for N ms; the parameter held says whether it is at it.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

static bool held;
module_param(held, bool, 0444);

/* Writing a parameter keeps others from reading one: it must not wait for the end. */
static int hold(void *ms)
{
	u64 until;

	preempt_disable();
	rcu_read_lock();
	until = ktime_get_mono_fast_ns() + (unsigned long)ms * NSEC_PER_MSEC;
	WRITE_ONCE(held, true);
	while (ktime_get_mono_fast_ns() < until)
		cpu_relax();
	WRITE_ONCE(held, false);
	rcu_read_unlock();
	preempt_enable();
	return 0;
}

static int hold_set(const char *text, const struct kernel_param *param)
{
	struct task_struct *reader;
	unsigned long ms;
	int err = kstrtoul(text, 0, &ms);

	if (err)
		return err;
	reader = kthread_create_on_cpu(hold, (void *)ms, 1, "rcuheld/%u");
	if (IS_ERR(reader))
		return PTR_ERR(reader);
	wake_up_process(reader);
	while (!READ_ONCE(held))
		msleep(1);
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold, &hold_ops, NULL, 0200);

MODULE_DESCRIPTION("A long reader");
MODULE_LICENSE("GPL");
