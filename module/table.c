// SPDX-License-Identifier: GPL-2.0-only
/*
 * One unwind table: copied from who hands it over, checked, and given an index.
 *
 * The rows of a table may be a million, and a search that halves them waits for memory at each of
 * twenty steps.  The index says for each piece of the object how many rows are before it: what is
 * left to search are some eight rows, in one or two cache lines.  A table can be made in which one
 * piece has nearly all rows.  Searching that takes as long as it would without an index.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "arch.h"
#include "table.h"

/* As many entries as this part of the rows: 8 % more memory. */
#define ROWS_OF_ENTRY	8

/* Look-ups. */

/* Number of entries of @sorted between @low and @high, and before, that are not above @offset. */
static u32 count_up_to(const u32 *sorted, u32 low, u32 high, u64 offset)
{
	u32 middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (sorted[middle] <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static u32 rows_up_to(const struct table *table, u64 offset)
{
	const u32 *entry;

	if (!table->n_rows || offset >= table->offsets[table->n_rows - 1])
		return table->n_rows;
	entry = &table->index[offset >> table->index_shift];
	return count_up_to(table->offsets, entry[0], entry[1], offset);
}

static const struct sysprof_table_rule *last_of(const struct table *table, u32 n_rows)
{
	const struct sysprof_table_rule *rule;

	if (!n_rows)
		return NULL;
	rule = &table->rule[table->rules[n_rows - 1]];
	return rule->cfa != SYSPROF_CFA_UNKNOWN ? rule : NULL;
}

void sysprof_table_look_up(const struct table *table, u64 offset, struct sysprof_row *row)
{
	u32 n = rows_up_to(table, offset), starts;
	const struct sysprof_table_rule *behind;

	*row = (struct sysprof_row){ .rule = last_of(table, n) };
	if (row->rule && table->offsets[n - 1] != offset)
		return;
	starts = count_up_to(table->starts, 0, table->n_starts, offset + 1);
	if (!starts || table->starts[starts - 1] != offset + 1)
		return;
	behind = last_of(table, rows_up_to(table, offset + 1));
	row->is_behind = behind;
	row->is_signal_behind = behind && behind->cfa == SYSPROF_CFA_SIGNAL;
}

u64 sysprof_table_function(const struct table *table, u64 offset)
{
	const struct sysprof_table_rule *rule = last_of(table, rows_up_to(table, offset));
	u32 n;

	/* The address is between functions, or in a function without rules. */
	if (!rule || (rule->cfa <= SYSPROF_CFA_MEMORY && rule->is_guess))
		return SYSPROF_FRAME_NOT_TOLD;
	n = count_up_to(table->starts, 0, table->n_starts, offset);
	return n ? table->starts[n - 1] : SYSPROF_FRAME_NOT_TOLD;
}

/* Checks. */

static bool is_rule(const struct sysprof_table_rule *rule)
{
	u16 slots = (1U << SYSPROF_ARCH_SAVED) - 1;

	return rule->cfa <= SYSPROF_CFA_SWITCH && rule->ra <= SYSPROF_RA_REGISTER &&
	       rule->is_signal <= 1 && rule->cfa_register < SYSPROF_ARCH_TABLE_REGS &&
	       rule->ra_register < SYSPROF_ARCH_TABLE_REGS &&
	       (rule->cfa != SYSPROF_CFA_INDEXED ||
		rule->index_register < SYSPROF_ARCH_TABLE_REGS) &&
	       !((rule->lost | rule->at_cfa | rule->at_fp) & ~slots) &&
	       !(rule->at_cfa & rule->at_fp) && !(rule->lost & (rule->at_cfa | rule->at_fp));
}

static bool is_rising(const u32 *offsets, u32 n)
{
	u32 i;

	for (i = 1; i < n; i++) {
		if (offsets[i] <= offsets[i - 1])
			return false;
		if (!(i & 0xffff))
			cond_resched();
	}
	return true;
}

/* Finds the parts of copied data; false: its sizes are not those of a table. */
static bool find_parts(struct table *table)
{
	const struct sysprof_table_header *header = (const void *)table->data;
	u64 rules_at, starts_at;

	if (table->data_bytes < sizeof(*header) || header->magic != SYSPROF_TABLE_MAGIC ||
	    header->version != SYSPROF_TABLE_VERSION || header->machine != SYSPROF_ARCH_MACHINE ||
	    !header->n_rules || header->n_rules > U16_MAX + 1U || header->reserved)
		return false;
	rules_at = sizeof(*header) + ALIGN(header->n_rows * (u64)(sizeof(u32) + sizeof(u16)), 8);
	starts_at = rules_at + header->n_rules * (u64)sizeof(*table->rule);
	if (starts_at + ALIGN(header->n_starts * (u64)sizeof(u32), 8) != table->data_bytes)
		return false;
	table->n_rows = header->n_rows;
	table->n_starts = header->n_starts;
	table->offsets = (const u32 *)(header + 1);
	table->rules = (const u16 *)(table->offsets + table->n_rows);
	table->rule = (const void *)table->data + rules_at;
	table->starts = (const void *)table->data + starts_at;
	return true;
}

/* False: the data is no table. */
static bool table_check(struct table *table)
{
	const struct sysprof_table_header *header = (const void *)table->data;
	u32 i;

	if (!find_parts(table) || !is_rising(table->offsets, table->n_rows) ||
	    !is_rising(table->starts, table->n_starts))
		return false;
	for (i = 0; i < table->n_rows; i++) {
		if (table->rules[i] >= header->n_rules)
			return false;
		if (!(i & 0xffff))
			cond_resched();
	}
	if (table->n_rows && table->rules[table->n_rows - 1])
		return false;
	if (table->rule[0].cfa != SYSPROF_CFA_UNKNOWN)
		return false;
	for (i = 0; i < header->n_rules; i++)
		if (!is_rule(&table->rule[i]))
			return false;
	return true;
}

/* False: there is no memory. */
static bool table_index(struct table *table)
{
	/* One row at the end of 4 GiB is shifted by all its bits. */
	u64 last;
	u32 n, row = 0, i;

	if (!table->n_rows)
		return true;
	last = table->offsets[table->n_rows - 1];
	while (last >> table->index_shift > table->n_rows / ROWS_OF_ENTRY)
		table->index_shift++;
	n = (last >> table->index_shift) + 2;
	table->index = kvmalloc_array(n, sizeof(*table->index), GFP_KERNEL_ACCOUNT);
	if (!table->index)
		return false;
	for (i = 0; i < n; i++) {
		while (row < table->n_rows &&
		       table->offsets[row] < (u64)i << table->index_shift)
			row++;
		table->index[i] = row;
		if (!(i & 0xfff))
			cond_resched();
	}
	table->bytes += n * sizeof(*table->index);
	return true;
}

/* Copies. */

struct table *sysprof_table_copy(const struct sysprof_table *from)
{
	u64 bytes = sizeof(struct table) + from->bytes;
	struct table *table = kvmalloc(bytes, GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!table)
		return ERR_PTR(-ENOMEM);
	*table = (struct table){
		.build_id_bytes = from->build_id_bytes,
		.data_bytes = from->bytes,
		.bytes = bytes,
	};
	memcpy(table->build_id, from->build_id, sizeof(table->build_id));
	if (copy_from_user(table->data, u64_to_user_ptr(from->table), from->bytes))
		err = -EFAULT;
	else if (!table_check(table))
		err = -EINVAL;
	else if (!table_index(table))
		err = -ENOMEM;
	if (!err)
		return table;
	sysprof_table_free(table);
	return ERR_PTR(err);
}

void sysprof_table_free(struct table *table)
{
	kvfree(table->index);
	kvfree(table);
}
