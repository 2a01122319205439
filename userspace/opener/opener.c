/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program of trace/opener-private.h: pkexec runs it as root, for a user who is not in group
 * sysprof.
 *
 * A session has the rights of the process that opens the device.  So all rights of
 * root go first, and for good: the device is opened with the user's ids and groups, and group
 * sysprof.  The kernel makes a process that changed ids untraceable.  The user can end it, and with
 * it the session, but cannot borrow the group.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sysprof.h"

#define CHANNEL STDIN_FILENO
#define GROUPS_MAX 1024

/* The user who asks, by pkexec's environment. */
static const struct passwd *find_user(void)
{
	const char *text = getenv("PKEXEC_UID");
	char *end = NULL;
	unsigned long uid = text ? strtoul(text, &end, 10) : 0;

	return end && end != text && !*end && uid == (uid_t)uid ? getpwuid((uid_t)uid) : NULL;
}

/* Becomes a member of group sysprof with @user's ids, and nothing else. */
static bool become(const struct passwd *user)
{
	gid_t groups[GROUPS_MAX], own_group = user->pw_gid;
	uid_t uid = user->pw_uid;
	int n = GROUPS_MAX - 1;
	const struct group *members;

	if (getgrouplist(user->pw_name, own_group, groups, &n) < 0)
		return false;
	members = getgrnam("sysprof");
	if (!members)
		return false;
	groups[n++] = members->gr_gid;
	return setgroups((size_t)n, groups) == 0 &&
	       setresgid(own_group, own_group, own_group) == 0 && setresuid(uid, uid, uid) == 0 &&
	       (uid == 0 || setuid(0) < 0);
}

static bool send_opened(int fd, int number)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(int)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS } };
	struct iovec part = { .iov_base = &number, .iov_len = sizeof(number) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	if (fd >= 0) {
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	return sendmsg(CHANNEL, &message, MSG_NOSIGNAL) >= 0;
}

int main(void)
{
	const struct passwd *user = find_user();
	char nothing;
	int fd, number;

	if (!user || !become(user))
		return EXIT_FAILURE;
	/* Ctrl-C ends a recording in order, and the session is needed until then. */
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	fd = open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC);
	number = fd < 0 ? errno : 0;
	if (!send_opened(fd, number) || number)
		return EXIT_FAILURE;
	/* From now on the session belongs to the other end. */
	close(fd);
	while (read(CHANNEL, &nothing, 1) < 0 && errno == EINTR)
		;
	return EXIT_SUCCESS;
}
