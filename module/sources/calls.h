/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls in which a thread waits for something that has a name: which one, and for what. */
#ifndef _SYSPROF_CALLS_H
#define _SYSPROF_CALLS_H

#include <linux/fs.h>
#include <linux/types.h>

struct task_struct;

/**
 * struct sysprof_called - a system call that a thread is in
 * @call: enum sysprof_call
 * @inode: its file; NULL: none, or not known
 * @futex: its user address; 0: none
 */
struct sysprof_called {
	u16 call;
	struct inode *inode;
	u64 futex;
};

/* Of @task, which is current, or gets this CPU.  RCU read side, interrupts off. */
struct sysprof_called sysprof_calls_look(struct task_struct *task);

/*
 * Whether the number of @inode names a file.  Inodes of block devices and of file systems' own have
 * no name that anybody knows.
 */
static inline bool sysprof_inode_has_name(const struct inode *inode)
{
	return inode && (S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode));
}

#endif /* _SYSPROF_CALLS_H */
