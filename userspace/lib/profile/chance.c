/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/chance.h"

#include <math.h>

/* A normal distribution has 19 of 20 within that many standard deviations. */
#define DEVIATIONS 1.959964

SptRange spt_chance_range(double share, uint64_t n)
{
	double square = DEVIATIONS * DEVIATIONS, all, middle, half;

	if (n == 0)
		return (SptRange){ 0, 1 };
	all = 1 + square / (double)n;
	middle = (share + square / (2 * (double)n)) / all;
	half = DEVIATIONS *
	       sqrt(share * (1 - share) / (double)n + square / (4.0 * (double)n * (double)n)) / all;
	return (SptRange){ MAX(middle - half, 0), MIN(middle + half, 1) };
}
