/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contexts: memory that each CPU has twice, for interrupts and for the NMIs that interrupt them,
 * and which context a tick came in.
 */
#ifndef _SYSPROF_CONTEXTS_H
#define _SYSPROF_CONTEXTS_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "sysprof-event.h"

struct sysprof_contexts {
	void *memory[2];
};

/* Process context: allocates @bytes for each, zeroed; -ENOMEM. */
int sysprof_contexts_alloc(struct sysprof_contexts __percpu *contexts, size_t bytes);
/* Process context, when no CPU uses the memory any more. */
void sysprof_contexts_free(struct sysprof_contexts __percpu *contexts);

/*
 * The memory of this CPU and context.  The caller must not leave either while it uses the memory.
 */
#define sysprof_contexts_this(contexts) (this_cpu_ptr(contexts)->memory[!!in_nmi()])

/*
 * In the interrupt, NMI or hook of a tick: enum sysprof_context of what the tick came in.  An NMI
 * counts as an interrupt, too.
 */
static inline u8 sysprof_context_of_tick(void)
{
	if (hardirq_count() > HARDIRQ_OFFSET)
		return SYSPROF_CONTEXT_IRQ;
	if (in_serving_softirq())
		return SYSPROF_CONTEXT_SOFTIRQ;
	return is_idle_task(current) ? SYSPROF_CONTEXT_IDLE : SYSPROF_CONTEXT_TASK;
}

#endif /* _SYSPROF_CONTEXTS_H */
