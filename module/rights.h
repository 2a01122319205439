/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether one user could trace another's process. */
#ifndef _SYSPROF_RIGHTS_H
#define _SYSPROF_RIGHTS_H

#include <linux/capability.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct mm_struct;
struct task_struct;

/**
 * struct sysprof_rights - rights that a tracer of a process needs, at one moment
 * @uid: user, where real, effective and saved are the same
 * @gid: group, likewise
 * @permitted: the process's capabilities
 * @open: the three users are the same, and the three groups; the process may be dumped, and is of
 *	the initial user namespace.  Else the other members mean nothing
 */
struct sysprof_rights {
	kuid_t uid;
	kgid_t gid;
	kernel_cap_t permitted;
	bool open;
};

/*
 * Fills in @rights from @task and its @mm (NULL: none).  The caller keeps @task from being freed;
 * current always qualifies.  Any context; neither sleeps nor locks.
 */
void sysprof_rights_look(struct sysprof_rights *rights, const struct task_struct *task,
			 const struct mm_struct *mm);

/*
 * Whether @opener could trace a process with these @rights without privilege.  This is the kernel's
 * own rule without the security modules (Yama, SELinux ...), which cannot be asked here; see
 * traced.h.  Any context.
 */
bool sysprof_rights_may_trace(const struct cred *opener, const struct sysprof_rights *rights);

#endif /* _SYSPROF_RIGHTS_H */
