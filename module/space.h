/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One address space's index, shared by spaces.c (the table, the hooks, the tick) and spaces-work.c
 * (memory, the worker).
 */
#ifndef _SYSPROF_SPACE_H
#define _SYSPROF_SPACE_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "quota.h"

struct code_range;
struct mm_struct;
struct ranges;
struct regions;
struct vm_area_struct;

#define SMALL_RANGES	32
#define LARGE_RANGES	256
#define REBUILD_NS	(100 * NSEC_PER_MSEC)
#define COARSE_NS	NSEC_PER_SEC
/* With more, and for want of memory earlier, an address space is coarse. */
#define RANGES_MAX	8192U

/**
 * struct space - the index of one mm
 * @hash: in the table; RCU
 * @mm: held by mmgrab() until after the grace period, so that its address is not used again
 * @lock: writers; raw: hooks run with preemption off
 * @seq: the copy to be read is copies[seq & 1]
 * @copies: where the ranges are, behind the space or allocated
 * @regions: of its code without a file, NULL if there never was any; changed under @lock
 * @payer: whose share of memory and ids it takes
 * @incomplete: something is missing
 * @coarse: there is more than is followed: only files are known, and of those no more than there
 *	is room for
 * @asked: is in the list of those to be rebuilt, by @rebuild
 * @rebuilt: when it was last, ns
 * @rest_ns: time before which the space is not rebuilt again, so that no space keeps the worker
 *	from the others
 * @rebuild: see @asked
 * @node: in the pool, or in the list of removed spaces
 */
struct space {
	struct hlist_node hash;
	struct mm_struct *mm;
	raw_spinlock_t lock;
	u32 seq;
	struct ranges *copies[2];
	struct regions *regions;
	sysprof_payer payer;
	bool incomplete;
	bool coarse;
	atomic_t asked;
	u64 rebuilt;
	u64 rest_ns;
	struct llist_node rebuild;
	struct llist_node node;
};

/* spaces.c */

/* Process context, once. */
void sysprof_spaces_init_table(void);
/* Whether @mm has a space. */
bool sysprof_space_known(const struct mm_struct *mm);
/*
 * The space of @mm, whose users are held; if it has none, an empty one of @payer's is made, to be
 * read by the caller.  NULL if there is no memory at hand.
 */
struct space *sysprof_space_get(struct mm_struct *mm, sysprof_payer payer);
/*
 * @range is what @vma of process @pid (0: not known) is in an index.  Its mm is locked; in a task.
 */
void sysprof_space_range(struct code_range *range, struct vm_area_struct *vma, u32 pid,
			 sysprof_payer payer);
/* The index of @space, whose mm is locked, is now @copies. */
void sysprof_space_install(struct space *space, struct ranges *copies[2], bool coarse);
/* Buries all spaces; no hook is armed. */
void sysprof_spaces_bury_all(void);

/* spaces-work.c: none of these sleeps or allocates; from hooks, or with preemption off. */

/* An empty space; NULL if there is no memory at hand. */
struct space *sysprof_space_take(void);
/* Back, if it was never published. */
void sysprof_space_give(struct space *space);
/* Two empty copies for LARGE_RANGES; both or, if there is no memory, none. */
bool sysprof_space_take_large(struct ranges *copies[2]);
/* None yet; NULL if there is no memory at hand. */
struct regions *sysprof_space_take_regions(void);
/*
 * Free after a grace period: @ranges, which was a copy of @space's; @space, which is no longer in
 * the table.
 */
void sysprof_space_retire(struct space *space, struct ranges *ranges);
void sysprof_space_bury(struct space *space);
/* Behind the two below. */
void sysprof_space_queue(struct space *space);
void sysprof_spaces_queue_scan(void);

/* Has @space's mappings read anew.  Any context. */
static inline void ask_rebuild(struct space *space)
{
	if (!atomic_xchg(&space->asked, 1))
		sysprof_space_queue(space);
}

/* Has spaces made for those who have none.  Any context. */
static inline void ask_scan(void)
{
	sysprof_spaces_queue_scan();
}

#endif /* _SYSPROF_SPACE_H */
