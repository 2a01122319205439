/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of kernel frames. */
#ifndef _SYSPROF_NAMES_H
#define _SYSPROF_NAMES_H

#include <linux/types.h>

struct sysprof_name;

/*
 * Fills in the name of @name->frame; "" if it has none.  Unless @privileged, also "" in parts of
 * the module area that no sample has shown.  Process context.
 */
void sysprof_names_look_up(struct sysprof_name *name, bool privileged);

#endif /* _SYSPROF_NAMES_H */
