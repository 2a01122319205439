/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By the device itself, without a session of its own: only root may. */
#include "trace/revoke.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sysprof.h"
#include "trace/perf/door-protocol.h"

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

unsigned spt_trace_end_openers(uint32_t uid)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SPT_PERF_OPENERS_MOST; i++) {
		g_autofree char *path = g_strdup_printf(SPT_PERF_OPENER_RUN "/%u.%u", uid, i);
		struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
		int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

		if (fd < 0)
			continue;
		if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK &&
		    kill(lock.l_pid, SIGTERM) == 0) {
			n++;
			/* It has ended once its lock is free. */
			lock = (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET };
			fcntl(fd, F_SETLKW, &lock);
		}
		close(fd);
	}
	return n;
}
