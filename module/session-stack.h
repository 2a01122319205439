/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_SESSION_STACK_H
#define _SYSPROF_SESSION_STACK_H

#include "delivery.h"

/* What the session wants of each stack, from its configuration.  Process context. */
void sysprof_session_plan(struct sysprof_session *session);
/* What sessions without privilege do not get of processes that their openers could not trace. */
enum sysprof_hides sysprof_session_hides_others(void);
/*
 * In the sampling context: the first @n user frames of @from, of which the first is exact, as their
 * functions' beginnings.
 */
void sysprof_session_put_functions(u64 *to, const u64 *from, u32 n);
/* What @session does not get of @task, which cannot go away.  Any context. */
enum sysprof_hides sysprof_session_hides(const struct sysprof_session *session,
					 const struct task_struct *task);
/*
 * In the sampling context, if asks_rights: adds what the session may have of the stack of current
 * alone.
 */
void sysprof_session_ask_rights(struct sysprof_session_cpu *sc, struct sysprof_stack_wish *wish);

#endif /* _SYSPROF_SESSION_STACK_H */
