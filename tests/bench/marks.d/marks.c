/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a mark costs its program: prints the least and the median of many rounds, in ns.  -DSPT,
 * -DSYSPROF, -DLTTNG, -DTRACY or -DCLOCK says whose.  A round is short, and time passes between
 * them, so that rings have room: what finds none costs less.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#if defined(SPT)
#include <spt/mark.h>
#define MARK() spt_mark_instant("interface", "key", "pressed")
#elif defined(SYSPROF)
#include <sysprof-capture.h>
#define MARK() sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 0, "interface", "key", "pressed")
#elif defined(LTTNG)
#define TRACEPOINT_CREATE_PROBES
#define TRACEPOINT_DEFINE
#include "lttng.h"
#define MARK() tracepoint(interface, key, "key", "pressed")
#elif defined(TRACY)
/* Two texts: its messages have no category. */
#include <tracy/TracyC.h>
#define MARK() TracyCMessageL("pressed")
#else
#define MARK() now_ns()
#endif

#define ROUNDS 400
#define MARKS  500

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

int main(void)
{
	static double rounds[ROUNDS];

	/* The first mark of a thread takes what it needs. */
	MARK();
	for (unsigned round = 0; round < ROUNDS; round++) {
		uint64_t begin = now_ns();

		for (unsigned i = 0; i < MARKS; i++)
			MARK();
		rounds[round] = (double)(now_ns() - begin) / MARKS;
		usleep(2000);
	}
	qsort(rounds, ROUNDS, sizeof(*rounds), compare);
	printf("%.1f %.1f\n", rounds[0], rounds[ROUNDS / 2]);
	return 0;
}
