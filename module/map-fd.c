// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of objects, for readers: opened anew, with the rights of the session's opener, never the
 * file that is mapped (it may be writable, and its position is its owner's).
 *
 * The opener must be able to trace a process that has it mapped, or had when it mapped it.  The
 * latter is for programs that run for a millisecond: the path that a file was opened from is held
 * for a few seconds after the object is named.  At most HELD_MAX are held, so that file systems can
 * be unmounted and the space of deleted files becomes free soon.
 *
 * Nothing here waits for a file system.  No path is walked: it may lead anywhere, and a reader can
 * do that himself.  Files that a server answers for (on a network, or an ordinary user's by FUSE)
 * are neither held nor opened: opening, and dropping the last reference, may wait for the server
 * for ever.
 */
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/path.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "map-fd.h"
#include "mm-put.h"
#include "objects.h"
#include "session.h"
#include "spaces.h"
#include "sysprof.h"

#define HELD_MAX	1024
#define HELD_JIFFIES	(3 * HZ)
#define PROCESSES_MAX	4096

/**
 * struct held - a path that a mapped file was opened from
 * @list: in order of time
 * @id: of the object
 * @since: jiffies
 * @path: with a reference
 * @mapper: who mapped it first, when it did
 */
struct held {
	struct list_head list;
	u32 id;
	unsigned long since;
	struct path path;
	struct sysprof_rights mapper;
};

static LIST_HEAD(held_files);
static unsigned int n_held;
static DEFINE_MUTEX(held_lock);

/*
 * Whether a server answers for the file.  A file system that asks a server, or has one below it,
 * revalidates its entries.  Its root is not revalidated, and may be a file by FUSE.
 */
static bool is_remote(const struct path *path)
{
	const struct dentry *dentry = path->dentry;

	return READ_ONCE(dentry->d_flags) & DCACHE_OP_REVALIDATE || dentry == dentry->d_sb->s_root;
}

static void let_go(struct held *held)
{
	lockdep_assert_held(&held_lock);
	list_del(&held->list);
	n_held--;
	path_put(&held->path);
	kfree(held);
}

static void release_fn(struct work_struct *work)
{
	struct held *held, *next;

	mutex_lock(&held_lock);
	list_for_each_entry_safe(held, next, &held_files, list) {
		if (time_before(jiffies, held->since + HELD_JIFFIES))
			break;
		let_go(held);
	}
	if (!list_empty(&held_files))
		schedule_delayed_work(to_delayed_work(work), HZ / 2);
	mutex_unlock(&held_lock);
}

static DECLARE_DELAYED_WORK(release_work, release_fn);

void sysprof_map_fd_hold(u32 id, struct file *file, const struct sysprof_rights *mapper)
{
	struct held *held;

	if (!S_ISREG(file_inode(file)->i_mode) || is_remote(sysprof_file_path(file)))
		return;
	held = kmalloc(sizeof(*held), GFP_KERNEL);
	if (!held)
		return;
	held->id = id;
	held->since = jiffies;
	held->path = *sysprof_file_path(file);
	held->mapper = *mapper;
	path_get(&held->path);
	mutex_lock(&held_lock);
	if (n_held == HELD_MAX)
		let_go(list_first_entry(&held_files, struct held, list));
	list_add_tail(&held->list, &held_files);
	n_held++;
	mutex_unlock(&held_lock);
	schedule_delayed_work(&release_work, HELD_JIFFIES);
}

void sysprof_map_fd_forget(void)
{
	struct held *held, *next;

	cancel_delayed_work_sync(&release_work);
	mutex_lock(&held_lock);
	list_for_each_entry_safe(held, next, &held_files, list)
		let_go(held);
	mutex_unlock(&held_lock);
}

/* Each of these finds a way to the file of object @id and gives a reference to it. */

static bool find_held(const struct cred *opener, bool privileged, u32 id, struct path *path)
{
	struct held *held;
	bool found = false;

	mutex_lock(&held_lock);
	list_for_each_entry(held, &held_files, list) {
		if (held->id != id ||
		    !(privileged || sysprof_rights_may_trace(opener, &held->mapper)))
			continue;
		*path = held->path;
		path_get(path);
		found = true;
		break;
	}
	mutex_unlock(&held_lock);
	return found;
}

/**
 * struct search - for an object in address spaces
 * @id: of the object
 * @patience: how often to wait for the lock of one
 * @path: where the file was opened from, with a reference
 * @origin: of a region
 */
struct search {
	u32 id;
	unsigned int patience;
	struct path path;
	u64 origin;
};

/*
 * The index says where to look.  An address space may have mappings without end, so they
 * are not searched here.
 */
static bool find_in_mm(struct mm_struct *mm, struct search *search)
{
	const struct path *path = NULL;
	struct vm_area_struct *vma;
	u64 address;

	if (!sysprof_spaces_find_object(mm, search->id, &address) ||
	    !sysprof_spaces_lock(mm, &search->patience))
		return false;
	vma = find_vma(mm, address);
	if (vma && vma->vm_start <= address && vma->vm_flags & VM_EXEC && vma->vm_file &&
	    sysprof_objects_id(file_inode(vma->vm_file)) == search->id)
		path = sysprof_file_path(vma->vm_file);
	if (path && is_remote(path))
		path = NULL;
	if (path) {
		search->path = *path;
		path_get(path);
	}
	mmap_read_unlock(mm);
	return path;
}

/*
 * Processes that @opener might trace, each by a thread that still has the memory, with a reference;
 * returns how many.
 */
static unsigned int get_processes(const struct cred *opener, bool privileged,
				  struct task_struct **tasks)
{
	struct task_struct *process, *thread;
	unsigned int n = 0;

	rcu_read_lock();
	for_each_process(process) {
		if (n == PROCESSES_MAX)
			break;
		if (process->flags & PF_KTHREAD ||
		    !(privileged || uid_eq(task_uid(process), opener->uid)))
			continue;
		for_each_thread(process, thread) {
			if (!READ_ONCE(thread->mm))
				continue;
			get_task_struct(thread);
			tasks[n++] = thread;
			break;
		}
	}
	rcu_read_unlock();
	return n;
}

typedef bool look_fn(struct mm_struct *mm, struct search *search);

/* @shown: this takes more than the rule of rights.h. */
static bool may_look(const struct sysprof_session *session, bool shown,
		     const struct task_struct *task, const struct mm_struct *mm)
{
	struct sysprof_rights rights;

	if (session->may_see_addresses)
		return true;
	if (shown)
		return sysprof_traced_may(session, task, mm);
	sysprof_rights_look(&rights, task, mm);
	return sysprof_rights_may_trace(session->cred, &rights);
}

/* Calls @look on the address space of @task, if may_look() allows it. */
static bool map_fd_look_at(struct task_struct *task, const struct sysprof_session *session,
			   bool shown, look_fn *look, struct search *search)
{
	struct mm_struct *mm = get_task_mm(task);
	bool found;

	if (!mm)
		return false;
	found = may_look(session, shown, task, mm) && look(mm, search);
	sysprof_mm_put(mm);
	return found;
}

/* The same for process @pid, in which a file was first seen. */
static bool look_at_pid(u32 pid, const struct sysprof_session *session, look_fn *look,
			struct search *search)
{
	struct task_struct *task;
	bool found;

	rcu_read_lock();
	task = pid ? pid_task(find_vpid(pid), PIDTYPE_TGID) : NULL;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return false;
	found = map_fd_look_at(task, session, false, look, search);
	put_task_struct(task);
	return found;
}

/* The same for one process after the other until the file is found. */
static bool find_mapped(const struct sysprof_session *session, bool shown, look_fn *look,
			struct search *search)
{
	struct task_struct **tasks = kvmalloc_array(PROCESSES_MAX, sizeof(*tasks), GFP_KERNEL);
	bool found = false;
	unsigned int i, n;

	if (!tasks)
		return false;
	n = get_processes(session->cred, session->may_see_addresses, tasks);
	for (i = 0; i < n; i++) {
		found = found || map_fd_look_at(tasks[i], session, shown, look, search);
		put_task_struct(tasks[i]);
		cond_resched();
	}
	kvfree(tasks);
	return found;
}

/* The same questions that open() asks about the file itself; no device, pipe or directory. */
static struct file *open_for_reading(const struct cred *opener, const struct path *path)
{
	struct file *file = ERR_PTR(-EACCES);
	const struct cred *own;
	int err;

	if (!S_ISREG(d_backing_inode(path->dentry)->i_mode))
		return file;
	own = override_creds(opener);
	err = sysprof_path_permission(path, MAY_READ | MAY_OPEN);
	file = err ? ERR_PTR(err) : dentry_open(path, O_RDONLY | O_CLOEXEC | O_LARGEFILE, opener);
	revert_creds(own);
	return file;
}

struct file *sysprof_map_fd_open(const struct sysprof_session *session, u32 id)
{
	struct search search = { .id = id, .patience = SYSPROF_LOCK_TRIES };
	const struct cred *opener = session->cred;
	struct file *file;
	u32 pid;

	if (!sysprof_objects_mapper(id, &pid))
		return ERR_PTR(-ENOENT);
	if (!find_held(opener, session->may_see_addresses, id, &search.path) &&
	    !look_at_pid(pid, session, find_in_mm, &search) &&
	    !find_mapped(session, false, find_in_mm, &search))
		return ERR_PTR(-EACCES);
	file = open_for_reading(opener, &search.path);
	path_put(&search.path);
	return file;
}

static bool find_region(struct mm_struct *mm, struct search *search)
{
	return sysprof_spaces_region_origin(mm, search->id, &search->origin);
}

int sysprof_map_fd_region(const struct sysprof_session *session, u32 id, u64 *start)
{
	struct search search = { .id = id };

	if (!find_mapped(session, true, find_region, &search))
		return -ENOENT;
	*start = search.origin;
	return 0;
}
