// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that is no longer on disk while it runs: it copies itself, runs the copy, and the copy
 * removes its own file.
 */
#include "files.h"

#include <sys/wait.h>

static uint64_t turns;

FUNCTION static void deleted_work(uint64_t until)
{
	while (thread_cpu_ns() < until)
		spin(turns, 1);
}

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc, argv, 2), begin;
	char path[64];
	int status;
	pid_t pid;

	if (argc > 2) {
		if (unlink(argv[2]))
			err(1, "cannot remove %s", argv[2]);
		turns = turns_for_ns(5000000);
		begin = thread_cpu_ns();
		deleted_work(begin + budget);
		truth("deleted_work", thread_cpu_ns() - begin);
		return 0;
	}

	snprintf(path, sizeof(path), "/tmp/deleted-%d", getpid());
	file_copy_self(path, 0755);
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (!pid) {
		execl(path, path, argc > 1 ? argv[1] : "2", path, NULL);
		err(1, "cannot run %s", path);
	}
	if (waitpid(pid, &status, 0) < 0 || status)
		errx(1, "the copy failed with status %d", status);
	return 0;
}
