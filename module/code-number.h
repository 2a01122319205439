/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of the code that scripts execute. */
#ifndef _SYSPROF_CODE_NUMBER_H
#define _SYSPROF_CODE_NUMBER_H

#include <linux/types.h>

/* Process context: once. */
void sysprof_code_number_init(void);

/*
 * A number of SYSPROF_CODE_NUMBER_BITS that no code has had since the module was loaded; 0: there
 * is none.  Any context.
 */
u64 sysprof_code_number_new(void);

#endif /* _SYSPROF_CODE_NUMBER_H */
