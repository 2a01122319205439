/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of the code that scripts execute. */
#ifndef _SYSPROF_CODE_NUMBER_H
#define _SYSPROF_CODE_NUMBER_H

#include <linux/types.h>

#include "sysprof-chain.h"

#define SYSPROF_CODE_NUMBER_BITS (60 - SYSPROF_FRAME_CODE_SHIFT)

/* Process context: once. */
void sysprof_code_number_init(void);

/* A number that no code has had since the module was loaded; 0: there is none.  Any context. */
u64 sysprof_code_number_new(void);

#endif /* _SYSPROF_CODE_NUMBER_H */
