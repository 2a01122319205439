/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_RANGES_H
#define _SYSPROF_RANGES_H

#include <linux/llist.h>
#include <linux/types.h>

#include "quota.h"

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
 * @payer: whose share of memory it takes, if it was allocated for this space alone
 * @n: ranges, sorted, not overlapping
 * @capacity: n never goes beyond
 * @counted: pages of them all that mm->exec_vm counts
 * @range: they
 */
struct ranges {
	struct llist_node retired;
	sysprof_payer payer;
	u32 n;
	u32 capacity;
	u64 counted;
	struct code_range range[];
};

#define RANGES_BYTES(n)	(sizeof(struct ranges) + (n) * sizeof(struct code_range))

/*
 * Index of the first range that ends behind @address.  The array may be edited meanwhile: what was
 * found means nothing then.  Inline like the next one: walks of user stacks may call no function
 * while they may touch user memory.
 */
static __always_inline u32 sysprof_ranges_first_behind(const struct ranges *ranges, u64 address)
{
	u32 low = 0, high = READ_ONCE(ranges->n), middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if ((ranges->range + middle)->end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/**
 * struct sysprof_place - the range a walk is in: neighbours on a stack are often in the same one
 * @start: first address that is in it: for return addresses, which belong to the byte before, one
 *	more than the range's
 * @bytes: 0 at the beginning of a walk: in none
 * @base: added to an address within, gives the frame
 */
struct sysprof_place {
	u64 start;
	u64 bytes;
	u64 base;
};

/*
 * Makes @place the range of @address, which is @behind (0 or 1) bytes after the instruction that it
 * represents; false if that is in no range.
 */
static __always_inline bool sysprof_ranges_look_up(const struct ranges *ranges, u64 address,
						   u32 behind, struct sysprof_place *place)
{
	const struct code_range *range;
	u32 at;

	if (likely(address - place->start < place->bytes))
		return true;
	at = sysprof_ranges_first_behind(ranges, address - behind);
	if (at >= READ_ONCE(ranges->n))
		return false;
	range = ranges->range + at;
	place->start = READ_ONCE(range->start) + behind;
	place->bytes = READ_ONCE(range->end) + behind - place->start;
	place->base = READ_ONCE(range->base);
	return address - place->start < place->bytes && place->base;
}

/* Puts @range at index @at.  There is room. */
void sysprof_ranges_insert(struct ranges *ranges, u32 at, const struct code_range *range);
/*
 * [start, end) is now @new, or nothing executable if that is NULL.  There is room for two more
 * ranges.
 */
void sysprof_ranges_replace(struct ranges *ranges, u64 start, u64 end,
			    const struct code_range *new);
/* @to, which has room for them, is what @from is; and is empty. */
void sysprof_ranges_copy(struct ranges *to, const struct ranges *from);
void sysprof_ranges_clear(struct ranges *ranges);

#endif /* _SYSPROF_RANGES_H */
