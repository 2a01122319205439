// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selects the ticks that a session wants.  The filter is copied at CONFIGURE, and read in the
 * sampling context.
 *
 * Processes are a hash table that ticks read without a lock.  A process is known by its
 * signal_struct and its id: both are reused, even together, but then by a fork, which says whether
 * the new process is wanted.  One that has exited stays until its place is needed, so that its last
 * steps count as its own.
 */
#include <linux/cred.h>
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

#include "compat/export.h"
#include "compat/filter.h"
#include "filter.h"

#define ROOTS_BITS	8	/* a table of only these */
#define CHILDREN_BITS	13	/* and of all processes that they start */
#define PROBES		SYSPROF_FILTER_MAX
#define CPUS_MAX_BYTES	(64U << 10)
#define MAX_DEPTH	64	/* of processes that were started before START */

#define KEY_EMPTY	0ULL	/* ends a search; a slot that was used never becomes empty again */
#define KEY_REMOVED	1ULL

#define OWN_FLAGS                                                                                  \
	(SYSPROF_CONFIG_ONLY_USER | SYSPROF_CONFIG_ONLY_KERNEL | SYSPROF_CONFIG_CHILDREN |         \
	 SYSPROF_CONFIG_CGROUP)

/* A process: its key, and when it exited, 0 if it lives. */
struct place {
	u64 key;
	u64 exit_time;
};

/**
 * struct sysprof_filter - never changes, except for the places
 * @flags: SYSPROF_CONFIG_*, those above
 * @nr_uids: how many user ids
 * @uids: effective ones, sorted
 * @nr_roots: how many processes were asked for
 * @roots: their keys
 * @cgroup: held, or NULL
 * @lock: for changes of @places
 * @bits: bits of the number of @places; 0: any process passes
 * @places: a process is in the first PROBES places from its hash on
 */
struct sysprof_filter {
	u32 flags;
	u32 nr_uids;
	u32 uids[SYSPROF_FILTER_MAX];
	u32 nr_roots;
	u64 roots[SYSPROF_FILTER_MAX];
	struct cgroup *cgroup;
	raw_spinlock_t lock;
	u32 bits;
	struct place places[];
};

static u64 filter_key_of(const struct task_struct *task)
{
	return (unsigned long)task->signal ^ (u64)task->tgid << 40;
}

/* The places that @key may be in, in order. */
#define for_each_place(filter, key, place, i)                                                      \
	for (i = 0;                                                                                \
	     i < PROBES && ((place) = &(filter)->places[(hash_64(key, (filter)->bits) + i) &       \
							((1U << (filter)->bits) - 1)]);            \
	     i++)

static struct place *filter_find(const struct sysprof_filter *filter, u64 key)
{
	const struct place *place;
	u32 i;

	for_each_place(filter, key, place, i) {
		u64 there = READ_ONCE(place->key);

		if (there == key)
			return (struct place *)place;
		if (there == KEY_EMPTY)
			break;
	}
	return NULL;
}

/*
 * Under the lock, or before anybody else knows @filter.  False: live processes take all places.
 */
static bool filter_add(struct sysprof_filter *filter, u64 key)
{
	struct place *place = filter_find(filter, key), *best = NULL;
	u32 i;

	if (place) {
		place->exit_time = 0;
		return true;
	}
	for_each_place(filter, key, place, i) {
		if (place->key == KEY_EMPTY || place->key == KEY_REMOVED) {
			best = place;
			break;
		}
		if (place->exit_time && (!best || place->exit_time < best->exit_time))
			best = place;
	}
	if (!best)
		return false;
	best->exit_time = 0;
	WRITE_ONCE(best->key, key);
	return true;
}

