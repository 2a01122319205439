// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * landlocked COMMAND...: runs it in a Landlock domain of its own, which may do all but trace those
 * outside, and make sockets.
 */
#include "workload.h"

#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

int main(int argc, char **argv)
{
	struct landlock_ruleset_attr attr = { .handled_access_fs = LANDLOCK_ACCESS_FS_MAKE_SOCK };
	int fd = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);

	if (argc < 2)
		errx(2, "usage: landlocked COMMAND...");
	if (fd < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_landlock_restrict_self, fd, 0))
		err(1, "cannot enter a Landlock domain");
	execvp(argv[1], argv + 1);
	err(1, "cannot run %s", argv[1]);
}
