/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_NAMES_H
#define _SYSPROF_NAMES_H

struct sysprof_name;

/* Fills in the name of @name->frame; "" where there is none.  Process context. */
void sysprof_names_look_up(struct sysprof_name *name);

#endif /* _SYSPROF_NAMES_H */
