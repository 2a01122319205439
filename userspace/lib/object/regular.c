/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "object/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int spt_open_regular_at(int at)
{
	char link[32];
	struct stat stat;

	if (fstat(at, &stat) != 0)
		return -1;
	if (!S_ISREG(stat.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
	return open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int spt_open_regular(const char *path)
{
	/* Opened with O_PATH: neither a driver nor an automounter notices. */
	int at = open(path, O_PATH | O_CLOEXEC), fd, problem;

	if (at < 0)
		return -1;
	fd = spt_open_regular_at(at);
	/* Where /proc is not mounted there is only the path. */
	if (fd < 0 && errno == ENOENT)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	problem = errno;
	close(at);
	errno = problem;
	return fd;
}
