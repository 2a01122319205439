/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a stack that a session wants, and those that it may have. */
#ifndef _SYSPROF_SESSION_STACK_H
#define _SYSPROF_SESSION_STACK_H

#include "chain.h"
#include "delivery.h"
#include "stack.h"

struct sysprof_sample;

/* Sets what the session requests of each stack, from its configuration.  Process context. */
void sysprof_session_plan(struct sysprof_session *session);
/*
 * What is hidden, from sessions without privilege, of processes that their openers could not trace.
 */
enum sysprof_hides sysprof_session_hides_others(void);
/*
 * Copies the first @n user frames of @from to @to, each as the start of its function.  The first
 * one of @from is exact.  In the sampling context.
 */
void sysprof_session_put_functions(u64 *to, const u64 *from, u32 n);
/* The user part of a stack that the session may not have exactly; @sample has the rest. */
void sysprof_session_put_hidden(struct sysprof_sample *sample, struct sysprof_walk *walk,
				enum sysprof_hides hides);
/*
 * Fills in @stack's frames by tables for the session, with frames of scripts where @rights permit,
 * and sends it the names of these.  In the sampling context.
 */
void sysprof_session_by_tables(struct sysprof_session_cpu *sc, struct sysprof_stack *stack,
			       const struct sysprof_stack_rights *rights);
/* The same, inline, for ticks. */
static __always_inline void session_by_tables(struct sysprof_session_cpu *sc,
					      struct sysprof_stack *stack,
					      const struct sysprof_stack_rights *rights)
{
	const struct sysprof_user_part *part = &stack->user[SYSPROF_KIND_TABLED];

	/* What names scripts is copied out of the task's memory. */
	sysprof_stack_by_tables(stack, rights->tables, rights->tables);
	if (unlikely(part->script))
		sysprof_codes_send(sc, stack, part);
}
/* What is hidden of @task from @session.  The caller keeps @task from being freed.  Any context. */
enum sysprof_hides sysprof_session_hides(const struct sysprof_session *session,
					 const struct task_struct *task);
/*
 * What the session may have of the stack of current, but for copies beside tables.  Another call
 * may have another answer.  In the sampling context, if asks_rights is set; else it is
 * session->rights.
 */
void sysprof_session_ask_rights(const struct sysprof_session *session,
				struct sysprof_stack_rights *ret);

/* Bytes of a copy of current's stack that the session gets.  In the sampling context. */
u32 sysprof_session_raw_bytes(const struct sysprof_session *session);

#endif /* _SYSPROF_SESSION_STACK_H */
