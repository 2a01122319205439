// SPDX-License-Identifier: GPL-2.0-only
/*
 * A known answer for the time of interrupts: a thousand times a second the CPU that writes to the
 * parameter handler_us has a timer's handler that takes so long, the one that writes to softirq_us
 * a tasklet that does; 0 ends it.  handler_ns and softirq_ns are what they have taken, summed.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/version.h>

static unsigned long handler_ns, softirq_ns;
module_param(handler_ns, ulong, 0444);
module_param(softirq_ns, ulong, 0444);

static unsigned int handler_us, softirq_us;
static struct hrtimer timer;

static noinline void take(unsigned int us, unsigned long *sum)
{
	u64 begin = ktime_get_mono_fast_ns(), now;

	do {
		cpu_relax();
		now = ktime_get_mono_fast_ns();
	} while (now < begin + us * NSEC_PER_USEC);
	*sum += now - begin;
}

static void softirq(unsigned long unused)
{
	take(softirq_us, &softirq_ns);
}

static DECLARE_TASKLET_OLD(tasklet, softirq);

static enum hrtimer_restart handle(struct hrtimer *this)
{
	if (handler_us)
		take(handler_us, &handler_ns);
	if (softirq_us)
		tasklet_schedule(&tasklet);
	hrtimer_forward_now(this, NSEC_PER_MSEC);
	return HRTIMER_RESTART;
}

static int set(const char *text, const struct kernel_param *param)
{
	hrtimer_cancel(&timer);
	tasklet_kill(&tasklet);
	if (kstrtouint(text, 0, param->arg))
		return -EINVAL;
	if (handler_us || softirq_us)
		hrtimer_start(&timer, NSEC_PER_MSEC, HRTIMER_MODE_REL_PINNED_HARD);
	return 0;
}

static const struct kernel_param_ops ops = { .set = set };
module_param_cb(handler_us, &ops, &handler_us, 0200);
module_param_cb(softirq_us, &ops, &softirq_us, 0200);

static int __init interrupts_init(void)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = handle;
#else
	hrtimer_setup(&timer, handle, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
#endif
	return 0;
}

static void __exit interrupts_exit(void)
{
	hrtimer_cancel(&timer);
	tasklet_kill(&tasklet);
}

module_init(interrupts_init);
module_exit(interrupts_exit);

MODULE_DESCRIPTION("Interrupts whose time is known");
MODULE_LICENSE("GPL");
