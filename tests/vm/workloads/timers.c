/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timers [SECONDS]: two threads that are to do something every millisecond.  "poll" sleeps by the
 * timeout of poll() after each time, so that what it does and each delay add up; "timerfd" waits
 * for a timer that keeps its beat.
 */
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 1000000
#define WORK_NS	  200000

static uint64_t end_ns;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool work(void)
{
	uint64_t until = now_ns(CLOCK_THREAD_CPUTIME_ID) + WORK_NS;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
	return now_ns(CLOCK_MONOTONIC) < end_ns;
}

static void *by_poll(void *data)
{
	(void)data;
	prctl(PR_SET_NAME, "poll");
	while (work())
		poll(NULL, 0, 1);
	return NULL;
}

static void *by_timerfd(void *data)
{
	const struct itimerspec beat = { { 0, PERIOD_NS }, { 0, PERIOD_NS } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t beats;

	(void)data;
	prctl(PR_SET_NAME, "timerfd");
	if (fd < 0 || timerfd_settime(fd, 0, &beat, NULL) < 0)
		abort();
	while (work())
		if (read(fd, &beats, sizeof(beats)) != sizeof(beats))
			abort();
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2;
	pthread_t poller, timer;

	end_ns = now_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
	pthread_create(&poller, NULL, by_poll, NULL);
	pthread_create(&timer, NULL, by_timerfd, NULL);
	pthread_join(poller, NULL);
	pthread_join(timer, NULL);
	return 0;
}
