// SPDX-License-Identifier: GPL-2.0-only
/*
 * The memory that rings take, by user and as a whole.  It is charged to the memory cgroup, too, but
 * not every user has one with a limit.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/list.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "charge.h"

static uint ring_limit_mib = 512;
module_param(ring_limit_mib, uint, 0444);
MODULE_PARM_DESC(ring_limit_mib, "memory that the rings of all sessions together may take, MiB");

static uint ring_limit_user_mib = 256;
module_param(ring_limit_user_mib, uint, 0444);
MODULE_PARM_DESC(ring_limit_user_mib, "the same of one user without CAP_SYS_RESOURCE, MiB");

/**
 * struct sysprof_charge - of a user
 * @link: in the list of all
 * @uid: the real user id at open
 * @is_exempt: had CAP_SYS_RESOURCE
 * @sessions: that use it
 * @bytes: charged
 */
struct sysprof_charge {
	struct list_head link;
	kuid_t uid;
	bool is_exempt;
	unsigned int sessions;
	u64 bytes;
};

static LIST_HEAD(charges);
static DEFINE_MUTEX(charge_lock);
static u64 bytes_of_all;

static struct sysprof_charge *find(kuid_t uid, bool is_exempt)
{
	struct sysprof_charge *charge;

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

struct sysprof_charge *sysprof_charge_open(void)
{
	bool is_exempt = capable(CAP_SYS_RESOURCE);
	struct sysprof_charge *charge;

	mutex_lock(&charge_lock);
	charge = find(current_uid(), is_exempt);
	if (charge)
		charge->sessions++;
	mutex_unlock(&charge_lock);
	return charge;
}

void sysprof_charge_close(struct sysprof_charge *charge)
{
	mutex_lock(&charge_lock);
	if (!--charge->sessions) {
		list_del(&charge->link);
		kfree(charge);
	}
	mutex_unlock(&charge_lock);
}

int sysprof_charge_add(struct sysprof_charge *charge, u64 bytes)
{
	u64 of_all = (u64)ring_limit_mib << 20, of_user = (u64)ring_limit_user_mib << 20;
	int err = -ENOSPC;

	mutex_lock(&charge_lock);
	if (bytes_of_all + bytes <= of_all &&
	    (charge->is_exempt || charge->bytes + bytes <= of_user)) {
		bytes_of_all += bytes;
		charge->bytes += bytes;
		err = 0;
	}
	mutex_unlock(&charge_lock);
	return err;
}

void sysprof_charge_sub(struct sysprof_charge *charge, u64 bytes)
{
	mutex_lock(&charge_lock);
	bytes_of_all -= bytes;
	charge->bytes -= bytes;
	mutex_unlock(&charge_lock);
}
