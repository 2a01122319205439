/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time of a clock as one number. */
#ifndef SPT_CLOCK_H
#define SPT_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds of @clock, such as CLOCK_MONOTONIC. */
static inline uint64_t spt_clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
