// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nearly all of it in the kernel: two processes hand one byte back and forth through pipes.
 */
#include "workload.h"

#include <sys/resource.h>
#include <sys/wait.h>

FUNCTION static void pass_byte(int from, int to)
{
	char byte;

	if (read(from, &byte, 1) != 1)
		_exit(0);
	if (write(to, &byte, 1) != 1)
		err(1, "cannot write to a pipe");
}

static uint64_t timeval_ns(const struct timeval *tv)
{
	return tv->tv_sec * NS_PER_S + tv->tv_usec * 1000ULL;
}

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc, argv, 3);
	struct rusage parent, child;
	int there[2], back[2];
	pid_t pid;

	if (pipe(there) || pipe(back))
		err(1, "cannot make a pipe");
	pid = fork();
	if (pid < 0)
		err(1, "cannot fork");
	if (!pid) {
		close(there[1]);
		close(back[0]);
		for (;;)
			pass_byte(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	if (write(there[1], "", 1) != 1)
		err(1, "cannot write to a pipe");
	while (process_cpu_ns() < budget)
		for (unsigned i = 0; i < 100; i++)
			pass_byte(back[0], there[1]);
	close(there[1]);
	waitpid(pid, NULL, 0);
	getrusage(RUSAGE_SELF, &parent);
	getrusage(RUSAGE_CHILDREN, &child);
	truth("user", timeval_ns(&parent.ru_utime) + timeval_ns(&child.ru_utime));
	truth("system", timeval_ns(&parent.ru_stime) + timeval_ns(&child.ru_stime));
	return 0;
}
