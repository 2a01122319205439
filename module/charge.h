/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_CHARGE_H
#define _SYSPROF_CHARGE_H

#include <linux/types.h>

struct sysprof_charge;

/*
 * Process context: one more session on the account of the caller's user.  -EUSERS: beyond the
 * number that the user, or all together, may have; -ENOMEM.
 */
struct sysprof_charge *sysprof_charge_open(void);
void sysprof_charge_close(struct sysprof_charge *charge);
/* -ENOSPC: beyond what its sessions, or all sessions together, may take. */
int sysprof_charge_add(struct sysprof_charge *charge, u64 bytes);
void sysprof_charge_sub(struct sysprof_charge *charge, u64 bytes);

/* Had CAP_SYS_RESOURCE at open. */
bool sysprof_charge_is_exempt(const struct sysprof_charge *charge);
/* What a session takes that asks for no size of its rings, all CPUs together. */
u64 sysprof_charge_default(void);

#endif /* _SYSPROF_CHARGE_H */
