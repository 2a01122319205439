// SPDX-License-Identifier: GPL-2.0-only
/*
 * A virtual machine's processor, as far as the scheduler's accounts know: who writes N to the
 * parameter run is one for N ms.
 */
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

static int run_set(const char *text, const struct kernel_param *param)
{
	unsigned int ms;
	u64 until;
	int err = kstrtouint(text, 0, &ms);

	if (err)
		return err;
	current->flags |= PF_VCPU;
	until = ktime_get_mono_fast_ns() + ms * NSEC_PER_MSEC;
	while (ktime_get_mono_fast_ns() < until)
		cpu_relax();
	current->flags &= ~PF_VCPU;
	return 0;
}

static const struct kernel_param_ops run_ops = { .set = run_set };
module_param_cb(run, &run_ops, NULL, 0200);

MODULE_DESCRIPTION("Time of a guest");
MODULE_LICENSE("GPL");
