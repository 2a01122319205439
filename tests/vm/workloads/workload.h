/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the known-answer workloads share: clocks, a loop that does nothing but take time, and the
 * way the truth is printed.
 *
 * A workload prints lines "truth KEY VALUE" that it measured itself, with clocks the profiler has
 * no part in.  It bounds itself by CPU time, because an emulated machine is 20 to 50 times slower
 * than a real one.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S	1000000000ULL

/*
 * A function that stays one, under its own name: the compiler neither inlines, copies nor merges
 * it.
 */
#define FUNCTION	__attribute__((noinline, noclone, used))

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

#define wall_ns()	clock_ns(CLOCK_MONOTONIC)
#define process_cpu_ns() clock_ns(CLOCK_PROCESS_CPUTIME_ID)
#define thread_cpu_ns()	clock_ns(CLOCK_THREAD_CPUTIME_ID)

/*
 * The same work per turn wherever it is inlined; @salt keeps two functions around it from being the
 * same code.
 */
static inline __attribute__((always_inline)) void spin(uint64_t turns, uint64_t salt)
{
	for (uint64_t i = 0; i < turns; i++) {
		salt = salt * 6364136223846793005ULL + i;
		__asm__ volatile("" : "+r"(salt));
	}
}

/* Turns of spin() that take @ns of CPU time here, measured over some ten milliseconds. */
static inline uint64_t turns_for_ns(uint64_t ns)
{
	uint64_t turns = 10000, spent;

	for (;;) {
		uint64_t begin = thread_cpu_ns();

		spin(turns, 1);
		spent = thread_cpu_ns() - begin;
		if (spent > 20000000)
			break;
		turns *= 2;
	}
	return (uint64_t)((double)turns * ns / spent) + 1;
}

/* Seconds of CPU time from the command line, or @fallback. */
static inline uint64_t cpu_budget_ns(int argc, char **argv, double fallback)
{
	double seconds = argc > 1 ? strtod(argv[1], NULL) : fallback;

	if (!(seconds > 0 && seconds < 1000))
		errx(2, "seconds of CPU time must be a number above 0 and below 1000, not '%s'",
		     argv[1]);
	return (uint64_t)(seconds * NS_PER_S);
}

/* Keeps the call from being the last thing its caller does. */
#define AFTER_CALL()	__asm__ volatile("" ::: "memory")

/* Time on a CPU as the scheduler counts it, of a thread of this process. */
static inline uint64_t schedstat_of(pid_t tid)
{
	char path[64];
	uint64_t ns = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%" SCNu64, &ns) != 1)
		err(1, "cannot read %s", path);
	fclose(file);
	return ns;
}

#define schedstat_ns()	schedstat_of(gettid())

static inline void truth(const char *key, uint64_t value)
{
	printf("truth %s %" PRIu64 "\n", key, value);
	fflush(stdout);
}

#endif
