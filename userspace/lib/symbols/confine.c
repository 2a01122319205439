/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several protections.  Each of them alone would stop most attacks; some are not available
 * everywhere.
 */
#include "symbols/confine.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols/confine-private.h"

/* Limit for all files together that one process reads; each has its own part of it. */
#define CPU_MAX_S	 600
#define MEMORY_MAX_BYTES (12ull << 30)
#define DESCRIPTORS_MAX	 256
/* A user without files: "nobody". */
#define NOBODY 65534

#define NAMESPACES (CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

static bool limit(int resource, uint64_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit) < 0)
		return false;
	limit.rlim_cur = limit.rlim_max = MIN(limit.rlim_max, most);
	return setrlimit(resource, &limit) == 0;
}

static bool limit_all(void)
{
	uint64_t machine = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	/* The user gets a message when it dies; a core file would be useless. */
	return limit(RLIMIT_AS, MIN(MEMORY_MAX_BYTES, machine / 4 * 3)) &&
	       limit(RLIMIT_CPU, CPU_MAX_S) && limit(RLIMIT_NOFILE, DESCRIPTORS_MAX) &&
	       limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 0) && limit(RLIMIT_MEMLOCK, 0);
}

static void close_others(int keep)
{
	for (int fd = STDERR_FILENO + 1; fd < keep; fd++)
		close(fd);
	/* Since Linux 5.9. */
	if (syscall(SYS_close_range, MAX(keep, STDERR_FILENO) + 1, ~0u, 0) == 0)
		return;
	for (int fd = MAX(keep, STDERR_FILENO) + 1; fd < sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
}

static bool confine_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* In namespaces of its own a process without privilege may restrict itself. */
static bool enter_namespaces(void)
{
	char users[48], groups[48];

	snprintf(users, sizeof(users), "%u %u 1", geteuid(), geteuid());
	snprintf(groups, sizeof(groups), "%u %u 1", getegid(), getegid());
	if (unshare(NAMESPACES) == 0)
		return true;
	return unshare(NAMESPACES | CLONE_NEWUSER) == 0 &&
	       confine_write_file("/proc/self/setgroups", "deny") &&
	       confine_write_file("/proc/self/gid_map", groups) &&
	       confine_write_file("/proc/self/uid_map", users);
}

/* The old root is freed when nobody uses it any more. */
static bool empty_root(void)
{
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("empty", "/proc", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
		     "size=4k,nr_inodes=2,mode=0555") == 0 &&
	       chdir("/proc") == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
	       umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

static bool drop_user(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { 0 }, left[2] = { 0 };

	bool is_other = geteuid() != 0 ||
			(setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
			 setresuid(NOBODY, NOBODY, NOBODY) == 0);

	return syscall(SYS_capset, &head, none) == 0 && syscall(SYS_capget, &head, left) == 0 &&
	       !left[0].permitted && !left[1].permitted && is_other;
}

unsigned spt_confine(int keep)
{
	unsigned done = 0;

	close_others(keep);
	if (limit_all())
		done |= SPT_CONFINE_LIMITS;
	if (enter_namespaces()) {
		done |= SPT_CONFINE_NETWORK;
		if (empty_root())
			done |= SPT_CONFINE_ROOT;
	}
	if (drop_user())
		done |= SPT_CONFINE_USER;
	/* No process of the same user can read or change its memory. */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return done;
	if (spt_confine_paths())
		done |= SPT_CONFINE_LANDLOCK;
	if (spt_confine_syscalls())
		done |= SPT_CONFINE_SYSCALLS;
	return done;
}

const char *spt_confine_name(unsigned protection)
{
	switch (protection) {
	case SPT_CONFINE_LIMITS:
		return "limits of memory and time";
	case SPT_CONFINE_USER:
		return "no privileges";
	case SPT_CONFINE_NETWORK:
		return "no network";
	case SPT_CONFINE_ROOT:
		return "an empty root directory";
	case SPT_CONFINE_LANDLOCK:
		return "Landlock";
	case SPT_CONFINE_SYSCALLS:
		return "a list of system calls";
	default:
		return NULL;
	}
}
