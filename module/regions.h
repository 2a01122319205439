/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_REGIONS_H
#define _SYSPROF_REGIONS_H

#include <linux/llist.h>
#include <linux/types.h>

#include "quota.h"
#include "sysprof.h"

struct mm_struct;
struct vm_area_struct;

#define SYSPROF_REGIONS_MAX	64

/**
 * struct region - memory without a file that was executable once: where a program makes its code
 * @start: of all the places that were, and still may become so
 * @end: behind them
 * @origin: the address of offset 0
 * @bytes: when it was first seen
 * @object: id
 * @generation: how many this address space had before
 * @pid: of the process that mapped it, 0 if that is not known
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
 * struct regions - those of one address space, the oldest first
 * @pooled: in the pool
 * @n: how many
 * @made: regions that were ever made
 * @region: younger ones may be inside an older one that has grown, and keep their ids for what
 *	is still mapped there as theirs
 */
struct regions {
	struct llist_node pooled;
	u32 n;
	u32 made;
	struct region region[SYSPROF_REGIONS_MAX];
};

/*
 * The region that executable memory [start, end) of process @pid (0: not known) belongs to: the
 * oldest that it overlaps or touches, which grows by it; else a new one, @payer's, and then
 * *@is_new is set.  NULL if there cannot be more of them.  As are the others here, under the lock
 * of the space; any context but NMI.
 */
const struct region *sysprof_regions_get(struct regions *regions, u64 start, u64 end, u32 pid,
					 sysprof_payer payer, bool *is_new);
/* A file is mapped at [start, end) now: a region of which nothing is left ends. */
void sysprof_regions_cut(struct regions *regions, u64 start, u64 end);
/* @to, which is empty, is what @from is. */
void sysprof_regions_copy(struct regions *to, const struct regions *from);
/* The record of @region, without time and cpu. */
void sysprof_regions_record(const struct region *region, const struct mm_struct *mm,
			    struct sysprof_region *record);

#endif /* _SYSPROF_REGIONS_H */