bool sysprof_filter_forked(struct sysprof_filter *filter, const struct task_struct *parent,
			   const struct task_struct *child)
{
	struct place *place;
	unsigned long flags;
	bool ok = true;

	if (!filter || !filter->bits)
		return true;
	raw_spin_lock_irqsave(&filter->lock, flags);
	if (filter->flags & SYSPROF_CONFIG_CHILDREN && filter_find(filter, filter_key_of(parent))) {
		ok = filter_add(filter, filter_key_of(child));
	} else {
		/* A process that exited had the same pid. */
		place = filter_find(filter, filter_key_of(child));
		if (place)
			WRITE_ONCE(place->key, KEY_REMOVED);
	}
	raw_spin_unlock_irqrestore(&filter->lock, flags);
	return ok;
}

void sysprof_filter_exited(struct sysprof_filter *filter, const struct task_struct *task)
{
	struct place *place;
	unsigned long flags;

	if (!filter || !filter->bits)
		return;
	raw_spin_lock_irqsave(&filter->lock, flags);
	place = filter_find(filter, filter_key_of(task));
	if (place)
		place->exit_time = ktime_get_mono_fast_ns();
	raw_spin_unlock_irqrestore(&filter->lock, flags);
}

/* One generation of children; false if there is none that was not known. */
static bool add_children(struct sysprof_filter *filter)
{
	struct task_struct *task;
	unsigned long flags;
	bool any = false;

	rcu_read_lock();
	for_each_process(task) {
		if (filter_find(filter, filter_key_of(task)) ||
		    !filter_find(filter, filter_key_of(rcu_dereference(task->real_parent))))
			continue;
		raw_spin_lock_irqsave(&filter->lock, flags);
		any |= filter_add(filter, filter_key_of(task));
		raw_spin_unlock_irqrestore(&filter->lock, flags);
	}
	rcu_read_unlock();
	return any;
}

void sysprof_filter_reset(struct sysprof_filter *filter)
{
	u32 i;

	if (!filter || !filter->bits)
		return;
	memset(filter->places, 0, sizeof(filter->places[0]) << filter->bits);
	for (i = 0; i < filter->nr_roots; i++)
		filter_add(filter, filter->roots[i]);
}

void sysprof_filter_find_children(struct sysprof_filter *filter)
{
	int i;

	if (!filter || !(filter->flags & SYSPROF_CONFIG_CHILDREN))
		return;
	/* Children follow their parents in the list, mostly: one or two passes are enough. */
	for (i = 0; i < MAX_DEPTH && add_children(filter); i++)
		cond_resched();
}

static bool uid_passes(const struct sysprof_filter *filter, const struct task_struct *task)
{
	/*
	 * Uses the real credentials, not those that the task may have for a while to act for
	 * another.
	 */
	u32 uid = __kuid_val(__task_cred(task)->euid), i;

	for (i = 0; i < filter->nr_uids; i++)
		if (filter->uids[i] >= uid)
			return filter->uids[i] == uid;
	return false;
}

bool sysprof_filter_passes_task(const struct sysprof_filter *filter, const struct task_struct *task)
{
	bool passes;

	if (!filter)
		return true;
	if (filter->bits && !filter_find(filter, filter_key_of(task)))
		return false;
	rcu_read_lock();
	passes = (!filter->nr_uids || uid_passes(filter, task)) &&
		 (!filter->cgroup ||
		  sysprof_in_cgroup((struct task_struct *)task, filter->cgroup));
	rcu_read_unlock();
	return passes;
}
SYSPROF_EXPORT(sysprof_filter_passes_task);

bool sysprof_filter_passes(const struct sysprof_filter *filter, bool in_user)
{
	if (!filter)
		return true;
	if (filter->flags & (in_user ? SYSPROF_CONFIG_ONLY_KERNEL : SYSPROF_CONFIG_ONLY_USER))
		return false;
	return sysprof_filter_passes_task(filter, current);
}

