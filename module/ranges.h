/* SPDX-License-Identifier: GPL-2.0-only */
/* The executable mappings of an address space, sorted. */
#ifndef _SYSPROF_RANGES_H
#define _SYSPROF_RANGES_H

#include <linux/llist.h>
#include <linux/types.h>

#include "program-quota.h"

/**
 * struct code_range - an executable mapping
 * @start: first address
 * @end: address behind the last byte
 * @base: an address in the range plus @base is the frame, modulo 2^64
 * @counted: pages of the range that mm->exec_vm counts
 */
struct code_range {
	u64 start;
	u64 end;
	u64 base;
	u64 counted;
};

/**
 * struct ranges - a copy of a space's index
 * @retired: in the worker's list, if the copy was allocated
 * @payer: pays for the memory, if it was allocated for this space alone
 * @n: number of ranges, which are sorted and do not overlap
 * @capacity: most ranges that there is room for
 * @counted: pages of all ranges that mm->exec_vm counts
 * @objects: a bit for the low six bits of each object's id, as far as it is or was mapped
 * @stamp: no others have the same stamp, unless all ranges are the same; 0: none
 * @range: the ranges
 */
struct ranges {
	struct llist_node retired;
	sysprof_payer payer;
	u32 n;
	u32 capacity;
	u64 counted;
	u64 objects;
	u64 stamp;
	struct code_range range[];
};

#define RANGES_BYTES(n)	(sizeof(struct ranges) + (n) * sizeof(struct code_range))

/*
 * Index of the first range that ends behind @address.  The array may be edited meanwhile; then the
 * result means nothing.  Inline, as the next function is: walks of user stacks may call no function
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
 * @start: first address that is looked up in the range.  A return address belongs to the byte
 *	before it, so for those it is one more than the range's start
 * @bytes: size of the range; 0 at the beginning of a walk: no range yet
 * @base: an address in the range plus @base is the frame
 */
struct sysprof_place {
	u64 start;
	u64 bytes;
	u64 base;
};

/*
 * Sets @place to the range of @address, which is @behind (0 or 1) bytes after its instruction.
 * False if no range contains it.
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

/* The bit of @object, an id, in struct ranges. */
static inline u64 sysprof_ranges_bit(u32 object)
{
	return 1ULL << (object & 63);
}

/* Inserts @range at index @at.  The caller has made sure of the room. */
void sysprof_ranges_insert(struct ranges *ranges, u32 at, const struct code_range *range);
/*
 * Replaces what is in [start, end) by @new; NULL: nothing executable.  The caller has made sure of
 * room for two more ranges.
 */
void sysprof_ranges_replace(struct ranges *ranges, u64 start, u64 end,
			    const struct code_range *new);
/* copy(): makes @to, which has room, equal to @from.  clear(): empties it. */
void sysprof_ranges_copy(struct ranges *to, const struct ranges *from);
void sysprof_ranges_clear(struct ranges *ranges);

#endif /* _SYSPROF_RANGES_H */
