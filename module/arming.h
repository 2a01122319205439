/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hooks that are put in place for their first user and stay for ten seconds after the last one has
 * left.  A user who may start sessions must not be able to have the kernel's code patched at will.
 */
#ifndef _SYSPROF_ARMING_H
#define _SYSPROF_ARMING_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

/**
 * struct sysprof_arming - hooks that come and go together
 * @put: puts the hooks in place; 0 or an error.  Process context, under @lock
 * @remove: removes the hooks.  Process context, under @lock
 * @lock: protects @users and @is_armed.  @put may arm others, but never in a circle
 * @users: calls of sysprof_arm() without their sysprof_disarm()
 * @is_armed: the hooks are in place, even if nobody uses them any more
 * @work: removes the hooks ten seconds after the last user has left
 */
struct sysprof_arming {
	int (*put)(struct sysprof_arming *arming);
	void (*remove)(struct sysprof_arming *arming);
	struct mutex lock;
	unsigned int users;
	bool is_armed;
	struct delayed_work work;
};

/* Initialises @arming, which has to be static. */
#define SYSPROF_ARMING(arming, put_fn, remove_fn)                                                  \
	{                                                                                          \
		.put = (put_fn),                                                                   \
		.remove = (remove_fn),                                                             \
		.lock = __MUTEX_INITIALIZER((arming).lock),                                        \
		.work = __DELAYED_WORK_INITIALIZER((arming).work, sysprof_arming_work, 0),         \
	}

/* Add a user, or return an error and add none; remove a user.  Process context. */
int sysprof_arm(struct sysprof_arming *arming);
void sysprof_disarm(struct sysprof_arming *arming);
/* Removes the hooks at once, when nobody arms them any more.  Process context. */
void sysprof_disarm_now(struct sysprof_arming *arming);

/* For SYSPROF_ARMING. */
void sysprof_arming_work(struct work_struct *work);

#endif /* _SYSPROF_ARMING_H */
