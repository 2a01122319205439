/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends the sessions of a user who may no longer record: otherwise open sessions continue.  So would
 * those by root's openers of perf events.
 */
#include "doctor.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>

#include "cmd.h"
#include "trace/perf/opener-door.h"
#include "trace/revoke.h"

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
	unsigned sessions = 0, n_openers;
	int number;
	uid_t uid;

	if (!doctor_revoke_find_user(user, &uid)) {
		spt_cli_complain(
			"There is no user %s; for a user who was deleted give the number (uid)",
			user);
		return SPT_EXIT_FAILURE;
	}
	n_openers = spt_perf_door_end_openers(uid);
	if (n_openers)
		printf("%u recording%s of the whole system by perf events of %s ended.\n", n_openers,
		       n_openers == 1 ? "" : "s", user);
	number = spt_trace_revoke(uid, &sessions);
	if (number && number != ENODEV) {
		spt_cli_complain(
			"Cannot end the sessions of %s: %s; %s", user, g_strerror(number),
			number == ENOTTY ?
				"the module that is loaded is too old, load this version's" :
				"only root can, and only while the device opens");
		return SPT_EXIT_FAILURE;
	}
	if (number)
		printf("The module is not loaded: %s has no session.\n", user);
	else
		printf("%u session%s of %s ended.\n", sessions, sessions == 1 ? "" : "s", user);
	return spt_cli_flush() ? SPT_EXIT_OK : SPT_EXIT_FAILURE;
}
