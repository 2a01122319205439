// SPDX-License-Identifier: GPL-2.0-only
/*
 * A known answer for the delay of ticks: while it is loaded it holds interrupts off for 1, 2 and 5
 * ms, ROUNDS times each, from a function of its own for each.  With steal_percent the kernel sees
 * that a hypervisor had taken that much of each stretch.  With preempt it is preemption and soft
 * interrupts that are off, for 3 and 4 ms.
 */
#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kernel_stat.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/preempt.h>

#define ROUNDS 40
/*
 * Interrupts are put on again in it, not in a function that it calls, which would hide it: some
 * compilers make one.
 */
#define holder noinline __attribute__((flatten))

static unsigned int steal_percent;
module_param(steal_percent, uint, 0444);
static bool preempt;
module_param(preempt, bool, 0444);

static __always_inline void spin(u64 ns)
{
	u64 until = ktime_get_mono_fast_ns() + ns;

	while (ktime_get_mono_fast_ns() < until)
		cpu_relax();
}

static __always_inline void hold_off(u64 ns)
{
	local_irq_disable();
	spin(ns);
	kcpustat_this_cpu->cpustat[CPUTIME_STEAL] += ns * steal_percent / 100;
	local_irq_enable();
	/* What had to wait comes here, while this function is still on the stack. */
	barrier();
}

static holder void irqs_off_1ms(void)
{
	hold_off(1 * NSEC_PER_MSEC);
}

static holder void irqs_off_2ms(void)
{
	hold_off(2 * NSEC_PER_MSEC);
}

static holder void irqs_off_5ms(void)
{
	hold_off(5 * NSEC_PER_MSEC);
}

static noinline void preempt_off_3ms(void)
{
	preempt_disable();
	spin(3 * NSEC_PER_MSEC);
	preempt_enable();
	barrier();
}

static noinline void softirqs_off_4ms(void)
{
	local_bh_disable();
	spin(4 * NSEC_PER_MSEC);
	local_bh_enable();
	barrier();
}

static int __init irqsoff_init(void)
{
	unsigned int i;

	for (i = 0; preempt && i < ROUNDS; i++) {
		preempt_off_3ms();
		usleep_range(2000, 3000);
		softirqs_off_4ms();
		usleep_range(2000, 3000);
	}
	if (preempt)
		return 0;
	for (i = 0; i < ROUNDS; i++) {
		irqs_off_1ms();
		usleep_range(2000, 3000);
		irqs_off_2ms();
		usleep_range(2000, 3000);
		irqs_off_5ms();
		usleep_range(2000, 3000);
	}
	return 0;
}

static void __exit irqsoff_exit(void)
{
}

module_init(irqsoff_init);
module_exit(irqsoff_exit);

MODULE_DESCRIPTION("Interrupts off for known times");
MODULE_LICENSE("GPL");
