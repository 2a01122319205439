/* SPDX-License-Identifier: GPL-2.0-only */
/* The hooks that follow fork, exec, exit and every change of a mapping. */
#ifndef _SYSPROF_HOOKS_H
#define _SYSPROF_HOOKS_H

#include <linux/types.h>

/*
 * Process context, once.  @keep: the hooks stay in place from now until exit(); everything that
 * hooks use must be ready.
 */
int sysprof_hooks_init(bool keep);
void sysprof_hooks_exit(void);

/*
 * The hooks are in place while at least one caller of arm() has not called disarm(), and for some
 * time after that: putting them in place costs more than leaving them.  Process context.
 */
int sysprof_hooks_arm(void);
/*
 * One more such call where others have armed them.  It maps nothing into current's memory, whose
 * lock another thread can hold for ever, and so is for callers that hold a lock.
 */
int sysprof_hooks_hold(void);
void sysprof_hooks_disarm(void);

#endif /* _SYSPROF_HOOKS_H */
