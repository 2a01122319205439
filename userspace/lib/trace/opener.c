/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests the device: starts pkexec, whose program sends a descriptor. */
#include "trace/opener-private.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* pkexec's status when the dialog was closed. */
#define STATUS_CLOSED 126

bool spt_opener_is_installed(void)
{
	return access(SPT_OPENER, X_OK) == 0;
}

/* The caller reports an error in one sentence: pkexec's own output has several. */
static bool opener_start(struct spt_opener *opener, int input)
{
	char *argv[] = { "pkexec", SPT_OPENER, NULL };
	posix_spawn_file_actions_t actions;
	int err;

	if (posix_spawn_file_actions_init(&actions))
		return false;
	err = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	if (!err)
		err = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null",
						       O_WRONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	if (!err)
		err = posix_spawnp(&opener->pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return !err;
}

/* The answer of the opener; -1 and errno, which is 0 if it ended without an answer. */
static int opener_receive(int channel)
{
	int number = 0, fd = -1;
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { .iov_base = &number, .iov_len = sizeof(number) };
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	ssize_t n;

	do {
		n = recvmsg(channel, &message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(number) && !number && CMSG_FIRSTHDR(&message) &&
	    CMSG_FIRSTHDR(&message)->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(fd));
	errno = number;
	return fd;
}

static int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

int spt_opener_ask(struct spt_opener *opener)
{
	int fd = -1, ends[2], number = EACCES;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -1;
	opener->channel = ends[0];
	if (!opener_start(opener, ends[1]))
		opener->pid = 0;
	close(ends[1]);
	if (opener->pid) {
		fd = opener_receive(ends[0]);
		if (fd >= 0)
			return fd;
		number = errno;
	}
	close(ends[0]);
	if (opener->pid && reap(opener->pid) == STATUS_CLOSED)
		number = ECANCELED;
	opener->pid = 0;
	errno = number ? number : EACCES;
	return -1;
}

void spt_opener_end(struct spt_opener *opener)
{
	if (!opener->pid)
		return;
	close(opener->channel);
	reap(opener->pid);
	opener->pid = 0;
}
