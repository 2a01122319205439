// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads that get another name while they run.  The main thread calls itself "renamed", long after
 * the recorder has written its first name; a thread calls itself "at-once" as it begins; another one
 * is "early" for a while, and then "later"; of the last one the main thread changes the name.
 */
#include "workload.h"

#include <pthread.h>
#include <sys/prctl.h>

static uint64_t part_ns, turns;

FUNCTION static void thread_work(uint64_t ns)
{
	uint64_t until_ns = thread_cpu_ns() + ns;

	while (thread_cpu_ns() < until_ns)
		spin(turns, 8);
}

static void *run_first(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "at-once");
	thread_work(part_ns);
	return NULL;
}

static void *run_second(void *arg)
{
	(void)arg;
	pthread_setname_np(pthread_self(), "early");
	thread_work(part_ns);
	pthread_setname_np(pthread_self(), "later");
	thread_work(part_ns);
	return NULL;
}

static void *run_third(void *arg)
{
	pthread_barrier_wait(arg);
	thread_work(part_ns);
	return NULL;
}

int main(int argc, char **argv)
{
	void *(*const functions[])(void *) = { run_first, run_second, run_third };
	pthread_t threads[3];
	pthread_barrier_t named;

	part_ns = cpu_budget_ns(argc, argv, 3) / 6;
	turns = turns_for_ns(500000);
	pthread_barrier_init(&named, NULL, 2);
	thread_work(part_ns);
	for (unsigned i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, functions[i], &named))
			errx(1, "cannot start thread %u", i);
	pthread_setname_np(threads[2], "by-other");
	pthread_barrier_wait(&named);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	/* Its first name is in the file by then. */
	usleep(1500000);
	prctl(PR_SET_NAME, "renamed");
	thread_work(part_ns);
	return 0;
}
