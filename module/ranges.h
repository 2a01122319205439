/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_RANGES_H
#define _SYSPROF_RANGES_H

#include <linux/llist.h>
#include <linux/types.h>

/**
 * struct code_range - an executable mapping
 * @start: address
 * @end: address
 * @base: added to an address within, gives the frame, modulo 2^64
 * @counted: pages that mm->exec_vm counts
 */
struct code_range {
	u64 start;
	u64 end;
	u64 base;
	u64 counted;
};

/**
 * struct ranges - a copy of a space's index
 * @retired: in the worker's list, for what was allocated
 * @n: ranges, sorted, not overlapping
 * @capacity: n never goes beyond
 */
struct ranges {
	struct llist_node retired;
	u32 n;
	u32 capacity;
	struct code_range range[];
};

#define RANGES_BYTES(n)	(sizeof(struct ranges) + (n) * sizeof(struct code_range))

/* Index of the first range that ends behind @address; the only one here that may be called while the array is edited. */
u32 sysprof_ranges_first_behind(const struct ranges *ranges, u64 address);
/* Puts @range at index @at.  There is room. */
void sysprof_ranges_insert(struct ranges *ranges, u32 at, const struct code_range *range);
/* [start, end) is now @new, or nothing executable if that is NULL.  There is room for two more ranges. */
void sysprof_ranges_replace(struct ranges *ranges, u64 start, u64 end, const struct code_range *new);
/* Pages that mm->exec_vm counts. */
u64 sysprof_ranges_count(const struct ranges *ranges);

#endif /* _SYSPROF_RANGES_H */
