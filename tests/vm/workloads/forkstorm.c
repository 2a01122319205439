// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Many short processes, four at a time: some work as they were forked, some exec first, and some
 * are made by vfork, work in their parent's memory and then exec.  An exec'ed image is called
 * "exe", after /proc/self/exe; the others keep the name "forkstorm".  Every child reports its CPU
 * time through a pipe.
 */
#include "workload.h"

#include <sys/wait.h>

#define TOGETHER	4

enum role { FORKED, EXECED, BORROWED, VFORKED, ROLES };

static const char *const names[ROLES] = {
	"forked_work", "execed_work", "vfork_borrowed_work", "vfork_execed_work",
};

struct message {
	uint64_t role, ns;
};

static uint64_t turns;
static int pipe_fds[2];

FUNCTION static void forked_work(void)
{
	spin(turns, 1);
}

FUNCTION static void execed_work(void)
{
	spin(turns, 2);
}

FUNCTION static void vfork_borrowed_work(void)
{
	spin(turns, 3);
}

FUNCTION static void vfork_execed_work(void)
{
	spin(turns, 4);
}

static void work(enum role role, int fd)
{
	static void (*const functions[ROLES])(void) = {
		forked_work, execed_work, vfork_borrowed_work, vfork_execed_work,
	};
	struct message message = { .role = role };
	uint64_t begin = thread_cpu_ns();

	functions[role]();
	message.ns = thread_cpu_ns() - begin;
	if (write(fd, &message, sizeof(message)) != sizeof(message))
		_exit(1);
}

/* Only what exec'ed images need is in the arguments: role, turns and the pipe's descriptor. */
static void become(enum role role)
{
	char role_text[24], turns_text[24], fd_text[24];

	snprintf(role_text, sizeof(role_text), "%d", role);
	snprintf(turns_text, sizeof(turns_text), "%" PRIu64, turns);
	snprintf(fd_text, sizeof(fd_text), "%d", pipe_fds[1]);
	execl("/proc/self/exe", "exe", role_text, turns_text, fd_text, NULL);
	_exit(127);
}

static void spawn(enum role role)
{
	pid_t pid = role == VFORKED ? vfork() : fork();

	if (pid < 0)
		err(1, "cannot fork");
	if (pid)
		return;
	switch (role) {
	case FORKED:
		work(FORKED, pipe_fds[1]);
		_exit(0);
	case VFORKED:
		work(BORROWED, pipe_fds[1]);
		/* fall through */
	default:
		become(role);
	}
}

static void reap(void)
{
	int status;

	if (wait(&status) < 0 || status)
		errx(1, "a child failed with status %d", status);
}

int main(int argc, char **argv)
{
	static const enum role order[] = { FORKED, EXECED, VFORKED };
	uint64_t budget, begin, sums[ROLES] = { 0 }, children = 0;
	struct message message;
	unsigned running = 0;

	if (argc == 4) {
		turns = strtoull(argv[2], NULL, 10);
		work(atoi(argv[1]), atoi(argv[3]));
		return 0;
	}

	budget = cpu_budget_ns(argc, argv, 4);
	turns = turns_for_ns(5000000);
	if (pipe(pipe_fds))
		err(1, "cannot make a pipe");
	begin = wall_ns();
	while (sums[FORKED] + sums[EXECED] + sums[BORROWED] + sums[VFORKED] < budget &&
	       wall_ns() - begin < 120 * NS_PER_S) {
		for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
			if (running == TOGETHER) {
				reap();
				running--;
			}
			spawn(order[i]);
			running++;
			children++;
		}
		for (unsigned i = 0; i < ROLES; i++) {
			if (read(pipe_fds[0], &message, sizeof(message)) != sizeof(message) ||
			    message.role >= ROLES)
				errx(1, "a child did not tell its time");
			sums[message.role] += message.ns;
		}
	}
	while (running--)
		reap();
	for (unsigned i = 0; i < ROLES; i++)
		truth(names[i], sums[i]);
	truth("children", children);
	return 0;
}
