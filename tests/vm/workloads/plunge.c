// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Works at the bottom of a stack of some 20 KiB: a function with 1 KiB of its own that calls itself
 * 20 deep.
 */
#include "workload.h"

#define DEPTH	20
#define WORDS	128

static uint64_t unit;

FUNCTION static void plunge(unsigned depth)
{
	uint64_t words[WORDS];

	/* Who copies in an interrupt gets no page that was never touched. */
	words[0] = depth;
	__asm__ volatile("" : : "r"(words) : "memory");
	if (depth > 1)
		plunge(depth - 1);
	else
		spin(unit, 1);
	/* Keeps the call from being the last thing, and the words on the stack. */
	__asm__ volatile("" : : "r"(words) : "memory");
}

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc, argv, 4), begin = process_cpu_ns();

	unit = turns_for_ns(1000000);
	while (process_cpu_ns() < begin + budget)
		plunge(DEPTH);
	truth("plunge", process_cpu_ns() - begin);
	return 0;
}
