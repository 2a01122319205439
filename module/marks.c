// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/sysprof-mark, as uapi/sysprof-mark.h has it.  All that it knows is a list of users, each
 * with a bell, and at most one recorder for each and one for all.
 *
 * Nobody waits for a stranger here: the lock is held for a look through the list, which is bounded,
 * and for nothing that sleeps or allocates.  A user's first request is the only one that a recorder
 * hears of until it has answered, however many processes ask.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/dcache.h>
#include <linux/fcntl.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pagemap.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>
#include <linux/wait.h>

#include "compat/shmem.h"
#include "device.h"
#include "marks.h"
#include "sysprof-mark.h"

/* Programs have 1 for recorders that have started them. */
#define FIRST_RING 2

enum marks_state {
	MARKS_SILENT,		/* no program of the user has asked this recorder */
	MARKS_ASKS,
	MARKS_ASKED,		/* the recorder knows */
	MARKS_ANSWERED,
};

/**
 * struct marks_recorder - a descriptor that has made RECORD
 * @wait: its poll()
 * @counts: what COUNTS gives it
 */
struct marks_recorder {
	wait_queue_head_t wait;
	struct sysprof_mark_counts counts;
};

/**
 * struct marks_user - a user whose programs have a bell
 * @link: in users
 * @uid: the user
 * @payer: who has made the user namespace, if the user is of one; else @uid
 * @bell: its file, as the module has it
 * @page: of that, with a reference
 * @words: the page's
 * @own: the user's own recorder, or NULL
 * @ring: as in the bell
 * @state: of the request to the recorder whose ring that is
 * @cookie: of that request
 * @asker: who made it; NULL before, and after the answer
 * @memory: the answer; NULL: none yet, or that there is none
 */
struct marks_user {
	struct list_head link;
	kuid_t uid, payer;
	struct file *bell;
	struct page *page;
	struct sysprof_mark_bell *words;
	struct marks_recorder *own;
	u32 ring;
	enum marks_state state;
	u64 cookie;
	struct pid *asker;
	struct file *memory;
};

/* All of these are protected by the lock. */
static DEFINE_MUTEX(marks_lock);
static LIST_HEAD(users);
static unsigned int n_users;
static struct marks_recorder *of_all;
static u32 last_ring;
static u64 last_cookie;

static struct marks_user *marks_find(kuid_t uid)
{
	struct marks_user *user;

