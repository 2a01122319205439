/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a child does whose stacks must lead through its calls to its beginning: it calls itself
 * DEPTH deep, or half of that below a larger frame.
 */
#ifndef SINK_H
#define SINK_H

#include "workload.h"

#define DEPTH		60

static uint64_t unit;

FUNCTION static void dive(unsigned depth)
{
	spin(unit, 1);
	if (depth)
		dive(depth - 1);
	AFTER_CALL();
}

/* Has something to keep on the stack, and more of it than fits into one instruction. */
FUNCTION static void plunge(unsigned depth)
{
	uint64_t words[200];

	for (unsigned i = 0; i < 200; i++)
		words[i] = i;
	__asm__ volatile("" : : "r"(words) : "memory");
	dive(depth);
	__asm__ volatile("" : : "r"(words) : "memory");
}

FUNCTION static void sink(void)
{
	for (;;) {
		dive(DEPTH);
		plunge(DEPTH / 2);
	}
}

#endif
