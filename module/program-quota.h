/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of one user may cost while others record: memory and ids. */
#ifndef _SYSPROF_PROGRAM_QUOTA_H
#define _SYSPROF_PROGRAM_QUOTA_H

#include <linux/atomic.h>
#include <linux/types.h>

struct task_struct;

/*
 * The payer of files, regions and mappings: a user, together with all users of the user namespaces
 * that the user made.  Users may share a number; nobody shares root's.
 */
typedef u16 sysprof_payer;

#define SYSPROF_PAYER_ROOT	0
#define SYSPROF_QUOTA_PAYERS	(1 << 12)

/* RCU read side, or current; any context. */
sysprof_payer sysprof_quota_payer(const struct task_struct *task);

/*
 * Whether @payer may have @bytes more.  If so, they count as taken until they are given back.  Any
 * context.
 */
bool sysprof_quota_take(sysprof_payer payer, size_t bytes);
void sysprof_quota_give(sysprof_payer payer, size_t bytes);

/* A new id for an object of @payer; 0 if @payer may have no more.  Any context. */
u32 sysprof_quota_new_id(sysprof_payer payer);
/* Numbers ids from the beginning again, when no id is in use any more. */
void sysprof_quota_forget_ids(void);

/**
 * struct sysprof_shares - who has what of a table of fixed size, which is a hash of buckets.  The
 *	first half of each bucket is for all.  Of the second halves a payer has a quarter, and
 *	half of each, so that nobody can take them all; root has no limit
 * @part: number of slots in second halves that a payer may have
 * @taken: such slots, by payer
 */
struct sysprof_shares {
	int part;
	atomic_t taken[SYSPROF_QUOTA_PAYERS];
};

#define SYSPROF_SHARES_IN_BUCKET 2 /* slots of a payer in the second half of a bucket of eight */

/* For an empty table of @slots. */
void sysprof_shares_begin(struct sysprof_shares *shares, unsigned int slots);
/*
 * Whether @payer, who has @n slots in the second half of a bucket, may have one more there.  If so,
 * it counts until it is given back.  Any context.
 */
static inline bool sysprof_shares_take(struct sysprof_shares *shares, sysprof_payer payer,
				       unsigned int n)
{
	return payer == SYSPROF_PAYER_ROOT ||
	       (n < SYSPROF_SHARES_IN_BUCKET &&
		atomic_add_unless(&shares->taken[payer], 1, shares->part));
}
/* Whether it may, as things are now; nothing is taken. */
static inline bool sysprof_shares_may_take(const struct sysprof_shares *shares, sysprof_payer payer,
					   unsigned int n)
{
	return payer == SYSPROF_PAYER_ROOT ||
	       (n < SYSPROF_SHARES_IN_BUCKET && atomic_read(&shares->taken[payer]) < shares->part);
}
static inline void sysprof_shares_give(struct sysprof_shares *shares, sysprof_payer payer)
{
	if (payer != SYSPROF_PAYER_ROOT)
		atomic_dec(&shares->taken[payer]);
}

#endif /* _SYSPROF_PROGRAM_QUOTA_H */
