// SPDX-License-Identifier: GPL-2.0-only
/*
 * What sessions take, by user and as a whole: their number, and the kernel memory of rings, filters
 * and counters.  Memory is charged to the memory cgroup, too, but not every user has one with a
 * limit.
 *
 * Users without CAP_SYS_RESOURCE together get three quarters of each limit, so an administrator can
 * always record what they do.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "session-quota.h"
#include "compat/export.h"

static uint ring_limit_mib = 512;
module_param(ring_limit_mib, uint, 0444);
MODULE_PARM_DESC(ring_limit_mib, "memory that all sessions together may take, MiB");

static uint ring_limit_user_mib = 256;
module_param(ring_limit_user_mib, uint, 0444);
MODULE_PARM_DESC(ring_limit_user_mib, "the same of one user without CAP_SYS_RESOURCE, MiB");

static uint session_limit = 256;
module_param(session_limit, uint, 0444);
MODULE_PARM_DESC(session_limit, "sessions that may be open at a time");

static uint session_limit_user = 64;
module_param(session_limit_user, uint, 0444);
MODULE_PARM_DESC(session_limit_user, "the same of one user without CAP_SYS_RESOURCE");

#define DEFAULT_SESSIONS 2 /* of default size that a user has room for */

/**
 * struct sysprof_session_quota - of a user
 * @link: in the list of all
 * @uid: the real user id at open
 * @is_exempt: had CAP_SYS_RESOURCE
 * @sessions: that are open
 * @bytes: charged
 */
struct sysprof_session_quota {
	struct list_head link;
	kuid_t uid;
	bool is_exempt;
	unsigned int sessions;
	u64 bytes;
};

/* Totals of all sessions, and of sessions without CAP_SYS_RESOURCE. */
struct sum {
	unsigned int sessions;
	u64 bytes;
};

static LIST_HEAD(charges);
static DEFINE_MUTEX(charge_lock);
static struct sum of_all, of_users;

static u64 mib(uint n)
{
	return (u64)n << 20;
}

static u64 three_quarters(u64 n)
{
	return n - n / 4;
}

static struct sysprof_session_quota *charge_find(kuid_t uid, bool is_exempt)
{
	struct sysprof_session_quota *charge;

	list_for_each_entry(charge, &charges, link)
		if (uid_eq(charge->uid, uid) && charge->is_exempt == is_exempt)
			return charge;
	charge = kzalloc(sizeof(*charge), GFP_KERNEL_ACCOUNT);
	if (!charge)
		return NULL;
	charge->uid = uid;
	charge->is_exempt = is_exempt;
	list_add(&charge->link, &charges);
	return charge;
}

static void charge_put(struct sysprof_session_quota *charge)
{
	if (charge->sessions)
		return;
	list_del(&charge->link);
	kfree(charge);
}

static bool has_session(const struct sysprof_session_quota *charge)
{
	return of_all.sessions < session_limit &&
	       (charge->is_exempt || (charge->sessions < session_limit_user &&
				      of_users.sessions < three_quarters(session_limit)));
}

static bool has_bytes(const struct sysprof_session_quota *charge, u64 bytes)
{
	return of_all.bytes + bytes <= mib(ring_limit_mib) &&
	       (charge->is_exempt ||
		(charge->bytes + bytes <= mib(ring_limit_user_mib) &&
		 of_users.bytes + bytes <= three_quarters(mib(ring_limit_mib))));
}

struct sysprof_session_quota *sysprof_session_quota_open(void)
{
	bool is_exempt = capable(CAP_SYS_RESOURCE);
	struct sysprof_session_quota *charge;

	mutex_lock(&charge_lock);
	charge = charge_find(current_uid(), is_exempt);
	if (!charge) {
		charge = ERR_PTR(-ENOMEM);
	} else if (!has_session(charge)) {
		charge_put(charge);
		charge = ERR_PTR(-EUSERS);
	} else {
		charge->sessions++;
		of_all.sessions++;
		of_users.sessions += !is_exempt;
	}
	mutex_unlock(&charge_lock);
	return charge;
}

void sysprof_session_quota_close(struct sysprof_session_quota *charge)
{
	mutex_lock(&charge_lock);
	charge->sessions--;
	of_all.sessions--;
	of_users.sessions -= !charge->is_exempt;
	charge_put(charge);
	mutex_unlock(&charge_lock);
}

int sysprof_session_quota_add(struct sysprof_session_quota *charge, u64 bytes)
{
	int err = -ENOSPC;

	mutex_lock(&charge_lock);
	if (has_bytes(charge, bytes)) {
		charge->bytes += bytes;
		of_all.bytes += bytes;
		if (!charge->is_exempt)
			of_users.bytes += bytes;
		err = 0;
	}
	mutex_unlock(&charge_lock);
	return err;
}
SYSPROF_EXPORT(sysprof_session_quota_add);

void sysprof_session_quota_sub(struct sysprof_session_quota *charge, u64 bytes)
{
	mutex_lock(&charge_lock);
	charge->bytes -= bytes;
	of_all.bytes -= bytes;
	if (!charge->is_exempt)
		of_users.bytes -= bytes;
	mutex_unlock(&charge_lock);
}
SYSPROF_EXPORT(sysprof_session_quota_sub);

bool sysprof_session_quota_is_exempt(const struct sysprof_session_quota *charge)
{
	return charge->is_exempt;
}

u64 sysprof_session_quota_default(void)
{
	return min(mib(ring_limit_user_mib), three_quarters(mib(ring_limit_mib))) /
	       DEFAULT_SESSIONS;
}
