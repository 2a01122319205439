/* SPDX-License-Identifier: GPL-2.0-only */
/* The address spaces that the opener of a session has shown that it may trace. */
#ifndef _SYSPROF_TRACED_H
#define _SYSPROF_TRACED_H

#include <linux/mutex.h>
#include <linux/types.h>

#define SYSPROF_TRACED_BITS	6

struct mm_struct;
struct sysprof_session;
struct task_struct;

/**
 * struct sysprof_traced - the address spaces a session's opener has shown that it may trace
 * @own: that of the opener at open(), held; NULL: it had none.  A program that the opener runs
 *	later has another one
 * @lock: for changes
 * @n: number of address spaces
 * @sweep_at: at this number, address spaces that ended are dropped
 * @by_mm: the address spaces, a hash table; RCU
 */
struct sysprof_traced {
	struct mm_struct *own;
	struct mutex lock;
	unsigned int n;
	unsigned int sweep_at;
	struct hlist_head by_mm[1 << SYSPROF_TRACED_BITS];
};

/* These in process context.  init(): current is the opener. */
void sysprof_traced_init(struct sysprof_traced *traced);
void sysprof_traced_destroy(struct sysprof_traced *traced);
/*
 * Moves the address spaces that have ended to @gone, from any number of sessions; free() waits for
 * a grace period and frees them.  The memory of such a space is kept as long.
 */
void sysprof_traced_collect(struct sysprof_traced *traced, struct list_head *gone);
void sysprof_traced_free(struct list_head *gone);

/*
 * Checks that descriptor @fd is /proc/@pid/mem, open for reading, of the address space that the
 * process has now.  -EACCES for any other file, -ESRCH if there is no such process, -ENOSPC.
 */
int sysprof_traced_prove(struct sysprof_traced *traced, u32 pid, int fd);

/*
 * Whether the opener of @session, without privilege, may look into @mm of @task.  Both the rule of
 * rights.h, as things are now, and a proof are needed.  The address space in which the session was
 * opened needs no proof.  The caller keeps @task from being freed.  Any context.
 */
bool sysprof_traced_may(const struct sysprof_session *session, const struct task_struct *task,
			const struct mm_struct *mm);

#endif /* _SYSPROF_TRACED_H */
