/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that each CPU has twice: for interrupts, and for the NMIs that interrupt them. */
#ifndef _SYSPROF_CONTEXTS_H
#define _SYSPROF_CONTEXTS_H

#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

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
static inline void *sysprof_contexts_this(struct sysprof_contexts __percpu *contexts)
{
	return this_cpu_ptr(contexts)->memory[!!in_nmi()];
}

#endif /* _SYSPROF_CONTEXTS_H */
