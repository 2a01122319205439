// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Eight threads in competition for the CPUs: worker-N takes (N + 1) / 36 of the whole.  Each tells what the scheduler
 * charged to it: "thread TID NAME NS".
 */
#include "workload.h"

#include <pthread.h>
#include <sys/syscall.h>

#define THREADS	8
#define SHARES	(THREADS * (THREADS + 1) / 2)

static uint64_t budget, turns;

FUNCTION static void thread_work(uint64_t until_ns)
{
	while (thread_cpu_ns() < until_ns)
		spin(turns, 8);
}

static void *run(void *arg)
{
	unsigned number = (uintptr_t)arg;
	char name[16];

	snprintf(name, sizeof(name), "worker-%u", number);
	pthread_setname_np(pthread_self(), name);
	thread_work(budget * (number + 1) / SHARES);
	printf("thread %ld %s %" PRIu64 "\n", syscall(SYS_gettid), name, schedstat_ns());
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	budget = cpu_budget_ns(argc, argv, 16);
	turns = turns_for_ns(500000);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			errx(1, "cannot start thread %u", (unsigned)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("thread %ld %s %" PRIu64 "\n", syscall(SYS_gettid), "threads", schedstat_ns());
	return 0;
}
