/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FILE.part, which a capture is while it is written.  Who writes it holds a lock on it, which ends
 * with that process: one that is not locked is what is left of a recording that was killed.
 */
#include "capture/part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/words.h"

/* How often others may come first between two steps. */
#define TRIES 16

bool spt_part_is_named(int fd, const char *path)
{
	struct stat file, named;

	return fstat(fd, &file) == 0 && lstat(path, &named) == 0 && file.st_dev == named.st_dev &&
	       file.st_ino == named.st_ino;
}

/* False: somebody else has locked it.  Some file systems of networks know no locks. */
static bool lock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* Removes what a recording that was killed has left.  False: errno says why not. */
static bool remove_left(const char *path)
{
	struct stat status;
	int fd, number = 0;

	if (lstat(path, &status) < 0)
		return errno == ENOENT;
	/* A link is removed, its target stays. */
	if (!S_ISREG(status.st_mode))
		return unlink(path) == 0 || errno == ENOENT;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT;
	if (!lock(fd) || (spt_part_is_named(fd, path) && unlink(path) < 0))
		number = errno;
	close(fd);
	errno = number;
	return !number || number == ENOENT;
}

int spt_part_create(const char *path)
{
	for (unsigned i = 0; i < TRIES; i++) {
		int fd;

		if (!remove_left(path))
			return -1;
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno == EEXIST)
			continue;
		/* Until it is locked, another one can take it for what is left. */
		if (fd < 0 || (lock(fd) && spt_part_is_named(fd, path)))
			return fd;
		close(fd);
	}
	errno = EWOULDBLOCK;
	return -1;
}

char *spt_part_failure(const char *path, int number)
{
	if (number == EWOULDBLOCK)
		return g_strdup_printf(
			spt_words("a recording that has not ended writes %s; give this one another name"),
			path);
	return g_strdup_printf(spt_words("%s cannot be made: %s"), path, g_strerror(number));
}

bool spt_part_keep_old(const char *path)
{
	g_autofree char *old = g_strconcat(path, ".old", NULL);

	return rename(path, old) == 0 || errno == ENOENT;
}