static int compare_u32(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

static int find_roots(struct sysprof_filter *filter, const u32 *pids, u32 nr)
{
	struct task_struct *task;
	int err = 0;
	u32 i;

	rcu_read_lock();
	for (i = 0; i < nr && !err; i++) {
		task = pid_task(find_vpid(pids[i]), PIDTYPE_TGID);
		if (task)
			filter->roots[filter->nr_roots++] = filter_key_of(task);
		else
			err = -ESRCH;
	}
	rcu_read_unlock();
	return err;
}

static int filter_fill(struct sysprof_filter *filter, const struct sysprof_config *config)
{
	u32 pids[SYSPROF_FILTER_MAX];
	struct cgroup *cgroup;

	if (copy_from_user(pids, u64_to_user_ptr(config->pids), config->nr_pids * sizeof(u32)) ||
	    copy_from_user(filter->uids, u64_to_user_ptr(config->uids),
			   config->nr_uids * sizeof(u32)))
		return -EFAULT;
	filter->nr_uids = config->nr_uids;
	sort(filter->uids, filter->nr_uids, sizeof(u32), compare_u32, NULL);
	if (config->flags & SYSPROF_CONFIG_CGROUP) {
		cgroup = cgroup_get_from_fd(config->cgroup_fd);
		if (IS_ERR(cgroup))
			return PTR_ERR(cgroup);
		filter->cgroup = cgroup;
	}
	return find_roots(filter, pids, config->nr_pids);
}

struct sysprof_filter *sysprof_filter_create(const struct sysprof_config *config)
{
	u32 bits = !config->nr_pids			   ? 0 :
		   config->flags & SYSPROF_CONFIG_CHILDREN ? CHILDREN_BITS :
							     ROOTS_BITS;
	struct sysprof_filter *filter;
	int err;

	if (config->nr_pids > SYSPROF_FILTER_MAX || config->nr_uids > SYSPROF_FILTER_MAX)
		return ERR_PTR(-EINVAL);
	if (config->flags & SYSPROF_CONFIG_ONLY_USER && config->flags & SYSPROF_CONFIG_ONLY_KERNEL)
		return ERR_PTR(-EINVAL);
	if ((config->flags & SYSPROF_CONFIG_CHILDREN && !config->nr_pids) ||
	    (!(config->flags & SYSPROF_CONFIG_CGROUP) && config->cgroup_fd))
		return ERR_PTR(-EINVAL);
	if (!config->nr_pids && !config->nr_uids && !(config->flags & OWN_FLAGS))
		return NULL;
	filter = kvzalloc(struct_size(filter, places, bits ? 1U << bits : 0), GFP_KERNEL_ACCOUNT);
	if (!filter)
		return ERR_PTR(-ENOMEM);
	raw_spin_lock_init(&filter->lock);
	filter->flags = config->flags & OWN_FLAGS;
	filter->bits = bits;
	err = filter_fill(filter, config);
	if (err) {
		sysprof_filter_destroy(filter);
		return ERR_PTR(err);
	}
	return filter;
}

u64 sysprof_filter_bytes(const struct sysprof_filter *filter)
{
	if (!filter)
		return 0;
	return struct_size(filter, places, filter->bits ? 1U << filter->bits : 0);
}

void sysprof_filter_destroy(struct sysprof_filter *filter)
{
	if (filter && filter->cgroup)
		cgroup_put(filter->cgroup);
	kvfree(filter);
}

/* Bits of the caller's mask above the possible CPUs are ignored. */
int sysprof_filter_cpus(const struct sysprof_config *config, struct cpumask *ret)
{
	u64 __user *words = u64_to_user_ptr(config->cpus);
	bool any = false;
	u64 word = 0;
	int cpu;

	if (config->cpus_bytes % sizeof(u64) || config->cpus_bytes > CPUS_MAX_BYTES)
		return -EINVAL;
	cpumask_clear(ret);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		if (cpu % 64 == 0 && config->cpus_bytes) {
			word = 0;
			if (cpu / 8 < config->cpus_bytes && get_user(word, words + cpu / 64))
				return -EFAULT;
		}
		if (!cpu_possible(cpu) ||
		    !(config->cpus_bytes ? word >> cpu % 64 & 1 : !sysprof_cpu_is_isolated(cpu)))
			continue;
		cpumask_set_cpu(cpu, ret);
		any = true;
	}
	return any ? 0 : -EINVAL;
}
