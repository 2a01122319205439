// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether one user could trace another's process.  The kernel's ptrace_may_access() is not
 * exported, and takes a lock that a tick cannot take.  This is its rule for callers without
 * privilege over the other process.  If in doubt, it refuses.
 */
#include <linux/cred.h>
#include <linux/sched.h>
#include <linux/user_namespace.h>

#include "rights.h"

void sysprof_rights_look(struct sysprof_rights *rights, const struct task_struct *task,
			 const struct mm_struct *mm)
{
	const struct cred *cred;

	rcu_read_lock();
	cred = __task_cred(task);
	rights->uid = cred->uid;
	rights->gid = cred->gid;
	rights->permitted = cred->cap_permitted;
	rights->open = mm && cred->user_ns == &init_user_ns && uid_eq(cred->euid, cred->uid) &&
		       uid_eq(cred->suid, cred->uid) && gid_eq(cred->egid, cred->gid) &&
		       gid_eq(cred->sgid, cred->gid);
	/*
	 * Credentials are read before dumpability: a task that changes credentials clears
	 * dumpability first.  Pairs with smp_wmb() in the kernel's commit_creds().
	 */
	smp_rmb();
	rights->open = rights->open && sysprof_may_dump(task, mm);
	rcu_read_unlock();
}

bool sysprof_rights_may_trace(const struct cred *opener, const struct sysprof_rights *rights)
{
	return rights->open && uid_eq(opener->uid, rights->uid) &&
	       gid_eq(opener->gid, rights->gid) &&
	       cap_issubset(rights->permitted, opener->cap_permitted);
}
