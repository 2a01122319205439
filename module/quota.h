/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_QUOTA_H
#define _SYSPROF_QUOTA_H

#include <linux/types.h>

struct task_struct;

/*
 * The payer of files, regions and mappings: a user, together with all users of the user namespaces
 * that the user made.  Users may share a number; nobody shares root's.
 */
typedef u16 sysprof_payer;

#define SYSPROF_PAYER_ROOT	0
#define SYSPROF_PAYERS		(1 << 12)

/* RCU read side, or current; any context. */
sysprof_payer sysprof_quota_payer(const struct task_struct *task);

/*
 * Whether @payer may have @bytes more.  If so, they count as taken until they are given back.  Any
 * context.
 */
bool sysprof_quota_take(sysprof_payer payer, size_t bytes);
void sysprof_quota_give(sysprof_payer payer, size_t bytes);

/* A new id for an object of @payer; 0 if @payer may have no more.  Any context. */
u32 sysprof_quota_new_id(sysprof_payer payer);
/* Numbers ids from the beginning again, when no id is in use any more. */
void sysprof_quota_forget_ids(void);

#endif /* _SYSPROF_QUOTA_H */
