/* SPDX-License-Identifier: GPL-2.0-only */
/* Stretches in which a CPU takes no interrupts, as ticks see them. */
#ifndef _SYSPROF_IRQS_OFF_H
#define _SYSPROF_IRQS_OFF_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>
#include <linux/types.h>

#include "source-ops.h"

struct pt_regs;

/*
 * Stretches of which the kernel reports both ends.  @since: of this CPU, when one began; 0: not
 * known, or there is none.
 */
static inline void sysprof_off_forget(u64 __percpu *since)
{
	int cpu;

	for_each_possible_cpu(cpu)
		*per_cpu_ptr(since, cpu) = 0;
}

static __always_inline void sysprof_off_begins(u64 __percpu *since)
{
	if (!in_nmi())
		this_cpu_write(*since, ktime_get_mono_fast_ns());
}

/* Whether the stretch that ends is an event, from @begin to @now. */
static __always_inline bool sysprof_off_ends(u64 __percpu *since, u64 *begin, u64 *now)
{
	if (in_nmi())
		return false;
	*begin = this_cpu_read(*since);
	if (!*begin)
		return false;
	this_cpu_write(*since, 0);
	*now = ktime_get_mono_fast_ns();
	return *now >= *begin + SYSPROF_LATE_NS;
}

/* Process context: the trace point without which only ticks see stretches; NULL: it is there. */
const char *sysprof_irqs_off_lacks(void);
/* A tick came @delay_ns late, as sysprof_source_tick() has it. */
void sysprof_irqs_off_late(struct pt_regs *regs, u64 now, u64 delay_ns);

#endif /* _SYSPROF_IRQS_OFF_H */
