// SPDX-License-Identifier: GPL-2.0-only
/*
 * The scheduler calls the notifiers of a task that has got a CPU; KVM needs that.  A notifier that
 * is added to a task as it gets this CPU is called once, for it removes itself.  Nobody else
 * touches the list meanwhile: the task does not run, and then does not get further than this.
 *
 * In a kernel without them the CPU sends an interrupt to itself, which comes as soon as the run
 * queue is released.  That is some ten times as expensive, and in a virtual machine more than that.
 */
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "sources/arrival.h"
#include "compat/switch.h"
#include "sources/switch.h"

#ifdef CONFIG_PREEMPT_NOTIFIERS

static DEFINE_PER_CPU(struct preempt_notifier, notifiers);

/* Preemption is off, interrupts are not. */
static void arrived(struct preempt_notifier *notifier, int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	/* Its link stays as it is: the scheduler reads there which notifier is next. */
	__hlist_del(&notifier->link);
	sysprof_switch_arrived();
	local_irq_restore(flags);
}

/* A task arrives before it leaves: sched_out is not called. */
static struct preempt_ops ops = { .sched_in = arrived };

void sysprof_arrivals_begin(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		preempt_notifier_init(per_cpu_ptr(&notifiers, cpu), &ops);
	preempt_notifier_inc();
}

void sysprof_arrivals_end(void)
{
	preempt_notifier_dec();
}

void sysprof_arrivals_await(struct task_struct *task)
{
	hlist_add_head(&this_cpu_ptr(&notifiers)->link, &task->preempt_notifiers);
}

#else

static DEFINE_PER_CPU(struct irq_work, works);

static void arrival_work_fn(struct irq_work *work)
{
	unsigned long flags;

	local_irq_save(flags);
	sysprof_switch_arrived();
	local_irq_restore(flags);
}

void sysprof_arrivals_begin(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		sysprof_init_hard_irq_work(per_cpu_ptr(&works, cpu), arrival_work_fn);
}

void sysprof_arrivals_end(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(per_cpu_ptr(&works, cpu));
}

void sysprof_arrivals_await(struct task_struct *task)
{
	irq_work_queue(this_cpu_ptr(&works));
}

#endif
