// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that come and go while the hooks of waits are put in place: abi-births load, which goes
 * on until it is killed, and abi-births look.
 */
#include "waits.h"

#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define LOADERS	4
#define REST_NS	(300 * NS_PER_MS)

/* A child that ends at once, without a copy of anything. */
static int end_at_once(void *unused)
{
	(void)unused;
	syscall(SYS_exit, 0);
	return 0;
}

static void load(void)
{
	static uint64_t stack[4096];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		pid_t pid = clone(end_at_once, stack + 4096, CLONE_VM | CLONE_VFORK | SIGCHLD,
				  NULL);

		if (pid < 0)
			err(1, "clone");
		waitpid(pid, NULL, 0);
	}
}

static bool exists(uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/stat", tid);
	return !access(path, F_OK);
}

/* THREADs that are the same in both snapshots, of threads that there are not. */
static void test_phantoms(void)
{
	const struct timespec rest = { .tv_nsec = REST_NS };
	struct sysprof_source source = { .kind = SYSPROF_SOURCE_WAIT, .threshold = NS_PER_S };
	struct waits waits = { .session = session_open(NS_PER_S, 1U << 20) };
	struct kept early = { 0 }, late = { 0 };
	const struct sysprof_thread *thread, *again;
	unsigned n = 0, phantoms = 0;

	if (waits_ask(&waits, &source, 1))
		err(1, "SOURCES");
	waits_start(&waits);
	if (!waits_snapshot(&waits, &early))
		err(1, "SNAPSHOT");
	nanosleep(&rest, NULL);
	if (!waits_snapshot(&waits, &late))
		err(1, "SNAPSHOT");
	for_each_kept(thread, late) {
		n++;
		if (exists(thread->record.tid))
			continue;
		again = thread_of(&early, thread->record.tid);
		if (again && again->since == thread->since &&
		    again->start_time == thread->start_time && !phantoms++)
			printf("# thread %u, state %u, since %" PRIu64 " ms\n", thread->record.tid,
			       thread->state, (uint64_t)((thread->at - thread->since) / NS_PER_MS));
	}
	ok(n > 4 && !phantoms, "of %u threads %u do not exist", n, phantoms);
	session_close(&waits.session);
}

int main(int argc, char **argv)
{
	if (argc != 2 || (strcmp(argv[1], "load") && strcmp(argv[1], "look")))
		errx(2, "usage: abi-births load | look");
	if (!strcmp(argv[1], "look")) {
		test_phantoms();
		return tests_end();
	}
	for (unsigned i = 0; i < LOADERS; i++)
		if (!fork())
			load();
	pause();
	return 1;
}
