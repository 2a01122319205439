/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program of trace/perf/opener-protocol.h: pkexec runs it as root, for a user whom the kernel
 * lets see only own processes (kernel.perf_event_paranoid).
 *
 * It stays root, as a user who could end it could also follow it; but of root's rights it keeps the
 * three that it needs.  It ends with its caller, with the socket, and by "doctor --revoke".
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf-serve.h"
#include "trace/perf/opener-protocol.h"

#define CHANNEL STDIN_FILENO
#define FILES_MOST 65536

/* The user who asks, by pkexec's environment. */
static bool perf_opener_find_user(uid_t *ret)
{
	const char *text = getenv("PKEXEC_UID");
	char *end = NULL;
	unsigned long uid = text ? strtoul(text, &end, 10) : 0;

	*ret = (uid_t)uid;
	return end && end != text && !*end && uid == (uid_t)uid;
}

/*
 * The process that made the socket has to be this one's parent, and the user's: the authorisation
 * is of that process.  Returns a descriptor of it, or -1.
 */
static int perf_opener_find_caller(uid_t uid)
{
	struct ucred peer;
	socklen_t bytes = sizeof(peer), type_bytes = sizeof(int);
	int type, fd;

	if (getsockopt(CHANNEL, SOL_SOCKET, SO_TYPE, &type, &type_bytes) < 0 ||
	    type != SOCK_SEQPACKET ||
	    getsockopt(CHANNEL, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0 || peer.uid != uid ||
	    peer.pid != getppid())
		return -1;
	fd = (int)syscall(SYS_pidfd_open, peer.pid, 0);
	/* If it has ended meanwhile, another one may have its number. */
	return peer.pid == getppid() ? fd : -1;
}

/* Locks one of the user's files, as long as this process lives.  False: all are locked. */
static bool perf_opener_take_place(uid_t uid)
{
	const struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	char path[64];

	if (mkdir(SPT_PERF_OPENER_RUN, 0700) < 0 && errno != EEXIST)
		return false;
	for (unsigned i = 0; i < SPT_PERF_OPENERS_MOST; i++) {
		int fd;

		snprintf(path, sizeof(path), SPT_PERF_OPENER_RUN "/%lu.%u", (unsigned long)uid, i);
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0 && fcntl(fd, F_SETLK, &all) == 0)
			return true;
		if (fd >= 0)
			close(fd);
	}
	errno = EUSERS;
	return false;
}

/* Each CPU has up to two files a ring. */
static void raise_files(void)
{
	struct rlimit limit = { FILES_MOST, FILES_MOST };

	if (setrlimit(RLIMIT_NOFILE, &limit) == 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/*
 * Perf events, the mappings of processes, and the kernel's addresses.  Nothing is ever executed, so
 * nothing comes back.
 */
static bool drop_rights(void)
{
	const uint64_t kept = 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_PTRACE | 1ULL << CAP_SYSLOG;
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = (uint32_t)kept, .permitted = (uint32_t)kept },
		{ .effective = kept >> 32, .permitted = kept >> 32 },
	};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
	       syscall(SYS_capset, &header, data) == 0;
}

static void perf_opener_serve(int caller)
{
	struct pollfd polls[] = { { .fd = CHANNEL, .events = POLLIN },
				  { .fd = caller, .events = POLLIN } };

	for (;;) {
		if (poll(polls, 2, -1) < 0 && errno != EINTR)
			return;
		if (polls[1].revents || (polls[0].revents && !spt_door_serve(CHANNEL)))
			return;
	}
}

int main(void)
{
	uid_t uid;
	int caller, number = 0;

	if (!perf_opener_find_user(&uid))
		return EXIT_FAILURE;
	caller = perf_opener_find_caller(uid);
	if (caller < 0)
		return EXIT_FAILURE;
	/* Ctrl-C ends a recording in order, and its events are needed until then. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	raise_files();
	if (!perf_opener_take_place(uid) || !drop_rights())
		number = errno;
	if (number || chdir("/") < 0) {
		spt_door_refuse(CHANNEL, number ? number : errno);
		return EXIT_FAILURE;
	}
	perf_opener_serve(caller);
	return EXIT_SUCCESS;
}
