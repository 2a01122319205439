/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that wait in known ways, and print what the kernel counted of each: "thread NAME TID",
 * nanoseconds of life, on a CPU and waiting for one, switches that it asked for and that it did
 * not; of who sleeps or waits for a lock "truth FUNCTION NANOSECONDS", too.
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ull
#define ROUNDS 100

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_mutex_t output = PTHREAD_MUTEX_INITIALIZER;

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* In functions of their own, whose callers are found without frame pointers, too. */
__attribute__((noipa)) static uint64_t take_a_nap(uint64_t ns)
{
	const struct timespec time = { .tv_nsec = (long)ns };
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);

	nanosleep(&time, NULL);
	return clock_ns(CLOCK_MONOTONIC) - begin;
}

__attribute__((noipa)) static void burn(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (volatile int i = 0; i < 1000; i++)
			;
}

__attribute__((noipa)) static uint64_t wait_for_lock(void)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), end;

	pthread_mutex_lock(&lock);
	end = clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_unlock(&lock);
	return end - begin;
}

__attribute__((noipa)) static void give_lock_back(void)
{
	pthread_mutex_unlock(&lock);
}

static uint64_t status_of(const char *key)
{
	FILE *file = fopen("/proc/thread-self/status", "re");
	char line[256];
	uint64_t value = 0;

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			value = strtoull(line + strlen(key), NULL, 10);
	if (file)
		fclose(file);
	return value;
}

static void tell(const char *name, uint64_t born)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "re");
	uint64_t ran = 0, delayed = 0;

	if (!file || fscanf(file, "%" SCNu64 " %" SCNu64, &ran, &delayed) != 2)
		fprintf(stderr, "there is no /proc/thread-self/schedstat\n");
	if (file)
		fclose(file);
	pthread_mutex_lock(&output);
	printf("thread %s %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name,
	       gettid(), clock_ns(CLOCK_MONOTONIC) - born, ran, delayed,
	       status_of("voluntary_ctxt_switches:"), status_of("nonvoluntary_ctxt_switches:"));
	pthread_mutex_unlock(&output);
}

static void tell_truth(const char *function, uint64_t ns)
{
	pthread_mutex_lock(&output);
	printf("truth %s %" PRIu64 "\n", function, ns);
	pthread_mutex_unlock(&output);
}

static void begin(const char *name, uint64_t *born)
{
	*born = clock_ns(CLOCK_MONOTONIC);
	prctl(PR_SET_NAME, name);
}

static void *sleeper(void *data)
{
	uint64_t born, asleep = 0;

	(void)data;
	begin("sleeper", &born);
	for (unsigned i = 0; i < ROUNDS; i++) {
		burn(2 * MS);
		asleep += take_a_nap(8 * MS);
	}
	tell_truth("take_a_nap", asleep);
	tell("sleeper", born);
	return NULL;
}

/* Holds the lock for 8 ms, in which the waiter comes for it. */
static void *holder(void *data)
{
	uint64_t born;

	(void)data;
	begin("holder", &born);
	for (unsigned i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		pthread_barrier_wait(&barrier);
		take_a_nap(8 * MS);
		give_lock_back();
		pthread_barrier_wait(&barrier);
	}
	tell("holder", born);
	return NULL;
}

static void *waiter(void *data)
{
	uint64_t born, waited = 0;

	(void)data;
	begin("waiter", &born);
	for (unsigned i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&barrier);
		waited += wait_for_lock();
		pthread_barrier_wait(&barrier);
	}
	tell_truth("wait_for_lock", waited);
	tell("waiter", born);
	return NULL;
}

static void *hog(void *data)
{
	uint64_t born;

	(void)data;
	begin("hog", &born);
	burn(600 * MS);
	tell("hog", born);
	return NULL;
}

static void run(void *(*const *functions)(void *), unsigned n)
{
	pthread_t threads[4];

	for (unsigned i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, functions[i], NULL);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	void *(*const sleepers[])(void *) = { sleeper };
	void *(*const hands[])(void *) = { holder, waiter };
	void *(*const hogs[])(void *) = { hog, hog, hog };
	const char *what = argc > 1 ? argv[1] : "";

	pthread_barrier_init(&barrier, NULL, 2);
	if (!strcmp(what, "sleeper"))
		run(sleepers, 1);
	else if (!strcmp(what, "mutex"))
		run(hands, 2);
	else if (!strcmp(what, "hogs"))
		run(hogs, 3);
	else
		return 2;
	return 0;
}
