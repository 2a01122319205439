// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stretches in which a CPU at work could not be taken from its task: preemption was off, or soft
 * interrupts were, which is a kind of it.  Each comes with the stack that ended it.  No tick waits
 * for such a stretch, so that only kernels with the trace points show any.
 */
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>
#include <trace/events/power.h>
#include <trace/events/preemptirq.h>

#include "sources/irqs-off.h"
#include "sources/immediate.h"

/* When preemption went off on this CPU; 0: not known, or it is on. */
static DEFINE_PER_CPU(u64, off_since);

/* Preemption is off in both.  Those in interrupts are part of what was interrupted. */
static void preempt_off_disable_hit(void *data, unsigned long ip, unsigned long parent_ip)
{
	sysprof_off_begins(&off_since);
}

static void preempt_off_enable_hit(void *data, unsigned long ip, unsigned long parent_ip)
{
	struct sysprof_immediate_event event = { .immediate = SYSPROF_IMMEDIATE_PREEMPT_OFF };
	unsigned long flags;

	if (!sysprof_off_ends(&off_since, &event.begin, &event.end))
		return;
	event.value = event.end - event.begin;
	event.context = sysprof_immediate_context();
	local_irq_save(flags);
	rcu_read_lock();
	sysprof_immediate_tell(&event);
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* An idle CPU keeps preemption off until there is something to do. */
static void idle_hit(void *data, unsigned int state, unsigned int cpu)
{
	this_cpu_write(off_since, 0);
}

/* What ends comes before what begins, and goes after it. */
static struct sysprof_hook hooks[] = {
	{ "preempt_enable", preempt_off_enable_hit },
	{ "cpu_idle", idle_hit },
	{ "preempt_disable", preempt_off_disable_hit },
};

static void __maybe_unused preempt_off_check_prototypes(void)
{
#ifdef CONFIG_TRACE_PREEMPT_TOGGLE
	check_trace_callback_type_preempt_disable(preempt_off_disable_hit);
	check_trace_callback_type_preempt_enable(preempt_off_enable_hit);
#endif
	check_trace_callback_type_cpu_idle(idle_hit);
}

static int preempt_off_begin(void)
{
	sysprof_off_forget(&off_since);
	return 0;
}

struct sysprof_hooking sysprof_preempt_off = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_preempt_off),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
	.begin = preempt_off_begin,
};
