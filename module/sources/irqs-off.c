// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stretches in which a CPU at work takes no interrupts, each with the stack that ended it.
 *
 * Kernels with the trace points irq_disable and irq_enable report both ends.  Others do not: there
 * a stretch is seen if a tick is due in it.  The tick comes late, as the first thing after the
 * stretch, and finds the function that put interrupts on again.  Then the event begins when the
 * tick was due, so that it is the last part of the stretch.
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>
#include <trace/events/preemptirq.h>

#include "contexts.h"
#include "sources/irqs-off.h"
#include "sources/immediate.h"
#include "trace-points.h"

/* When interrupts went off on this CPU; 0: not known, or they are on. */
static DEFINE_PER_CPU(u64, off_since);

static void irqs_off_tell(struct pt_regs *regs, u64 begin, u64 now, u8 context)
{
	struct sysprof_immediate_event event = {
		.begin = begin,
		.end = now,
		.value = now - begin,
		.regs = regs,
		.immediate = SYSPROF_IMMEDIATE_IRQS_OFF,
		.context = context,
	};

	sysprof_immediate_tell(&event);
}

void sysprof_irqs_off_late(struct pt_regs *regs, u64 now, u64 delay_ns)
{
	rcu_read_lock();
	/* Pairs with smp_store_release() in irqs_off_begin(). */
	if (smp_load_acquire(&sysprof_source_gates.late_ticks))
		irqs_off_tell(regs, now - delay_ns, now, sysprof_context_of_tick());
	rcu_read_unlock();
}

/* Interrupts are off in both. */
static void irqs_off_disable_hit(void *data, unsigned long ip, unsigned long parent_ip)
{
	sysprof_off_begins(&off_since);
}

static void irqs_off_enable_hit(void *data, unsigned long ip, unsigned long parent_ip)
{
	u64 begin, now;

	if (!sysprof_off_ends(&off_since, &begin, &now))
		return;
	rcu_read_lock();
	irqs_off_tell(NULL, begin, now, sysprof_immediate_context());
	rcu_read_unlock();
}

/* What ends comes before what begins, and goes after it. */
static struct sysprof_hook hooks[] = {
	{ "irq_enable", irqs_off_enable_hit, .is_optional = true },
	{ "irq_disable", irqs_off_disable_hit, .is_optional = true },
};

#if defined(CONFIG_PREEMPTIRQ_TRACEPOINTS) && defined(CONFIG_TRACE_IRQFLAGS)
static void __maybe_unused irqs_off_check_prototypes(void)
{
	check_trace_callback_type_irq_disable(irqs_off_disable_hit);
	check_trace_callback_type_irq_enable(irqs_off_enable_hit);
}
#endif

const char *sysprof_irqs_off_lacks(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(hooks); i++)
		if (!sysprof_trace_point_find(hooks[i].name))
			return hooks[i].name;
	return NULL;
}

static int irqs_off_begin(void)
{
	sysprof_off_forget(&off_since);
	if (hooks[0].tracepoint && hooks[1].tracepoint)
		return 0;
	/* Pairs with smp_load_acquire() in sysprof_irqs_off_late(). */
	smp_store_release(&sysprof_source_gates.late_ticks, true);
	return 0;
}

static void irqs_off_end(void)
{
	WRITE_ONCE(sysprof_source_gates.late_ticks, false);
	/* For ticks that saw it wanted. */
	synchronize_rcu();
}

struct sysprof_hooking sysprof_irqs_off = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_irqs_off),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
	.begin = irqs_off_begin,
	.end = irqs_off_end,
};
