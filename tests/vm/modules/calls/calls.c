// SPDX-License-Identifier: GPL-2.0-only
/*
 * Known answers for calls of functions: when "go" is written, functions are called a known number
 * of times, with a known duration, recursively, and from an interrupt.  The module measures each
 * duration from inside of the function and from outside: a probe's is between the two.
 */
#include <linux/irq_work.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

#define DELAYS	   100
#define DELAY_NS   500000
#define RECURSIONS 20
#define INTERRUPTS 300

static u64 inside_ns, outside_ns;
static long returned;
module_param(inside_ns, ullong, 0444);
module_param(outside_ns, ullong, 0444);
/* Kernels follow a limited number of returns at a time, 10 on some. */
static int depth = 8;
module_param(depth, int, 0644);
static int interrupted;
module_param(interrupted, int, 0444);

static __always_inline void spin(u64 ns)
{
	u64 until = ktime_get_mono_fast_ns() + ns;

	while (ktime_get_mono_fast_ns() < until)
		cpu_relax();
}

static noinline __noclone long known_inner(long value)
{
	spin(DELAY_NS / 2);
	return value + 1;
}

static noinline __noclone long known_delay(long value)
{
	u64 begin = ktime_get_mono_fast_ns();

	value = known_inner(value);
	spin(DELAY_NS / 2);
	inside_ns += ktime_get_mono_fast_ns() - begin;
	return value;
}

static noinline __noclone int known_recursion(int left)
{
	int sum = left ? known_recursion(left - 1) : 0;

	barrier();
	return sum + left;
}

static noinline __noclone void known_interrupt(struct irq_work *work)
{
	interrupted++;
	barrier();
}

static DEFINE_IRQ_WORK(work, known_interrupt);

static int go(const char *value, const struct kernel_param *kp)
{
	int i;

	for (i = 0; i < DELAYS; i++) {
		u64 begin = ktime_get_mono_fast_ns();

		/* A compiler that knows all callers drops a result that none of them uses. */
		WRITE_ONCE(returned, known_delay(i));
		outside_ns += ktime_get_mono_fast_ns() - begin;
	}
	for (i = 0; i < RECURSIONS; i++)
		known_recursion(depth);
	for (i = 0; i < INTERRUPTS; i++) {
		irq_work_queue(&work);
		irq_work_sync(&work);
	}
	return 0;
}

static const struct kernel_param_ops go_ops = { .set = go };

module_param_cb(go, &go_ops, NULL, 0200);

static int __init calls_init(void)
{
	return 0;
}

static void __exit calls_exit(void)
{
	irq_work_sync(&work);
}

module_init(calls_init);
module_exit(calls_exit);

MODULE_DESCRIPTION("Functions that are called a known number of times");
MODULE_LICENSE("GPL");
