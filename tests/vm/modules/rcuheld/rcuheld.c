// SPDX-License-Identifier: GPL-2.0-only
/*
 * A grace period of RCU that takes as long as one likes: who writes N to the parameter hold is a
 * reader for N ms, with preemption off; the parameter held says whether one is at it.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

static bool held;
module_param(held, bool, 0444);

static int hold_set(const char *text, const struct kernel_param *param)
{
	unsigned int ms;
	u64 until;
	int err = kstrtouint(text, 0, &ms);

	if (err)
		return err;
	preempt_disable();
	rcu_read_lock();
	WRITE_ONCE(held, true);
	until = ktime_get_mono_fast_ns() + ms * NSEC_PER_MSEC;
	while (ktime_get_mono_fast_ns() < until)
		cpu_relax();
	WRITE_ONCE(held, false);
	rcu_read_unlock();
	preempt_enable();
	return 0;
}

static const struct kernel_param_ops hold_ops = { .set = hold_set };
module_param_cb(hold, &hold_ops, NULL, 0200);

MODULE_DESCRIPTION("A long reader");
MODULE_LICENSE("GPL");
