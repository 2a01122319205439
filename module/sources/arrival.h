/* SPDX-License-Identifier: GPL-2.0-only */
/* The moment at which a task that has got a CPU runs there, and has not done anything yet. */
#ifndef _SYSPROF_ARRIVAL_H
#define _SYSPROF_ARRIVAL_H

struct task_struct;

/*
 * From begin() to end() tasks can be awaited.  Process context.  end() once no hook awaits any
 * more, and after a grace period of RCU: no call is under way when it returns.
 */
void sysprof_arrivals_begin(void);
void sysprof_arrivals_end(void);
/*
 * @task gets this CPU: sysprof_switch_arrived() is called there once.  In sched_switch, with the
 * run queue locked.
 */
void sysprof_arrivals_await(struct task_struct *task);

#endif /* _SYSPROF_ARRIVAL_H */
