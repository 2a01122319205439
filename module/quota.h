/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_QUOTA_H
#define _SYSPROF_QUOTA_H

#include <linux/types.h>

struct task_struct;

/*
 * Who makes files, regions and mappings known: a user, with all users of the user namespaces that
 * the user made.  Users may share a number; root shares his with nobody.
 */
typedef u16 sysprof_payer;

#define SYSPROF_PAYER_ROOT	0
#define SYSPROF_PAYERS		(1 << 12)

/* RCU read side, or current; any context. */
sysprof_payer sysprof_quota_payer(const struct task_struct *task);

/*
 * Whether @payer may have @bytes more; if so they are his until they are given back.  Any context.
 */
bool sysprof_quota_take(sysprof_payer payer, size_t bytes);
void sysprof_quota_give(sysprof_payer payer, size_t bytes);

/* An id that nobody has, for an object of @payer's; 0 if he may have no more.  Any context. */
u32 sysprof_quota_new_id(sysprof_payer payer);
/* Ids begin anew: nobody knows one any more. */
void sysprof_quota_forget_ids(void);

#endif /* _SYSPROF_QUOTA_H */
