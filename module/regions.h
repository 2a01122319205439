/* SPDX-License-Identifier: GPL-2.0-only */
/* Code that is in no file: memory in which programs write or run what they compiled. */
#ifndef _SYSPROF_REGIONS_H
#define _SYSPROF_REGIONS_H

#include <linux/llist.h>
#include <linux/types.h>

#include "program-quota.h"
#include "sysprof.h"

struct mm_struct;
struct vm_area_struct;

#define SYSPROF_REGIONS_MAX	64

/**
 * struct region - memory without a file that was executable once, in which a program makes code
 * @start: first address that was ever executable here and may still become so
 * @end: address behind the last of those
 * @origin: the address of offset 0
 * @bytes: size when the region was first seen
 * @object: id of the object
 * @generation: number of regions that the address space had before
 * @pid: id of the process that mapped it; 0 if that is not known
 */
struct region {
	u64 start;
	u64 end;
	u64 origin;
	u64 bytes;
	u32 object;
	u32 generation;
	u32 pid;
};

/**
 * struct regions - the regions of one address space, the oldest first
 * @pooled: in the pool
 * @n: number of regions
 * @made: number of regions that were ever made
 * @region: the regions.  A younger one may be inside an older one that has grown; it keeps its id
 *	for the memory that is still mapped as its own
 */
struct regions {
	struct llist_node pooled;
	u32 n;
	u32 made;
	struct region region[SYSPROF_REGIONS_MAX];
};

/*
 * Whether @frame is in code made at run time.  No code of a file is so far from its beginning:
 * tables reach 4 GiB, and no file has half of that.
 */
static inline bool sysprof_is_of_region(u64 frame)
{
	return (frame & SYSPROF_FRAME_OFFSET_MASK) >= SYSPROF_REGION_BIAS / 2;
}

/*
 * The region of executable memory [start, end) of process @pid (0: not known).  That is the oldest
 * region that it overlaps or touches, which grows by it.  If there is none, a new region of @payer
 * is made, and *@is_new is set.  NULL if there cannot be more regions.  All of these functions:
 * under the space's lock; any context but NMI.
 */
const struct region *sysprof_regions_get(struct regions *regions, u64 start, u64 end, u32 pid,
					 sysprof_payer payer, bool *is_new);
/* A file is now mapped at [start, end).  A region of which nothing is left ends. */
void sysprof_regions_cut(struct regions *regions, u64 start, u64 end);
/* Makes @to, which is empty, equal to @from. */
void sysprof_regions_copy(struct regions *to, const struct regions *from);
/* The record of @region, without time and cpu. */
void sysprof_regions_record(const struct region *region, const struct mm_struct *mm,
			    struct sysprof_region *record);

#endif /* _SYSPROF_REGIONS_H */
