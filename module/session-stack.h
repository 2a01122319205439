/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_SESSION_STACK_H
#define _SYSPROF_SESSION_STACK_H

#include "delivery.h"

/* What the session wants of each stack, from its configuration.  Process context. */
void sysprof_session_plan(struct sysprof_session *session);
/*
 * Whether sessions without privilege get no stacks of processes that their openers could not trace:
 * module parameter others.
 */
bool sysprof_session_hides_others(void);
/*
 * In the sampling context, if asks_rights: adds what the session may have of the stack of current
 * alone.
 */
void sysprof_session_ask_rights(struct sysprof_session_cpu *sc, struct sysprof_stack_wish *wish);

#endif /* _SYSPROF_SESSION_STACK_H */
