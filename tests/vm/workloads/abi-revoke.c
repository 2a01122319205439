// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of what open() granted: abi-revoke.  Root does beside it what the file asked for says:
 * /tmp/want-revoke: ends this user's sessions; want-closed, want-open: the node's mode; want-lock:
 * the kernel is locked down.  /tmp/did-... when it is done.
 */
#include "abi.h"

#include <poll.h>

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static void have_root_do(const char *what)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/tmp/want-%s", what);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0)
		err(1, "cannot make %s", path);
	close(fd);
	snprintf(path, sizeof(path), "/tmp/did-%s", what);
	while (!exists(path))
		usleep(100000);
}

/* Whether poll() says within some seconds that the session has ended. */
static bool hangs_up(int fd)
{
	for (unsigned tries = 0; tries < 100; tries++) {
		struct pollfd poll_fd = { .fd = fd, .events = 0 };

		if (poll(&poll_fd, 1, 100) == 1 && poll_fd.revents & POLLHUP)
			return true;
		usleep(100000);
	}
	return false;
}

static int running(void)
{
	int fd = device_open();

	configured(fd, NS_PER_MS, 0);
	if (ioctl(fd, SYSPROF_IOC_START, NULL))
		err(1, "START");
	burn_ms(300);
	return fd;
}

static void test_is_over(int fd, const char *why)
{
	struct sysprof_info info = { .size = sizeof(info) };
	struct sysprof_config config = { .size = sizeof(config) };
	struct sysprof_names names = { .size = sizeof(names) };
	uint64_t before;

	ok(hangs_up(fd), "%s: poll says that the session is over", why);
	before = delivered_get(fd);
	burn_ms(200);
	ok(before && delivered_get(fd) == before, "... it takes no more samples");
	ok(!ioctl(fd, SYSPROF_IOC_STOP, NULL) && !ioctl(fd, SYSPROF_IOC_INFO, &info),
	   "... STOP and INFO are answered");
	refuses(ioctl(fd, SYSPROF_IOC_START, NULL), ESRCH, "... START");
	refuses(ioctl(fd, SYSPROF_IOC_CONFIGURE, &config), ESRCH, "... CONFIGURE");
	refuses(ioctl(fd, SYSPROF_IOC_NAMES, &names), ESRCH, "... NAMES");
	close(fd);
}

/* The opener exited, and had not started it; errno of START, with 128 if NAMES was answered. */
static int open_fork_exit(void *data)
{
	int *pipe_fds = data, fd = device_open();
	struct sysprof_names names = { .size = sizeof(names) };
	pid_t parent = getpid(), pid;
	uint8_t status;

	configured(fd, 0, 0);
	pid = fork();
	if (pid)
		return pid < 0;
	while (getppid() == parent)
		usleep(10000);
	/* Its parent may still wait to be waited for. */
	status = ioctl(fd, SYSPROF_IOC_START, NULL) ? errno : 0;
	status |= ioctl(fd, SYSPROF_IOC_NAMES, &names) && errno == ESRCH ? 0 : 128;
	_exit(write(pipe_fds[1], &status, 1) != 1);
}

static void test_opener_is_gone(void)
{
	uint8_t status = 255;
	int pipe_fds[2];

	if (pipe2(pipe_fds, O_CLOEXEC))
		err(1, "cannot make a pipe");
	if (in_child(open_fork_exit, pipe_fds) || read(pipe_fds[0], &status, 1) != 1)
		status = 255;
	refuses_errno(status & 127, ESRCH, "START of a session whose opener exited before it");
	ok(!(status & 128), "... nor are its other ioctls answered");
}

static void test_arguments(void)
{
	struct sysprof_revoke revoke = { .size = sizeof(revoke), .uid = 12345 };
	int fd = device_open();

	if (geteuid()) {
		refuses(ioctl(fd, SYSPROF_IOC_REVOKE, &revoke), EPERM, "REVOKE by a member");
		revoke.uid = geteuid();
		refuses(ioctl(fd, SYSPROF_IOC_REVOKE, &revoke), EPERM, "... of his own, too");
	} else {
		ok(!ioctl(fd, SYSPROF_IOC_REVOKE, &revoke) && !revoke.sessions,
		   "REVOKE of a user without sessions");
		revoke.uid = UINT32_MAX;
		refuses(ioctl(fd, SYSPROF_IOC_REVOKE, &revoke), EINVAL, "REVOKE of no user");
		revoke = (struct sysprof_revoke){ .size = sizeof(revoke), .reserved = 1 };
		refuses(ioctl(fd, SYSPROF_IOC_REVOKE, &revoke), EINVAL, "... with a reserved word");
	}
	close(fd);
}

int main(void)
{
	int fd;

	test_arguments();
	test_opener_is_gone();
	if (!geteuid())
		return tests_end();
	fd = running();
	have_root_do("revoke");
	test_is_over(fd, "revoked");
	fd = running();
	ok(delivered_get(fd), "who may open the device begins anew");
	have_root_do("closed");
	test_is_over(fd, "the node is closed to its opener");
	refuses(open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC), EACCES, "... nor opens it");
	have_root_do("open");
	fd = running();
	have_root_do("lock");
	test_is_over(fd, "the kernel is locked down");
	return tests_end();
}
