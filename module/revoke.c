// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ends what open() granted.  A session ends when its opener has exited, and when an administrator
 * ends it (SYSPROF_IOC_REVOKE).  It also ends when its opener may no longer open the device, since
 * somebody else sits at the machine now, and when the kernel is locked down.  Nothing reports the
 * last two: they are checked once a second.  So are programs that were shown, which keep memory
 * after they have ended.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/workqueue.h>

#include "revoke.h"
#include "session.h"
#include "traced.h"

#define LOOK_JIFFIES HZ

/* Every open session. */
static LIST_HEAD(sessions);
static DEFINE_MUTEX(sessions_lock);

static void look_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(look_work, look_fn);

/* The session stays on the list until it is closed: the lock keeps it from being freed. */
static void revoke_end(struct sysprof_session *session)
{
	lockdep_assert_held(&sessions_lock);
	WRITE_ONCE(session->dead, true);
	sysprof_session_stop(session);
	wake_up_interruptible(&session->wait);
}

static bool may_open(const struct sysprof_session *session)
{
	const struct file *file = session->file;
	const struct cred *own = override_creds(session->cred);
	int err = sysprof_path_permission(&file->f_path,
					  (file->f_mode & FMODE_READ ? MAY_READ : 0) |
						  (file->f_mode & FMODE_WRITE ? MAY_WRITE : 0));

	revert_creds(own);
	return !err;
}

static void look_fn(struct work_struct *work)
{
	struct sysprof_session *session;
	bool locked_down, any = false, has_spaces = false;
	LIST_HEAD(gone);

	mutex_lock(&sessions_lock);
	list_for_each_entry(session, &sessions, open_link) {
		any |= !READ_ONCE(session->dead);
		sysprof_traced_collect(&session->traced, &gone);
		has_spaces |= READ_ONCE(session->traced.n) != 0;
	}
	/* The kernel logs each refusal. */
	locked_down = any && security_locked_down(LOCKDOWN_PERF);
	list_for_each_entry(session, &sessions, open_link)
		if (!READ_ONCE(session->dead) && (locked_down || !may_open(session)))
			revoke_end(session);
	if (any || has_spaces)
		schedule_delayed_work(&look_work, LOOK_JIFFIES);
	mutex_unlock(&sessions_lock);
	sysprof_traced_free(&gone);
}

void sysprof_revoke_watch(struct sysprof_session *session, const struct file *file)
{
	session->file = file;
	session->cred = file->f_cred;
	mutex_lock(&sessions_lock);
	list_add_tail(&session->open_link, &sessions);
	schedule_delayed_work(&look_work, LOOK_JIFFIES);
	mutex_unlock(&sessions_lock);
}

void sysprof_revoke_unwatch(struct sysprof_session *session)
{
	mutex_lock(&sessions_lock);
	list_del(&session->open_link);
	mutex_unlock(&sessions_lock);
}

void sysprof_revoke_exit(void)
{
	cancel_delayed_work_sync(&look_work);
}

/* A session's opener is a process: it has exited when the last of its threads has. */
static bool opener_lives(const struct sysprof_session *session)
{
	struct task_struct *task;
	bool lives;

	rcu_read_lock();
	task = pid_task(session->opener, PIDTYPE_TGID);
	lives = task && atomic_read(&task->signal->live);
	rcu_read_unlock();
	return lives;
}

int sysprof_revoke_check(const struct sysprof_session *session)
{
	if (READ_ONCE(session->dead) || !opener_lives(session))
		return -ESRCH;
	return security_locked_down(LOCKDOWN_PERF);
}

u32 sysprof_revoke_uid(kuid_t uid)
{
	struct sysprof_session *session;
	u32 n = 0;

	mutex_lock(&sessions_lock);
	list_for_each_entry(session, &sessions, open_link) {
		if (READ_ONCE(session->dead) || !(uid_eq(session->cred->uid, uid) ||
						  uid_eq(session->cred->euid, uid)))
			continue;
		revoke_end(session);
		n++;
	}
	mutex_unlock(&sessions_lock);
	return n;
}
