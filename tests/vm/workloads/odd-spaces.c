/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes with other rights, and in other namespaces, than the one that records them: HOW, one of
 *
 *   work       8 threads allocate, with pauses.
 *   pid        The same in a PID namespace.
 *   user       In a user and a PID namespace.
 *   drop       Threads allocate while root becomes nobody, and more of them behind that.
 *   groups     Only the group changes.
 *   chroot DIR In another root.
 *   closed     No descriptor is open.
 *   execs      No descriptor is open, and then it becomes another program.
 *   idle       Threads that allocate every 0.7 s, in a PID namespace.
 *   rest DIR   In a PID namespace and another root, so that nobody knows their numbers: threads
 *              that rest for longer than the recorder keeps what they have; then they and new
 *              ones allocate.
 */
#include <grp.h>
#include <linux/close_range.h>
#include <sched.h>

#include "odd.h"

#define N_THREADS 8
#define NOBODY	  65534
/* More than IDLE_NS of lib/record/memory-rings.c. */
#define REST_MS	  6500

static unsigned n_calls = 60000;
static bool may_go_on;
static pthread_barrier_t rested;

static void *allocate(void *data)
{
	for (unsigned i = 0; i < 4; i++) {
		odd_allocate(n_calls / 4);
		counted_wait();
	}
	return data;
}

static void *allocate_until(void *data)
{
	do {
		odd_allocate(1000);
		counted_wait();
	} while (!__atomic_load_n(&may_go_on, __ATOMIC_ACQUIRE));
	odd_allocate(1000);
	return data;
}

static void work(void)
{
	pthread_t threads[N_THREADS];

	for (unsigned i = 0; i < N_THREADS; i++)
		odd_start(&threads[i], allocate, NULL);
	allocate(NULL);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void *allocate_seldom(void *data)
{
	for (unsigned i = 0; i < 4; i++) {
		odd_allocate(n_calls);
		counted_wait();
		odd_pause(700);
	}
	return data;
}

/* The rings of threads are empty while the recorder looks for those that have ended. */
static void idle(void)
{
	pthread_t threads[3];

	for (unsigned i = 0; i < 3; i++)
		odd_start(&threads[i], allocate_seldom, NULL);
	for (unsigned i = 0; i < 4; i++) {
		pid_t child = fork();

		if (child == 0) {
			odd_allocate(5000);
			counted_wait();
			_exit(0);
		}
		odd_await(child, "a child in between");
		odd_allocate(100);
		odd_pause(600);
	}
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void *allocate_and_rest(void *data)
{
	odd_allocate(5000);
	counted_wait();
	odd_pause(REST_MS);
	/* Several at a time, and none of them writes where another one does. */
	pthread_barrier_wait(&rested);
	odd_allocate(5000);
	counted_wait();
	return data;
}

static void *allocate_behind(void *data)
{
	pthread_barrier_wait(&rested);
	odd_allocate(5000);
	counted_wait();
	return data;
}

static void rest(const char *directory)
{
	pthread_t threads[6];

	/* Before the first call of the child, which numbers it. */
	if (chroot(directory) || chdir("/"))
		err(1, "cannot change the root");
	pthread_barrier_init(&rested, NULL, 6);
	for (unsigned i = 0; i < 6; i++) {
		if (i == 3)
			odd_pause(REST_MS);
		odd_start(&threads[i], i < 3 ? allocate_and_rest : allocate_behind, NULL);
	}
	for (unsigned i = 0; i < 6; i++)
		pthread_join(threads[i], NULL);
}

static void change(const char *how, const char *directory)
{
	pthread_t threads[4];

	for (unsigned i = 0; i < 4; i++)
		odd_start(&threads[i], allocate_until, NULL);
	odd_pause(20);
	if (strcmp(how, "drop") == 0 && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
		err(1, "cannot drop rights");
	if (strcmp(how, "groups") == 0 && (setgroups(0, NULL) || setgid(NOBODY)))
		err(1, "cannot change the group");
	if (strcmp(how, "chroot") == 0 && (chroot(directory) || chdir("/")))
		err(1, "cannot change the root");
	if (strcmp(how, "closed") == 0)
		closefrom(3);
	if (strcmp(how, "execs") == 0) {
		/* The other threads end in the middle of a call. */
		odd_counts->unsure = 4;
		closefrom(3);
		execl("/proc/self/exe", "odd-spaces", "execed", NULL);
		err(1, "exec");
	}
	if (strcmp(how, "closed") == 0 && close_range(0, ~0U, 0))
		_exit(1);
	work();
	__atomic_store_n(&may_go_on, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* Which may be in another namespace than its parent. */
static void run_child(const char *how, const char *directory)
{
	bool is_user = strcmp(how, "user") == 0, is_idle = strcmp(how, "idle") == 0,
	     is_rest = strcmp(how, "rest") == 0;
	pid_t child;

	if ((is_user && unshare(CLONE_NEWUSER | CLONE_NEWPID)) ||
	    ((is_idle || is_rest || strcmp(how, "pid") == 0) && unshare(CLONE_NEWPID)))
		err(1, "no namespace");
	child = fork();
	if (child == 0) {
		if (is_idle)
			idle();
		else if (is_rest)
			rest(directory);
		else
			change(how, directory);
		_exit(0);
	}
	odd_await(child, how);
	odd_allocate(10);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "work";
	pid_t child;

	odd_begin();
	odd_allocate(10);
	if (strcmp(how, "execed") == 0) {
		work();
		return 0;
	}
	child = fork();
	if (child == 0)
		run_child(how, argc > 2 ? argv[2] : "/");
	odd_await(child, how);
	/* What one process may not does not end the recording of another one. */
	work();
	odd_allocate(10);
	printf("%s: done\n", how);
	return 0;
}
