/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends sessions whose openers have exited or may no longer open the device. */
#ifndef _SYSPROF_REVOKE_H
#define _SYSPROF_REVOKE_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct file;
struct sysprof_session;

/*
 * All of these: process context.  watch() is called when @file has opened @session, unwatch()
 * before the session is destroyed.
 */
void sysprof_revoke_watch(struct sysprof_session *session, const struct file *file);
void sysprof_revoke_unwatch(struct sysprof_session *session);

/*
 * 0 if @session may still look at the machine; -ESRCH if it has ended; -EPERM if the kernel has
 * been locked down.
 */
int sysprof_revoke_check(const struct sysprof_session *session);

/* Ends all sessions whose opener had @uid as its real or effective user; returns their number. */
u32 sysprof_revoke_uid(kuid_t uid);

/* Called when the device has been removed. */
void sysprof_revoke_exit(void);

#endif /* _SYSPROF_REVOKE_H */
