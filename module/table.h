/* SPDX-License-Identifier: GPL-2.0-only */
/* One unwind table, checked, with an index over its rows. */
#ifndef _SYSPROF_TABLE_H
#define _SYSPROF_TABLE_H

#include <linux/list.h>
#include <linux/types.h>

#include "program-quota.h"
#include "sysprof-table.h"

/**
 * struct table - one, checked
 * @list: in its owner's
 * @build_id_bytes: of @build_id; 0: it is for one object
 * @build_id: of the objects it is for
 * @object: the object it is for, if that is one
 * @payer: who mapped that first
 * @data_bytes: size of @data
 * @bytes: memory that it takes
 * @n_rows: of @offsets and @rules
 * @n_starts: of @starts
 * @index_shift: an entry of @index is for 1 << @index_shift bytes of the object
 * @index: number of rows before the first of these bytes; its last entry is behind the last row's.
 *	NULL: there are no rows
 * @offsets: these point into @data
 * @rules: likewise
 * @rule: likewise
 * @starts: likewise
 * @data: as it was handed over
 */
struct table {
	struct list_head list;
	u8 build_id_bytes;
	u8 build_id[SYSPROF_BUILD_ID_BYTES];
	u32 object;
	sysprof_payer payer;
	u32 data_bytes;
	u64 bytes;
	u32 n_rows;
	u32 n_starts;
	u32 index_shift;
	u32 *index;
	const u32 *offsets;
	const u16 *rules;
	const struct sysprof_table_rule *rule;
	const u32 *starts;
	u64 data[];
};

/* A copy of the caller's table, or an error of struct sysprof_table.  Process context. */
struct table *sysprof_table_copy(const struct sysprof_table *from);
void sysprof_table_free(struct table *table);

/**
 * struct sysprof_row - what a table has for an offset
 * @rule: NULL: nothing is known there
 * @is_behind: a return address behind the offset was left by no call, but put there: a function
 *	begins behind it (sysprof-table.h)
 * @is_signal_behind: ... which returns from a signal
 */
struct sysprof_row {
	const struct sysprof_table_rule *rule;
	bool is_behind;
	bool is_signal_behind;
};

/* In the sampling context, too. */
void sysprof_table_look_up(const struct table *table, u64 offset, struct sysprof_row *row);
/* The start of the function that contains @offset; SYSPROF_FRAME_NOT_TOLD: not known. */
u64 sysprof_table_function(const struct table *table, u64 offset);

#endif /* _SYSPROF_TABLE_H */
