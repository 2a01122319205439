/* SPDX-License-Identifier: GPL-2.0-only */
/* The number of sessions and the memory that each user's sessions take, and their limits. */
#ifndef _SYSPROF_CHARGE_H
#define _SYSPROF_CHARGE_H

#include <linux/types.h>

struct sysprof_charge;

/*
 * Counts one more session of the caller's user.  -EUSERS if that is more than the user may have, or
 * all users together; -ENOMEM.  Process context.
 */
struct sysprof_charge *sysprof_charge_open(void);
void sysprof_charge_close(struct sysprof_charge *charge);
/*
 * Charges @bytes.  -ENOSPC if that is more than the user's sessions may take, or all sessions
 * together.
 */
int sysprof_charge_add(struct sysprof_charge *charge, u64 bytes);
void sysprof_charge_sub(struct sysprof_charge *charge, u64 bytes);

/* Whether the user had CAP_SYS_RESOURCE at open(). */
bool sysprof_charge_is_exempt(const struct sysprof_charge *charge);
/* Memory of the rings of all CPUs together, for a session that requests no size. */
u64 sysprof_charge_default(void);

#endif /* _SYSPROF_CHARGE_H */
