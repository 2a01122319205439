/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "object/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int spt_open_regular(const char *path)
{
	/* Opened with O_PATH: neither a driver nor an automounter notices. */
	int at = open(path, O_PATH | O_CLOEXEC), fd = -1, problem;
	char link[32];
	struct stat stat;

	if (at < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	if (fstat(at, &stat) == 0 && !S_ISREG(stat.st_mode))
		errno = EINVAL;
	else
		fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	/* Where /proc is not mounted there is only the path. */
	if (fd < 0 && errno == ENOENT)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	problem = errno;
	close(at);
	errno = problem;
	return fd;
}
