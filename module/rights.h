/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_RIGHTS_H
#define _SYSPROF_RIGHTS_H

#include <linux/capability.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct mm_struct;
struct task_struct;

/**
 * struct sysprof_rights - what it takes to trace a process, at the moment it was looked at
 * @uid: real, effective and saved
 * @gid: likewise
 * @permitted: its capabilities
 * @open: the three are the same, it may be dumped, and it is of the initial user namespace; else
 *	the rest means nothing
 */
struct sysprof_rights {
	kuid_t uid;
	kgid_t gid;
	kernel_cap_t permitted;
	bool open;
};

/*
 * Looks at @task, which has @mm (NULL: none) and cannot go away, as current never can.  Any
 * context; neither sleeps nor locks.
 */
void sysprof_rights_look(struct sysprof_rights *rights, const struct task_struct *task,
			 const struct mm_struct *mm);

/*
 * Whether @opener could trace a process of these @rights without privilege: the kernel's own rule
 * but for the security modules (Yama, SELinux ...), which cannot be asked from here: traced.h.  Any
 * context.
 */
bool sysprof_rights_may_trace(const struct cred *opener, const struct sysprof_rights *rights);

#endif /* _SYSPROF_RIGHTS_H */
