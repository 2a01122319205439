/* SPDX-License-Identifier: GPL-2.0-only */
/* Ids of address spaces. */
#ifndef _SYSPROF_MM_ID_H
#define _SYSPROF_MM_ID_H

#include <linux/types.h>

struct mm_struct;

/* Process context: once. */
void sysprof_mm_id_init(void);

/*
 * The id of an address space; 0 for NULL.  It is unique as long as the address space lives, and
 * reveals no address.  Any context.
 */
u64 sysprof_mm_id(const struct mm_struct *mm);

#endif /* _SYSPROF_MM_ID_H */
