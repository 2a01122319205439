// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose memory the opener of a session can read.  Only the kernel's ptrace check knows the rules of
 * Yama, SELinux, AppArmor and Landlock, and no module can call it.  open() of /proc/PID/mem makes
 * it (PTRACE_MODE_ATTACH_FSCREDS) and keeps the address space in the file: the holder of such a
 * descriptor can read all of that memory, so that a copy of its stack gives nothing away.
 *
 * The check is by address space, as the descriptor is: a new program has to be shown anew, also one
 * that the opener becomes, for a security module may have other rules for it.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "delivery.h"
#include "rights.h"
#include "traced.h"

#define TRACED_MAX	1024
#define SWEEP_EVERY	64

/**
 * struct space - one that has been shown
 * @by_mm: in struct sysprof_traced
 * @gone: being swept away
 * @mm: held by mmgrab(): its address is not used again
 */
struct space {
	struct hlist_node by_mm;
	struct list_head gone;
	struct mm_struct *mm;
};

void sysprof_traced_init(struct sysprof_traced *traced)
{
	mutex_init(&traced->lock);
	traced->sweep_at = SWEEP_EVERY;
	traced->own = current->mm;
	if (traced->own)
		mmgrab(traced->own);
}

static bool traced_has(const struct sysprof_traced *traced, const struct mm_struct *mm)
{
	const struct space *space;

	hlist_for_each_entry_rcu_notrace(space, &traced->by_mm[hash_ptr(mm, SYSPROF_TRACED_BITS)],
					 by_mm)
		if (space->mm == mm)
			return true;
	return false;
}

static void free_space(struct space *space)
{
	mmdrop(space->mm);
	kfree(space);
}

static void traced_collect(struct sysprof_traced *traced, struct list_head *gone)
{
	struct space *space;
	unsigned int i;

	lockdep_assert_held(&traced->lock);
	for (i = 0; i < ARRAY_SIZE(traced->by_mm); i++)
		hlist_for_each_entry(space, &traced->by_mm[i], by_mm) {
			if (atomic_read(&space->mm->mm_users))
				continue;
			hlist_del_rcu(&space->by_mm);
			list_add(&space->gone, gone);
			traced->n--;
		}
	traced->sweep_at = min(traced->n + SWEEP_EVERY, (unsigned int)TRACED_MAX);
}

void sysprof_traced_collect(struct sysprof_traced *traced, struct list_head *gone)
{
	if (!READ_ONCE(traced->n))
		return;
	mutex_lock(&traced->lock);
	traced_collect(traced, gone);
	mutex_unlock(&traced->lock);
}

void sysprof_traced_free(struct list_head *gone)
{
	struct space *space, *next;

	/* Ticks that used one of them have ended. */
	if (!list_empty(gone))
		synchronize_rcu();
	list_for_each_entry_safe(space, next, gone, gone)
		free_space(space);
}

/* No process has these any more. */
static void traced_sweep(struct sysprof_traced *traced)
{
	LIST_HEAD(gone);

	traced_collect(traced, &gone);
	sysprof_traced_free(&gone);
}

void sysprof_traced_destroy(struct sysprof_traced *traced)
{
	struct hlist_node *next;
	struct space *space;
	unsigned int i;

	/* No tick uses the session any more. */
	for (i = 0; i < ARRAY_SIZE(traced->by_mm); i++)
		hlist_for_each_entry_safe(space, next, &traced->by_mm[i], by_mm)
			free_space(space);
	if (traced->own)
		mmdrop(traced->own);
}

static int traced_add(struct sysprof_traced *traced, struct mm_struct *mm)
{
	struct space *space;
	int err = 0;

	mutex_lock(&traced->lock);
	if (traced->n >= traced->sweep_at)
		traced_sweep(traced);
	if (traced_has(traced, mm))
		goto out;
	err = -ENOSPC;
	if (traced->n == TRACED_MAX)
		goto out;
	err = -ENOMEM;
	space = kmalloc(sizeof(*space), GFP_KERNEL_ACCOUNT);
	if (!space)
		goto out;
	mmgrab(mm);
	space->mm = mm;
	hlist_add_head_rcu(&space->by_mm, &traced->by_mm[hash_ptr(mm, SYSPROF_TRACED_BITS)]);
	traced->n++;
	err = 0;
out:
	mutex_unlock(&traced->lock);
	return err;
}

/*
 * Names of procfs are the kernel's; other files there that keep an address space (environ, auxv,
 * pagemap) check for less.
 */
static bool is_mem_of(const struct file *file, const struct mm_struct *mm)
{
	return file_inode(file)->i_sb->s_magic == PROC_SUPER_MAGIC &&
	       S_ISREG(file_inode(file)->i_mode) && file->f_mode & FMODE_READ &&
	       !strcmp(file->f_path.dentry->d_name.name, "mem") && file->private_data == mm;
}

static struct mm_struct *get_mm(u32 pid)
{
	struct task_struct *task;
	struct mm_struct *mm;

	rcu_read_lock();
	task = pid_task(find_vpid(pid), PIDTYPE_PID);
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return NULL;
	mm = get_task_mm(task);
	put_task_struct(task);
	return mm;
}

int sysprof_traced_prove(struct sysprof_traced *traced, u32 pid, int fd)
{
	struct mm_struct *mm = get_mm(pid);
	struct file *file = mm ? fget(fd) : NULL;
	int err = mm ? -EBADF : -ESRCH;

	if (file)
		err = is_mem_of(file, mm) ? traced_add(traced, mm) : -EACCES;
	if (file)
		fput(file);
	if (mm)
		mmput(mm);
	return err;
}

bool sysprof_traced_may(const struct sysprof_session *session, const struct task_struct *task,
			const struct mm_struct *mm)
{
	struct sysprof_rights rights;
	bool is_shown;

	sysprof_rights_look(&rights, task, mm);
	if (!sysprof_rights_may_trace(session->cred, &rights))
		return false;
	if (mm == session->traced.own)
		return true;
	rcu_read_lock();
	is_shown = traced_has(&session->traced, mm);
	rcu_read_unlock();
	return is_shown;
}
