/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files with code in them: copies of the program itself, mapped executable. */
#ifndef FILES_H
#define FILES_H

#include "workload.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>

#define FILE_MAPPED_BYTES 4096

static inline void file_copy_self(const char *path, mode_t mode)
{
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	struct stat stat;

	if (from < 0 || to < 0 || fstat(from, &stat))
		err(1, "cannot copy this program to %s", path);
	while (stat.st_size > 0) {
		ssize_t n = sendfile(to, from, NULL, stat.st_size);

		if (n <= 0)
			err(1, "cannot copy this program to %s", path);
		stat.st_size -= n;
	}
	close(from);
	close(to);
}

/* Its first page, as code; the descriptor is closed. */
static inline void *file_map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *at = mmap(NULL, FILE_MAPPED_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (fd < 0 || at == MAP_FAILED)
		err(1, "cannot map %s", path);
	close(fd);
	return at;
}

static inline void file_unmap(void *at)
{
	munmap(at, FILE_MAPPED_BYTES);
}

#endif
