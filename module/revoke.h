/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_REVOKE_H
#define _SYSPROF_REVOKE_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct file;
struct sysprof_session;

/* All in process context.  From when @file has opened @session until before it is destroyed. */
void sysprof_revoke_watch(struct sysprof_session *session, const struct file *file);
void sysprof_revoke_unwatch(struct sysprof_session *session);

/*
 * Whether @session may still look at the machine: 0; -ESRCH if it has ended, -EPERM if the kernel
 * is locked down by now.
 */
int sysprof_revoke_check(const struct sysprof_session *session);

/* Ends all sessions whose opener had real or effective user @uid; returns how many. */
u32 sysprof_revoke_uid(kuid_t uid);

/* When the device has been removed. */
void sysprof_revoke_exit(void);

#endif /* _SYSPROF_REVOKE_H */
