// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recursion, at every level of which some work is done: a function that calls itself 80 deep, two that call each other 80 deep,
 * and one so deep that the stack is cut off.  However often a function is on a stack, a sample counts once.
 */
#include "workload.h"

#define DEPTH	80
#define ABYSS	400

static uint64_t unit;

/* Keeps the call from being the last thing its caller does. */
#define AFTER_CALL()	__asm__ volatile("" ::: "memory")

FUNCTION static void dive(unsigned depth)
{
	spin(unit, 1);
	if (depth)
		dive(depth - 1);
	AFTER_CALL();
}

FUNCTION static void pong(unsigned depth);

FUNCTION static void ping(unsigned depth)
{
	spin(unit, 2);
	if (depth)
		pong(depth - 1);
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
	AFTER_CALL();
}

static uint64_t timed(void (*function)(unsigned), unsigned depth)
{
	uint64_t begin = thread_cpu_ns();

	function(depth);
	return thread_cpu_ns() - begin;
}

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc, argv, 4), deep = 0, mutual = 0, bottomless = 0;

	unit = turns_for_ns(4000);
	while (process_cpu_ns() < budget) {
		deep += timed(dive, DEPTH);
		deep += timed(dive, DEPTH);
		mutual += timed(ping, DEPTH);
		bottomless += timed(abyss, ABYSS);
	}
	truth("dive", deep);
	truth("ping", mutual);
	truth("abyss", bottomless);
	return 0;
}
