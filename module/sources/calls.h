/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls that are about a file: which one a thread is in, and the file. */
#ifndef _SYSPROF_CALLS_H
#define _SYSPROF_CALLS_H

#include <linux/fs.h>
#include <linux/types.h>

struct task_struct;

/*
 * The enum sysprof_call in which @task is, and the inode of its file; NULL: none, or not known.
 * @task is current, or gets this CPU.  RCU read side, interrupts off.
 */
u16 sysprof_calls_look(struct task_struct *task, struct inode **ret);

/*
 * Whether the number of @inode names a file.  Inodes of block devices and of file systems' own have
 * no name that anybody knows.
 */
static inline bool sysprof_inode_has_name(const struct inode *inode)
{
	return inode && (S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode));
}

#endif /* _SYSPROF_CALLS_H */
