/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Force-included into every file: the only place that knows one kernel from another.  Each entry
 * says from which version on the kernel is as the rest of the module expects it, and gives older
 * kernels the same.
 */
#ifndef _SYSPROF_COMPAT_H
#define _SYSPROF_COMPAT_H

/* Here, before any header of the kernel has its own. */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/version.h>

#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/mm.h>

/* hrtimer_setup() came in 6.13; hrtimer_init() is no longer exported in 7.2. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void sysprof_hrtimer_setup(struct hrtimer *timer,
					 enum hrtimer_restart (*fn)(struct hrtimer *),
					 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = fn;
}
#else
#define sysprof_hrtimer_setup hrtimer_setup
#endif

/* The list of mappings became a maple tree in 6.1. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 0)
#define SYSPROF_VMA_ITERATOR(name, mm) struct vm_area_struct *name = (mm)->mmap
#define sysprof_for_each_vma(name, vma) for (; ((vma) = (name)) != NULL; (name) = (vma)->vm_next)
#else
#define SYSPROF_VMA_ITERATOR(name, mm) VMA_ITERATOR(name, mm, 0)
#define sysprof_for_each_vma(name, vma) for_each_vma(name, vma)
#endif

/* vm_flags became read-only in 6.3. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void sysprof_vm_flags_change(struct vm_area_struct *vma, unsigned long set,
					   unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#else
static inline void sysprof_vm_flags_change(struct vm_area_struct *vma, unsigned long set,
					   unsigned long clear)
{
	vm_flags_mod(vma, set, clear);
}
#endif

/* From 6.5 on a file on overlayfs has the layer's path; the user's is behind an accessor. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define sysprof_file_path(file) file_user_path(file)
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(6, 5, 0)
#define sysprof_file_path(file) file_real_path(file)
#else
#define sysprof_file_path(file) (&(file)->f_path)
#endif

/* inode->i_mtime is behind an accessor since 6.6. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
#define sysprof_inode_mtime(inode) inode_get_mtime(inode)
#else
#define sysprof_inode_mtime(inode) ((inode)->i_mtime)
#endif

/*
 * Whether a process may be dumped by its own user: of the address space, then by 7.2 of what exec
 * made.
 */
#ifdef SYSPROF_HAS_EXEC_STATE
#include <linux/sched.h>
#include <linux/sched/exec_state.h>
static inline bool sysprof_may_dump(const struct task_struct *task, const struct mm_struct *mm)
{
	const struct task_exec_state *state = rcu_dereference(task->exec_state);

	return state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
}
#else
#include <linux/sched/coredump.h>
static inline bool sysprof_may_dump(const struct task_struct *task, const struct mm_struct *mm)
{
	return get_dumpable((struct mm_struct *)mm) == SUID_DUMP_USER;
}
#endif

/* path_permission() came in 5.12, with the mounts whose ids are mapped. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 12, 0)
#define sysprof_path_permission(path, mask) inode_permission(d_backing_inode((path)->dentry), mask)
#else
#define sysprof_path_permission(path, mask) path_permission(path, mask)
#endif

/* 6.18 has these names, 7.2 warns of the old ones. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define sysprof_percpu_wq system_percpu_wq
#define sysprof_unbound_wq system_dfl_wq
#else
#define sysprof_percpu_wq system_wq
#define sysprof_unbound_wq system_unbound_wq
#endif

/* What sched_switch passes; Kbuild looks it up in its header. */
#ifdef SYSPROF_SWITCH_HAS_STATE
#define SYSPROF_SWITCH_PROTO(prev, next)                                                           \
	void *data, bool preempt, struct task_struct *prev, struct task_struct *next,              \
		unsigned int prev_state
#define SYSPROF_SWITCH_LEFT(prev) prev_state
#else
#define SYSPROF_SWITCH_PROTO(prev, next)                                                           \
	void *data, bool preempt, struct task_struct *prev, struct task_struct *next
#define SYSPROF_SWITCH_LEFT(prev) sysprof_task_state(prev)
#endif

#endif /* _SYSPROF_COMPAT_H */
