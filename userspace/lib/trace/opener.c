/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts pkexec, whose program sends descriptors. */
#include "trace/opener-private.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/descriptor.h"

/* pkexec's status when the dialog was closed. */
#define STATUS_CLOSED 126

bool spt_opener_is_installed(const char *program)
{
	return access(program, X_OK) == 0;
}

/* The caller reports an error in one sentence: pkexec's own output has several. */
static bool opener_start(struct spt_opener *opener, const char *program, int input)
{
	char *argv[] = { "pkexec", (char *)program, NULL };
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

static int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 0;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

bool spt_opener_begin(struct spt_opener *opener, const char *program)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return false;
	opener->channel = ends[0];
	if (!opener_start(opener, program, ends[1]))
		opener->pid = 0;
	close(ends[1]);
	if (opener->pid)
		return true;
	close(ends[0]);
	errno = EACCES;
	return false;
}

int spt_opener_why(struct spt_opener *opener)
{
	int number = EACCES;

	if (!opener->pid)
		return number;
	close(opener->channel);
	if (reap(opener->pid) == STATUS_CLOSED)
		number = ECANCELED;
	opener->pid = 0;
	return number;
}

int spt_opener_ask(struct spt_opener *opener)
{
	int fd = -1, number = 0, why;
	ssize_t n;

	if (!spt_opener_begin(opener, SPT_OPENER))
		return -1;
	n = spt_receive_descriptor(opener->channel, &number, sizeof(number), &fd);
	if (n == (ssize_t)sizeof(number) && !number && fd >= 0)
		return fd;
	if (fd >= 0)
		close(fd);
	why = spt_opener_why(opener);
	errno = n == (ssize_t)sizeof(number) && number ? number : why;
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
