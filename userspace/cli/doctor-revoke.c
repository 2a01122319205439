/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends the sessions of a user who may no longer record: otherwise open sessions continue. */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd.h"
#include "sysprof.h"

/* By name or by number; a user who was deleted has only the latter. */
static bool doctor_revoke_find_user(const char *text, uid_t *ret)
{
	const struct passwd *user = getpwnam(text);
	guint64 number;

	if (user)
		*ret = user->pw_uid;
	else if (g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT32 - 1, &number, NULL))
		*ret = (uid_t)number;
	else
		return false;
	return true;
}

int spt_doctor_revoke(const char *user)
{
	struct sysprof_revoke revoke = { .size = sizeof(revoke) };
	int fd, ret, number;
	uid_t uid;

	if (!doctor_revoke_find_user(user, &uid)) {
		spt_cli_complain(
			"There is no user %s; for a user who was deleted give the number (uid)",
			user);
		return SPT_EXIT_FAILURE;
	}
	revoke.uid = uid;
	fd = open(SYSPROF_DEVICE, O_RDWR | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENXIO || errno == ENODEV)) {
		printf("The module is not loaded: %s has no session.\n", user);
		return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
	}
	ret = fd < 0 ? -1 : ioctl(fd, SYSPROF_IOC_REVOKE, &revoke);
	number = errno;
	if (fd >= 0)
		close(fd);
	if (ret < 0) {
		spt_cli_complain(
			"Cannot end the sessions of %s: %s; %s", user, g_strerror(number),
			number == ENOTTY ?
				"the module that is loaded is too old, load this version's" :
				"only root can, and only while the device opens");
		return SPT_EXIT_FAILURE;
	}
	printf("%u session%s of %s ended.\n", revoke.sessions, revoke.sessions == 1 ? "" : "s",
	       user);
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}
