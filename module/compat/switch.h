/* SPDX-License-Identifier: GPL-2.0-only */
/* For switch.c: what a thread was about to do, and interrupts that a CPU sends to itself. */
#ifndef _SYSPROF_COMPAT_SWITCH_H
#define _SYSPROF_COMPAT_SWITCH_H

#include <linux/irq_work.h>
#include <linux/sched.h>
#include <linux/version.h>

/* It was called state before 5.14. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 14, 0)
#define sysprof_task_state(task) ((unsigned int)READ_ONCE((task)->state))
#else
#define sysprof_task_state(task) ((unsigned int)READ_ONCE((task)->__state))
#endif

/* These came in 5.15 and 6.1. */
#ifdef TASK_RTLOCK_WAIT
#define SYSPROF_TASK_LOCK TASK_RTLOCK_WAIT
#else
#define SYSPROF_TASK_LOCK 0
#endif
#ifdef TASK_FROZEN
#define SYSPROF_TASK_FROZEN TASK_FROZEN
#else
#define SYSPROF_TASK_FROZEN 0
#endif

static inline bool sysprof_is_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

/* In hard interrupt context on RT, too.  The macro came in 5.11. */
static inline void sysprof_init_hard_irq_work(struct irq_work *work,
					      void (*fn)(struct irq_work *))
{
#ifdef IRQ_WORK_INIT_HARD
	*work = IRQ_WORK_INIT_HARD(fn);
#else
	init_irq_work(work, fn);
	atomic_set(&work->flags, IRQ_WORK_HARD_IRQ);
#endif
}

#endif /* _SYSPROF_COMPAT_SWITCH_H */
