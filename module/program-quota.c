// SPDX-License-Identifier: GPL-2.0-only
/*
 * Limits on what one user's programs may cost while others record: memory for objects and mappings,
 * and ids of objects.  Everybody's programs are followed, also those of users who may not record,
 * and they can map new files and code without end.  So each user has a part, and all users but root
 * together leave some for root.  When a user has used up the part, that user's frames have no
 * names; others lose nothing.
 */
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "compat/export.h"
#include "program-quota.h"
#include "sysprof-chain.h"

#define BYTES_MAX	(64L << 20)
#define BYTES_USERS	(48L << 20)
#define BYTES_USER	(8L << 20)

/* What is above are frames of scripts. */
#define IDS_MAX		((int)(SYSPROF_FRAME_SCRIPT >> SYSPROF_FRAME_OBJECT_SHIFT))
#define IDS_USERS	(IDS_MAX / 4 * 3)
#define IDS_USER	(IDS_MAX / 8)

static struct payer {
	atomic_long_t bytes;
	atomic_t ids;
} payers[SYSPROF_QUOTA_PAYERS];

/* Of all users but root. */
static struct payer users;
static atomic_long_t all_bytes;
static atomic_t next_id = ATOMIC_INIT(SYSPROF_OBJECT_FIRST);

/* A user has 65536 more users in namespaces that he makes: they are all his. */
sysprof_payer sysprof_quota_payer(const struct task_struct *task)
{
	const struct user_namespace *ns;
	const struct cred *cred;
	kuid_t uid;

	rcu_read_lock();
	cred = __task_cred(task);
	uid = cred->uid;
	for (ns = cred->user_ns; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	rcu_read_unlock();
	if (uid_eq(uid, GLOBAL_ROOT_UID))
		return SYSPROF_PAYER_ROOT;
	return 1 + hash_32(__kuid_val(uid), 32) % (ARRAY_SIZE(payers) - 1);
}
SYSPROF_EXPORT(sysprof_quota_payer);

static bool quota_take_bytes(atomic_long_t *account, long bytes, long limit)
{
	if (atomic_long_add_return(bytes, account) <= limit)
		return true;
	atomic_long_sub(bytes, account);
	return false;
}

bool sysprof_quota_take(sysprof_payer payer, size_t bytes)
{
	bool is_root = payer == SYSPROF_PAYER_ROOT;

	if (!is_root && !quota_take_bytes(&payers[payer].bytes, bytes, BYTES_USER))
		return false;
	if (is_root || quota_take_bytes(&users.bytes, bytes, BYTES_USERS)) {
		if (quota_take_bytes(&all_bytes, bytes, BYTES_MAX))
			return true;
		if (!is_root)
			atomic_long_sub(bytes, &users.bytes);
	}
	if (!is_root)
		atomic_long_sub(bytes, &payers[payer].bytes);
	return false;
}

void sysprof_quota_give(sysprof_payer payer, size_t bytes)
{
	atomic_long_sub(bytes, &all_bytes);
	if (payer == SYSPROF_PAYER_ROOT)
		return;
	atomic_long_sub(bytes, &users.bytes);
	atomic_long_sub(bytes, &payers[payer].bytes);
}

u32 sysprof_quota_new_id(sysprof_payer payer)
{
	int id, next;

	if (payer != SYSPROF_PAYER_ROOT &&
	    (!atomic_add_unless(&payers[payer].ids, 1, IDS_USER) ||
	     !atomic_add_unless(&users.ids, 1, IDS_USERS)))
		return SYSPROF_OBJECT_UNKNOWN;
	id = atomic_read(&next_id);
	do {
		if (id >= IDS_MAX)
			return SYSPROF_OBJECT_UNKNOWN;
		next = id + 1;
		next += SYSPROF_OBJECT_IS_READERS(next);
	} while (!atomic_try_cmpxchg(&next_id, &id, next));
	return id;
}

void sysprof_shares_begin(struct sysprof_shares *shares, unsigned int slots)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(shares->taken); i++)
		atomic_set(&shares->taken[i], 0);
	shares->part = slots / 2 / 4;
}
SYSPROF_EXPORT(sysprof_shares_begin);

void sysprof_quota_forget_ids(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(payers); i++)
		atomic_set(&payers[i].ids, 0);
	atomic_set(&users.ids, 0);
	atomic_set(&next_id, SYSPROF_OBJECT_FIRST);
}
