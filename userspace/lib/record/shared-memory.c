/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/shared-memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int spt_shared_memory_new(const char *name, size_t bytes, void **ret)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING), failure;
	void *at = MAP_FAILED;

	*ret = NULL;
	if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 &&
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (at != MAP_FAILED) {
		*ret = at;
		return fd;
	}
	failure = errno;
	if (fd >= 0)
		close(fd);
	errno = failure;
	return -1;
}
