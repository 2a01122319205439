// SPDX-License-Identifier: GPL-2.0-or-later
/* One thread that works all the time, and beside it 80 new ones a second: newcomers SECONDS. */
#include "workload.h"

#include <pthread.h>

#define EACH_US 12500
#define TURNS	100000

FUNCTION static void newcomers_work(uint64_t turns)
{
	spin(turns, 1);
}

static void *work_for_ever(void *data)
{
	for (;;)
		newcomers_work(TURNS);
	return data;
}

static void *work_once(void *data)
{
	newcomers_work(TURNS);
	return data;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) * (1000000 / EACH_US) : 0;
	pthread_t thread;

	if (pthread_create(&thread, NULL, work_for_ever, NULL))
		err(1, "cannot make a thread");
	while (n--) {
		if (pthread_create(&thread, NULL, work_once, NULL))
			err(1, "cannot make a thread");
		pthread_detach(thread);
		usleep(EACH_US);
	}
	return 0;
}
