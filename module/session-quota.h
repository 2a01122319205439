/* SPDX-License-Identifier: GPL-2.0-only */
/* The number of sessions and the memory that each user's sessions take, and their limits. */
#ifndef _SYSPROF_SESSION_QUOTA_H
#define _SYSPROF_SESSION_QUOTA_H

#include <linux/types.h>

struct sysprof_session_quota;

/*
 * Counts one more session of the caller's user.  -EUSERS if that is more than the user may have, or
 * all users together; -ENOMEM.  Process context.
 */
struct sysprof_session_quota *sysprof_session_quota_open(void);
void sysprof_session_quota_close(struct sysprof_session_quota *charge);
/*
 * Charges @bytes.  -ENOSPC if that is more than the user's sessions may take, or all sessions
 * together.
 */
int sysprof_session_quota_add(struct sysprof_session_quota *charge, u64 bytes);
void sysprof_session_quota_sub(struct sysprof_session_quota *charge, u64 bytes);

/* Whether the user had CAP_SYS_RESOURCE at open(). */
bool sysprof_session_quota_is_exempt(const struct sysprof_session_quota *charge);
/* Memory of the rings of all CPUs together, for a session that requests no size. */
u64 sysprof_session_quota_default(void);

#endif /* _SYSPROF_SESSION_QUOTA_H */
