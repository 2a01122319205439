/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_TABLES_H
#define _SYSPROF_TABLES_H

#include <linux/types.h>

#include "sysprof.h"

struct cred;
struct sysprof_tables;

/* Process context: the tables of everybody, for who may see all, else those of the user of @opener. NULL: no memory.  Shared until the last put(). */
struct sysprof_tables *sysprof_tables_get(const struct cred *opener, bool for_everybody);
void sysprof_tables_put(struct sysprof_tables *tables);
/* Adds the table that @table tells of, in the caller's memory; errors as in struct sysprof_table.  Process context, no locks held. */
int sysprof_tables_add(struct sysprof_tables *tables, const struct sysprof_table *table);

/* Process context: @record is that of an object with a new id; all ids are given up (no tick any more). */
void sysprof_tables_named(const struct sysprof_object *record);
void sysprof_tables_forget_objects(void);

/*
 * The rule of @frame, {object:24, offset:40}, by everybody's tables or else by @own (may be NULL); NULL if there is none.  In the sampling
 * context, NMI too, RCU read side, which keeps it.
 */
const struct sysprof_table_rule *sysprof_tables_find(const struct sysprof_tables *own, u64 frame);

#endif /* _SYSPROF_TABLES_H */
