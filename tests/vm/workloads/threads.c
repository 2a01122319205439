// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Eight threads in competition for the CPUs: worker-N takes (N + 1) / 36 of the whole.  What the
 * scheduler charged to each is printed when all are at rest, so that asking for it is not a part of
 * it: "thread TID NAME NS".
 */
#include "workload.h"

#include <pthread.h>

#define THREADS	8
#define SHARES	(THREADS * (THREADS + 1) / 2)

static uint64_t budget, turns;
static pthread_barrier_t worked, asked;
static pid_t tids[THREADS];

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
	tids[number] = gettid();
	thread_work(budget * (number + 1) / SHARES);
	pthread_barrier_wait(&worked);
	pthread_barrier_wait(&asked);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	budget = cpu_budget_ns(argc, argv, 16);
	turns = turns_for_ns(500000);
	pthread_barrier_init(&worked, NULL, THREADS + 1);
	pthread_barrier_init(&asked, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			errx(1, "cannot start thread %u", (unsigned)i);
	pthread_barrier_wait(&worked);
	for (unsigned i = 0; i < THREADS; i++)
		printf("thread %d worker-%u %" PRIu64 "\n", tids[i], i, schedstat_of(tids[i]));
	pthread_barrier_wait(&asked);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
