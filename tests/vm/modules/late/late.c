// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ticks that are overdue when the CPU switches tasks: who writes N to the parameter sleep holds
 * interrupts off for 3 ms and then goes to sleep with them still off, N times.
 */
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

static int sleep_set(const char *text, const struct kernel_param *param)
{
	unsigned int n;
	u64 until;
	int err = kstrtouint(text, 0, &n);

	while (!err && n--) {
		local_irq_disable();
		until = ktime_get_mono_fast_ns() + 3 * NSEC_PER_MSEC;
		while (ktime_get_mono_fast_ns() < until)
			cpu_relax();
		/* Interrupts come on again in the task that is switched to, and then here. */
		__set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_timeout(2);
		local_irq_enable();
	}
	return err;
}

static const struct kernel_param_ops sleep_ops = { .set = sleep_set };
module_param_cb(sleep, &sleep_ops, NULL, 0200);

MODULE_DESCRIPTION("Switches with a tick overdue");
MODULE_LICENSE("GPL");
