/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By the device itself, without a session of its own: only root may. */
#include "trace/revoke.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sysprof.h"

int spt_trace_revoke(uint32_t uid, unsigned *ret_sessions)
{
	struct sysprof_revoke revoke = { .size = sizeof(revoke), .uid = uid };
	int fd = open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC), number;

	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? ENODEV : errno;
	number = ioctl(fd, SYSPROF_IOC_REVOKE, &revoke) < 0 ? errno : 0;
	close(fd);
	*ret_sessions = revoke.sessions;
	return number;
}
