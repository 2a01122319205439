/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The index of one address space.  space-pool.c has the memory, spaces.c above it the table, the
 * hooks and the tick, and spaces-work.c above both the worker.
 */
#ifndef _SYSPROF_SPACE_H
#define _SYSPROF_SPACE_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "program-quota.h"

struct code_range;
struct mm_struct;
struct ranges;
struct regions;
struct vm_area_struct;

#define SMALL_RANGES	32
#define LARGE_RANGES	256
#define REBUILD_NS	(100 * NSEC_PER_MSEC)
#define COARSE_NS	NSEC_PER_SEC
/* An address space with more ranges is coarse.  It can be coarse with fewer if memory is short. */
#define RANGES_MAX	8192U

/**
 * struct space - the index of one mm
 * @hash: in the table; RCU
 * @mm: held by mmgrab() until after the grace period, so that its address is not used again
 * @lock: writers; raw: hooks run with preemption off
 * @seq: the copy to be read is copies[seq & 1]
 * @copies: the ranges, in memory behind the space or allocated
 * @regions: regions of code without a file; NULL if there never were any; changed under @lock
 * @payer: pays for the memory and the ids
 * @incomplete: some mapping is missing from the index
 * @coarse: there are more mappings than the index follows: it has only files, and of those as many
 *	as there is room for
 * @asked: the space is in the list of those to be rebuilt, by @rebuild
 * @rebuilt: when the space was last rebuilt, ns
 * @rest_ns: time before which the space is not rebuilt again, so that no space keeps the worker
 *	from the others
 * @rebuild: in the list of spaces to be rebuilt
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
 * The space of @mm.  If it has none, makes an empty one, which @payer pays for and which the caller
 * fills.  The caller holds a user of @mm.  NULL if there is no memory at hand.
 */
struct space *sysprof_space_get(struct mm_struct *mm, sysprof_payer payer);
/*
 * Sets @range to the index's entry for @vma of process @pid (0: not known).  Its mm is locked; in a
 * task.
 */
void sysprof_space_range(struct code_range *range, struct vm_area_struct *vma, u32 pid,
			 sysprof_payer payer);
/* Makes @copies the index of @space, whose mm is locked. */
void sysprof_space_install(struct space *space, struct ranges *copies[2], bool coarse);
/* Removes and frees all spaces.  No hook is armed. */
void sysprof_spaces_bury_all(void);

/*
 * space-pool.c: these neither sleep nor allocate, and are called from hooks or with preemption off.
 */

/* An empty space; NULL if there is no memory at hand. */
struct space *sysprof_space_take(void);
/* Gives back a space that was never published. */
void sysprof_space_give(struct space *space);
/*
 * Takes two empty copies for LARGE_RANGES.  False: there is not enough memory at hand, and neither
 * is taken.
 */
bool sysprof_space_take_large(struct ranges *copies[2]);
/* Takes memory for regions, of which there are none yet; NULL if there is no memory at hand. */
struct regions *sysprof_space_take_regions(void);
/*
 * Free after a grace period: retire() @ranges, which was a copy of @space's; bury() @space, which
 * is no longer in the table.
 */
void sysprof_space_retire(struct space *space, struct ranges *ranges);
void sysprof_space_bury(struct space *space);
/* For ask_rebuild() and ask_scan() below. */
void sysprof_space_queue(struct space *space);
void sysprof_spaces_queue_scan(void);

/* Asks the worker to read @space's mappings anew.  Any context. */
static inline void ask_rebuild(struct space *space)
{
	if (!atomic_xchg(&space->asked, 1))
		sysprof_space_queue(space);
}

/* Asks the worker to make spaces for the processes that have none.  Any context. */
static inline void ask_scan(void)
{
	sysprof_spaces_queue_scan();
}

/* space-pool.c, for the worker. */

/**
 * struct space_duties - what hooks and ticks leave to the worker
 * @gone: removed spaces
 * @retired: copies that no space has any more
 * @rebuilds: spaces whose mappings are to be read anew
 * @scan_wanted: there may be processes that have no space
 * @kick: has the worker run; the worker's to set up
 */
struct space_duties {
	struct llist_head gone;
	struct llist_head retired;
	struct llist_head rebuilds;
	bool scan_wanted;
	struct irq_work kick;
};
extern struct space_duties sysprof_space_duties;

/* Fills up the memory that is at hand for hooks; 0 or -ENOMEM.  Process context. */
int sysprof_space_fill_pools(void);
/*
 * Makes two empty copies for @capacity ranges; if that is more than LARGE_RANGES, @payer pays for
 * them.  False: there is no memory.  Process context.
 */
bool sysprof_space_alloc_copies(struct ranges *copies[2], u32 capacity, sysprof_payer payer);
/* Free what was retired and buried, a grace period before.  Process context. */
void sysprof_space_free_retired(struct llist_node *list);
void sysprof_space_free_gone(struct llist_node *list);
/* Frees what is at hand for hooks, of which none is armed.  Process context. */
void sysprof_space_free_pools(void);

#endif /* _SYSPROF_SPACE_H */
