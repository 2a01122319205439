/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pkexec for test-opener.sh, set-user-id: runs a program as root with PKEXEC_UID alone in its
 * environment, unless a file beside it says that polkit refuses or that the dialog was closed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PLACE "/usr/libexec/pretend/"

int main(int argc, char **argv)
{
	char uid[32];

	if (argc < 2 || access(PLACE "refuse", F_OK) == 0)
		return 127;
	if (access(PLACE "close", F_OK) == 0)
		return 126;
	snprintf(uid, sizeof(uid), "%u", getuid());
	if (clearenv() || setenv("PKEXEC_UID", uid, 1) || setresgid(0, 0, 0) ||
	    setresuid(0, 0, 0))
		return 127;
	execv(argv[1], argv + 1);
	return 127;
}
