/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks directory by directory from the root.  Each is checked before a name in it is looked up, so
 * that nobody else can exchange the rest.
 */
#include "object/trusted.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/regular.h"

/* An access list that lets others write is visible in the bits of the group. */
static bool is_roots(const struct stat *stat)
{
	return stat->st_uid == 0 && !(stat->st_mode & (S_IWGRP | S_IWOTH));
}

/* Opens the next name in the directory @dir, which is closed; -1 and errno. */
static int trusted_step(int dir, const char *name)
{
	int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), problem = 0;
	struct stat stat;

	if (fd < 0 || fstat(fd, &stat) < 0)
		problem = errno;
	else if (S_ISLNK(stat.st_mode))
		problem = ELOOP;
	else if (!is_roots(&stat))
		problem = EPERM;
	close(dir);
	if (!problem)
		return fd;
	if (fd >= 0)
		close(fd);
	errno = problem;
	return -1;
}

int spt_trusted_open(const char *path)
{
	g_auto(GStrv) names = g_strsplit(path, "/", -1);
	int at = g_path_is_absolute(path) ? open("/", O_PATH | O_CLOEXEC) : -1, fd, problem;

	if (at < 0) {
		errno = EINVAL;
		return -1;
	}
	for (char **name = names; *name && at >= 0; name++) {
		if (!strcmp(*name, "..")) {
			close(at);
			errno = EINVAL;
			return -1;
		}
		if (**name)
			at = trusted_step(at, *name);
	}
	if (at < 0)
		return -1;
	fd = spt_open_regular_at(at);
	problem = errno;
	close(at);
	errno = problem;
	return fd;
}

bool spt_is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool spt_trusted_is(const char *path, int fd)
{
	int trusted = spt_trusted_open(path);
	struct stat theirs, ours;
	bool is_same = trusted >= 0 && fstat(trusted, &ours) == 0 && fstat(fd, &theirs) == 0 &&
		       spt_is_same_file(&ours, &theirs);

	if (trusted >= 0)
		close(trusted);
	return is_same;
}