	lockdep_assert_held(&marks_lock);
	list_for_each_entry(user, &users, link)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

static struct marks_recorder *marks_recorder_of(const struct marks_user *user)
{
	return user->own ? user->own : of_all;
}

/* The user has another recorder from now on, or none: nobody has asked it yet. */
static void marks_turn(struct marks_user *user)
{
	lockdep_assert_held(&marks_lock);
	user->state = MARKS_SILENT;
	put_pid(user->asker);
	user->asker = NULL;
	/* Programs that have it keep it. */
	if (user->memory)
		fput(user->memory);
	user->memory = NULL;
	user->ring = 0;
	if (marks_recorder_of(user)) {
		/* Of all users: no two bells have had the same number. */
		last_ring = max_t(u32, last_ring + 1, FIRST_RING);
		user->ring = last_ring;
	}
	/* Programs take the number from here, and JOIN compares it under the lock. */
	WRITE_ONCE(user->words->ring, user->ring);
}

/* Users. */

/* Nobody else has a reference to it. */
static void marks_user_free(struct marks_user *user)
{
	if (!user)
		return;
	if (user->memory)
		fput(user->memory);
	put_pid(user->asker);
	if (user->page) {
		WRITE_ONCE(user->words->ring, 0);
		put_page(user->page);
	}
	if (!IS_ERR_OR_NULL(user->bell))
		fput(user->bell);
	kfree(user);
}

/* A user has 65536 more users in namespaces that he makes: they are all his. */
static kuid_t marks_payer(void)
{
	const struct user_namespace *ns;
	kuid_t uid = current_euid();

	for (ns = current_user_ns(); ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return uid;
}

/*
 * The bell's file is root's, immutable, and of a mode in which nobody may write: who has a
 * descriptor of it cannot open it anew by /proc.  The page stays where it is, since it is
 * referenced, and is never written out.
 */
static int marks_user_make_bell(struct marks_user *user)
{
	struct inode *inode;
	struct page *page;

	user->bell = sysprof_shmem_file("sysprof-mark-bell", SYSPROF_MARK_BELL_BYTES);
	if (IS_ERR(user->bell))
		return PTR_ERR(user->bell);
	inode = file_inode(user->bell);
	inode->i_uid = GLOBAL_ROOT_UID;
	inode->i_gid = GLOBAL_ROOT_GID;
	inode->i_mode = S_IFREG | 0444;
	/* Not movable: it is referenced for long. */
	mapping_set_gfp_mask(inode->i_mapping, GFP_KERNEL);
	mapping_set_unevictable(inode->i_mapping);
	page = shmem_read_mapping_page(inode->i_mapping, 0);
	if (IS_ERR(page))
		return PTR_ERR(page);
	user->page = page;
	user->words = page_address(page);
	/* What shmem has not seen written, it might give away. */
	set_page_dirty(page);
	inode_set_flags(inode, S_IMMUTABLE, S_IMMUTABLE);
	return 0;
}

static struct marks_user *marks_user_new(void)
{
	struct marks_user *user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	int err;

	if (!user)
		return ERR_PTR(-ENOMEM);
	user->uid = current_euid();
	user->payer = marks_payer();
	err = marks_user_make_bell(user);
	if (!err)
		return user;
	marks_user_free(user);
	return ERR_PTR(err);
}

/*
 * Whether no process has the bell: each descriptor and each mapping is of a file of its own, which
 * has the entry.  marks_bell() has a reference of this one until it has made such a file.
 */
static bool marks_user_is_idle(const struct marks_user *user)
{
	return !user->own && file_count(user->bell) == 1 &&
	       d_count(user->bell->f_path.dentry) == 1;
}

/* Makes room for @user if there is none; false: there is none to be had. */
static bool marks_make_room(const struct marks_user *user, struct list_head *gone)
{
	struct marks_user *other, *next;
	unsigned int n_nested = 0;

	lockdep_assert_held(&marks_lock);
	list_for_each_entry_safe(other, next, &users, link) {
		if (marks_user_is_idle(other)) {
			list_move(&other->link, gone);
			n_users--;
		} else {
			n_nested += !uid_eq(other->uid, other->payer) &&
				    uid_eq(other->payer, user->payer);
		}
	}
	return n_users < SYSPROF_MARK_USERS &&
	       (uid_eq(user->uid, user->payer) || n_nested < SYSPROF_MARK_NESTED);
}

/*
 * The caller's user, whose bell is made if there is none.  Locks; with an error nothing is locked.
 */
static struct marks_user *marks_lock_user(void)
{
	struct marks_user *user, *made, *next;
	LIST_HEAD(gone);

	mutex_lock(&marks_lock);
	user = marks_find(current_euid());
	if (user)
		return user;
	/* Memory may be long in coming. */
	mutex_unlock(&marks_lock);
	made = marks_user_new();
	if (IS_ERR(made))
		return made;
	mutex_lock(&marks_lock);
	user = marks_find(made->uid);
	if (!user && marks_make_room(made, &gone)) {
		user = made;
		made = NULL;
		list_add_tail(&user->link, &users);
		n_users++;
		marks_turn(user);
	}
	if (!user)
		mutex_unlock(&marks_lock);
	/* Files are closed later, by whom nobody waits for. */
	marks_user_free(made);
	list_for_each_entry_safe(made, next, &gone, link)
		marks_user_free(made);
	return user ? user : ERR_PTR(-ENOSPC);
}

/* Programs. */

static int marks_give(struct file *file)
{
	int fd = get_unused_fd_flags(O_CLOEXEC);

	if (fd >= 0)
		fd_install(fd, file);
	else
		fput(file);
	return fd;
}

static int marks_bell(void)
{
	struct marks_user *user = marks_lock_user();
	struct file *bell, *file;

	if (IS_ERR(user))
		return PTR_ERR(user);
	bell = get_file(user->bell);
	mutex_unlock(&marks_lock);
	file = dentry_open(&bell->f_path, O_RDONLY | O_LARGEFILE, current_cred());
	fput(bell);
	return IS_ERR(file) ? PTR_ERR(file) : marks_give(file);
}

/* @ring: as the caller has seen it. */
static int marks_join(u32 ring)
{
	struct marks_recorder *recorder;
	struct file *memory = NULL;
	struct marks_user *user;
	int err = -ENOENT;

	mutex_lock(&marks_lock);
	user = marks_find(current_euid());
	if (!user || !user->ring || user->ring != ring)
		goto out;
	switch (user->state) {
	case MARKS_SILENT:
		recorder = marks_recorder_of(user);
		user->state = MARKS_ASKS;
		user->cookie = ++last_cookie;
		user->asker = get_pid(task_tgid(current));
		wake_up_interruptible(&recorder->wait);
		err = -EAGAIN;
		break;
	case MARKS_ASKS:
	case MARKS_ASKED:
		err = -EAGAIN;
		break;
	case MARKS_ANSWERED:
		if (user->memory)
			memory = get_file(user->memory);
		break;
	}
out:
	mutex_unlock(&marks_lock);
	return memory ? marks_give(memory) : err;
}

/* Recorders. */

/* There was no version with less. */
static int marks_get(void *arg, size_t bytes, void __user *from)
{
	int err = sysprof_device_get_arg(arg, bytes, from);

	return !err && *(u32 *)arg < bytes ? -EINVAL : err;
}

/* Neither who opened it for another one, nor who was handed it, has what only the other may. */
static bool marks_may_record_all(const struct file *file)
{
	return perfmon_capable() && (file_ns_capable(file, &init_user_ns, CAP_PERFMON) ||
				     file_ns_capable(file, &init_user_ns, CAP_SYS_ADMIN));
}

static int marks_begin_all(struct marks_recorder *recorder)
{
	struct marks_user *user;

	lockdep_assert_held(&marks_lock);
	if (of_all)
		return -EBUSY;
	of_all = recorder;
	list_for_each_entry(user, &users, link) {
		if (user->own)
			recorder->counts.others++;
		else
			marks_turn(user);
	}
	return 0;
}

static int marks_begin_own(struct marks_recorder *recorder, struct marks_user *user)
{
	lockdep_assert_held(&marks_lock);
	if (user->own)
		return -EBUSY;
	user->own = recorder;
	if (of_all)
		of_all->counts.others++;
	marks_turn(user);
	return 0;
}

static int marks_record(struct file *file, void __user *from)
{
	struct marks_recorder *recorder;
	struct marks_user *user = NULL;
	struct sysprof_mark_record arg;
	int err = marks_get(&arg, sizeof(arg), from);

	if (err)
		return err;
	if (arg.scope > SYSPROF_MARK_ALL)
		return -EINVAL;
	if (arg.scope == SYSPROF_MARK_ALL && !marks_may_record_all(file))
		return -EPERM;
	recorder = kzalloc(sizeof(*recorder), GFP_KERNEL_ACCOUNT);
	if (!recorder)
		return -ENOMEM;
	init_waitqueue_head(&recorder->wait);
	if (arg.scope == SYSPROF_MARK_ALL) {
		mutex_lock(&marks_lock);
	} else {
		user = marks_lock_user();
		err = PTR_ERR_OR_ZERO(user);
		if (err)
			goto err;
	}
	if (file->private_data)
		err = -EBUSY;
	else
		err = user ? marks_begin_own(recorder, user) : marks_begin_all(recorder);
	if (!err)
		/* Pairs with the acquires of marks_ioctl() and marks_poll(), without a lock. */
		smp_store_release(&file->private_data, recorder);
	mutex_unlock(&marks_lock);
	if (!err)
		return 0;
err:
	kfree(recorder);
	return err;
}

/* The first request that @recorder has not taken; NULL: there is none. */
static struct marks_user *marks_find_request(const struct marks_recorder *recorder)
{
	struct marks_user *user;

	lockdep_assert_held(&marks_lock);
	list_for_each_entry(user, &users, link)
		if (user->state == MARKS_ASKS && marks_recorder_of(user) == recorder)
			return user;
	return NULL;
}

static int marks_next(struct marks_recorder *recorder, void __user *to)
{
	struct sysprof_mark_request arg;
	struct marks_user *user;
	int err = marks_get(&arg, sizeof(arg), to);

	if (err)
		return err;
	mutex_lock(&marks_lock);
	user = marks_find_request(recorder);
	if (user) {
		user->state = MARKS_ASKED;
		arg = (struct sysprof_mark_request){
			.size = sizeof(arg),
			.uid = from_kuid_munged(current_user_ns(), user->uid),
			.tgid = pid_nr_ns(user->asker, task_active_pid_ns(current)),
			.cookie = user->cookie,
		};
	}
	mutex_unlock(&marks_lock);
	return user ? sysprof_device_put_arg(&arg, sizeof(arg), to) : -EAGAIN;
}

/* Memory of nobody's file, that nobody can take away: programs write into it. */
static bool marks_is_memory(const struct marks_user *user, const struct file *file)
{
	const struct inode *inode = file_inode(file), *own = file_inode(user->bell);
	fmode_t both = FMODE_READ | FMODE_WRITE;

	return inode->i_sb == own->i_sb && inode->i_mapping->a_ops == own->i_mapping->a_ops &&
	       (file->f_mode & both) == both && S_ISREG(inode->i_mode) &&
	       READ_ONCE(SHMEM_I(file_inode(file))->seals) & F_SEAL_SHRINK;
}

/* @file: with a reference, which is taken if 0 is returned; or NULL. */
static int marks_take_answer(struct marks_recorder *recorder, u64 cookie, struct file *file)
{
	struct marks_user *user;

	lockdep_assert_held(&marks_lock);
	list_for_each_entry(user, &users, link) {
		if (user->state != MARKS_ASKED || user->cookie != cookie ||
		    marks_recorder_of(user) != recorder)
			continue;
		if (file && !marks_is_memory(user, file))
			return -EINVAL;
		user->state = MARKS_ANSWERED;
		user->memory = file;
		put_pid(user->asker);
		user->asker = NULL;
		recorder->counts.answered += file != NULL;
		/* Pairs with the programs' acquire: their next JOIN finds the answer. */
		smp_store_release(&user->words->answers, user->words->answers + 1);
		return 0;
	}
	return -ESRCH;
}

static int marks_answer(struct marks_recorder *recorder, void __user *from)
{
	struct sysprof_mark_answer arg;
	struct file *file = NULL;
	int err = marks_get(&arg, sizeof(arg), from);

	if (err)
		return err;
	if (arg.fd != -1) {
		file = fget(arg.fd);
		if (!file)
			return -EBADF;
	}
	mutex_lock(&marks_lock);
	err = marks_take_answer(recorder, arg.cookie, file);
	mutex_unlock(&marks_lock);
	if (err && file)
		fput(file);
	return err;
}

static int marks_counts(struct marks_recorder *recorder, void __user *to)
{
	struct sysprof_mark_counts arg;
	int err = marks_get(&arg, sizeof(arg), to);

	if (err)
		return err;
	mutex_lock(&marks_lock);
	arg = recorder->counts;
	mutex_unlock(&marks_lock);
	arg.size = sizeof(arg);
	return sysprof_device_put_arg(&arg, sizeof(arg), to);
}

/* The file. */

static int marks_open(struct inode *inode, struct file *file)
{
	/* Not that of misc_open(). */
	file->private_data = NULL;
	return nonseekable_open(inode, file);
}

static int marks_release(struct inode *inode, struct file *file)
{
	struct marks_recorder *recorder = file->private_data;
	struct marks_user *user;

	if (!recorder)
		return 0;
	mutex_lock(&marks_lock);
	if (of_all == recorder) {
		of_all = NULL;
		list_for_each_entry(user, &users, link)
			if (!user->own)
				marks_turn(user);
	}
	list_for_each_entry(user, &users, link) {
		if (user->own != recorder)
			continue;
		user->own = NULL;
		marks_turn(user);
	}
	mutex_unlock(&marks_lock);
	kfree(recorder);
	return 0;
}

static long marks_ioctl(struct file *file, unsigned int command, unsigned long arg)
{
	/* Pairs with the release of marks_record(). */
	struct marks_recorder *recorder = smp_load_acquire(&file->private_data);
	void __user *user = (void __user *)arg;

	switch (command) {
	case SYSPROF_MARK_BELL:
		return marks_bell();
	case SYSPROF_MARK_JOIN:
		return marks_join(arg);
	case SYSPROF_MARK_RECORD:
		return marks_record(file, user);
	case SYSPROF_MARK_NEXT:
		return recorder ? marks_next(recorder, user) : -EINVAL;
	case SYSPROF_MARK_ANSWER:
		return recorder ? marks_answer(recorder, user) : -EINVAL;
	case SYSPROF_MARK_COUNTS:
		return recorder ? marks_counts(recorder, user) : -EINVAL;
	default:
		return -ENOTTY;
	}
}

static __poll_t marks_poll(struct file *file, poll_table *table)
{
	/* Pairs with the release of marks_record(). */
	struct marks_recorder *recorder = smp_load_acquire(&file->private_data);
	bool is_asked;

	if (!recorder)
		return EPOLLERR;
	poll_wait(file, &recorder->wait, table);
	mutex_lock(&marks_lock);
	is_asked = marks_find_request(recorder) != NULL;
	mutex_unlock(&marks_lock);
	return is_asked ? EPOLLIN | EPOLLRDNORM : 0;
}

static const struct file_operations marks_fops = {
	.owner = THIS_MODULE,
	.open = marks_open,
	.release = marks_release,
	.unlocked_ioctl = marks_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = marks_poll,
};

static struct miscdevice marks_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "sysprof-mark",
	.mode = 0666,
	.fops = &marks_fops,
};

int sysprof_marks_register(void)
{
	return misc_register(&marks_device);
}

void sysprof_marks_unregister(void)
{
	struct marks_user *user, *next;

	misc_deregister(&marks_device);
	/* No file is open: there is no recorder, and each bell has been stilled. */
	list_for_each_entry_safe(user, next, &users, link)
		marks_user_free(user);
}
