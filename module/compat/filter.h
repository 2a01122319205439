/* SPDX-License-Identifier: GPL-2.0-only */
/* For filter.c: isolated CPUs and control groups. */
#ifndef _SYSPROF_COMPAT_FILTER_H
#define _SYSPROF_COMPAT_FILTER_H

#include <linux/cgroup.h>
#include <linux/sched/isolation.h>
#include <linux/version.h>

/*
 * Whether the administrator has set a CPU apart, by isolcpus or nohz_full.  The features were bits
 * before 5.18.
 */
static inline bool sysprof_cpu_is_isolated(int cpu)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 18, 0)
	return !housekeeping_test_cpu(cpu, HK_FLAG_DOMAIN) ||
	       !housekeeping_test_cpu(cpu, HK_FLAG_TICK);
#else
	return !housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) ||
	       !housekeeping_test_cpu(cpu, HK_TYPE_TICK);
#endif
}

/* Whether @task is of @cgroup or below.  RCU read side. */
#ifdef CONFIG_CGROUPS
static inline bool sysprof_in_cgroup(struct task_struct *task, struct cgroup *cgroup)
{
	return cgroup_is_descendant(task_dfl_cgroup(task), cgroup);
}
#else
static inline bool sysprof_in_cgroup(struct task_struct *task, struct cgroup *cgroup)
{
	return false;
}

static inline struct cgroup *cgroup_get_from_fd(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void cgroup_put(struct cgroup *cgroup)
{
}
#endif

#endif /* _SYSPROF_COMPAT_FILTER_H */
