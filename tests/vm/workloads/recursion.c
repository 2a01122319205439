// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recursion, at every level of which some work is done: a function that calls itself 80 deep, two
 * that call each other 80 deep, and one so deep that the stack is cut off (400 deep, or the second
 * argument).  However often a function is on a stack, a sample counts once.
 */
#include "workload.h"

#define DEPTH	80
#define ABYSS	400

static unsigned bottom = ABYSS;
static uint64_t unit, deep, mutual, bottomless, last;

/*
 * Time since the last lap.  Asking for it takes some, most of all in an emulator: it is asked by
 * the function whose lap ends, and by one with a frame, for a caller of one that has none is hidden
 * from a walk along frame pointers.
 */
FUNCTION static uint64_t lap(void)
{
	uint64_t begin = last;

	last = thread_cpu_ns();
	return last - begin;
}

FUNCTION static void dive(unsigned depth)
{
	spin(unit, 1);
	if (depth)
		dive(depth - 1);
	if (depth == DEPTH)
		deep += lap();
	AFTER_CALL();
}

FUNCTION static void pong(unsigned depth);

FUNCTION static void ping(unsigned depth)
{
	spin(unit, 2);
	if (depth)
		pong(depth - 1);
	if (depth == DEPTH)
		mutual += lap();
	AFTER_CALL();
}

FUNCTION static void pong(unsigned depth)
{
	spin(unit, 3);
	if (depth)
		ping(depth - 1);
	AFTER_CALL();
}

FUNCTION static void abyss(unsigned depth)
{
	spin(unit, 4);
	if (depth)
		abyss(depth - 1);
	if (depth == bottom)
		bottomless += lap();
	AFTER_CALL();
}

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc, argv, 4);

	if (argc > 2)
		bottom = atoi(argv[2]);

	unit = turns_for_ns(4000);
	last = thread_cpu_ns();
	while (last < budget) {
		dive(DEPTH);
		dive(DEPTH);
		ping(DEPTH);
		abyss(bottom);
	}
	truth("dive", deep);
	truth("ping", mutual);
	truth("abyss", bottomless);
	return 0;
}
