/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_CHARGE_H
#define _SYSPROF_CHARGE_H

#include <linux/types.h>

struct sysprof_charge;

/*
 * Process context: the account of the caller's user, shared by all its sessions; NULL: no memory.
 */
struct sysprof_charge *sysprof_charge_open(void);
void sysprof_charge_close(struct sysprof_charge *charge);
/* -ENOSPC: beyond what its sessions, or all sessions together, may take. */
int sysprof_charge_add(struct sysprof_charge *charge, u64 bytes);
void sysprof_charge_sub(struct sysprof_charge *charge, u64 bytes);

#endif /* _SYSPROF_CHARGE_H */
