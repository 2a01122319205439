// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file of a system call is the one that its descriptor has now.  If another thread of the
 * process has closed the descriptor meanwhile and got the same number for another file, the other
 * file is named.
 */
#include <linux/audit.h>
#include <linux/compat.h>
#include <linux/fdtable.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include <asm/unistd.h>

#include "sources/calls.h"
#include "compat/block.h"
#include "sysprof-event.h"

static u16 call_of(int number)
{
	switch (number) {
#ifdef __NR_pread64
	case __NR_pread64:
#endif
#ifdef __NR_getdents
	case __NR_getdents:
#endif
	case __NR_getdents64:
	case __NR_read:
	case __NR_readv:
	case __NR_preadv:
	case __NR_preadv2:
	case __NR_sendfile:
		return SYSPROF_CALL_READ;
#ifdef __NR_pwrite64
	case __NR_pwrite64:
#endif
	case __NR_write:
	case __NR_writev:
	case __NR_pwritev:
	case __NR_pwritev2:
	case __NR_fallocate:
	case __NR_ftruncate:
		return SYSPROF_CALL_WRITE;
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_sync_file_range:
		return SYSPROF_CALL_SYNC;
#ifdef __NR_open
	case __NR_open:
	case __NR_creat:
#endif
	case __NR_openat:
	case __NR_openat2:
		return SYSPROF_CALL_OPEN;
#ifdef __NR_futex_wait
	case __NR_futex_wait:
#endif
	case __NR_futex:
		return SYSPROF_CALL_FUTEX;
	default:
		return SYSPROF_CALL_OTHER;
	}
}

static struct inode *calls_inode_of(const struct files_struct *files, unsigned long fd)
{
	struct fdtable *table = rcu_dereference_raw(files->fdt);
	struct file *file = NULL;

	/* The number is the program's, of whatever user: not even speculation goes past the end. */
	if (fd < table->max_fds)
		file = rcu_dereference_raw(table->fd[array_index_nospec(fd, table->max_fds)]);
	return file ? file_inode(file) : NULL;
}

struct sysprof_called sysprof_calls_look(struct task_struct *task)
{
	const struct files_struct *files = READ_ONCE(task->files);
	struct pt_regs *regs = task_pt_regs(task);
	struct sysprof_called called = { .call = SYSPROF_CALL_OTHER };
	unsigned long arguments[6];
	int number;

	/* Calls of 32-bit programs have other numbers. */
	if (!files || task->flags & (PF_KTHREAD | SYSPROF_PF_WORKER) || !user_mode(regs) ||
	    !(syscall_get_arch(task) & __AUDIT_ARCH_64BIT))
		return called;
	number = syscall_get_nr(task, regs);
	called.call = call_of(number);
	switch (called.call) {
	case SYSPROF_CALL_OTHER:
	case SYSPROF_CALL_OPEN:
		/* A file that is being opened has no descriptor yet. */
		break;
	case SYSPROF_CALL_FUTEX:
		/* Also once the call's result is in the register of the first one. */
		syscall_get_arguments(task, regs, arguments);
		called.futex = arguments[0];
		break;
	default:
		called.inode = calls_inode_of(files,
				regs_get_kernel_argument(regs, number == __NR_sendfile ? 1 : 0));
	}
	return called;
}
