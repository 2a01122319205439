// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three functions that share the CPU 50 : 30 : 20, in slices of 2.1 ms: longer than a tick, or
 * chance would have its say in who is hit.  The next slice is always that of the function that is
 * furthest behind its share by the thread's own clock, and the last only when the proportion holds:
 * it does so however evenly the machine runs.
 */
#include "workload.h"

#define FUNCTIONS	3
#define TOLERANCE	500	/* one in that many */

static uint64_t turns;

/*
 * Asking for the time takes some, most of all in an emulator, where what is overdue comes at the
 * end of a system call: it is asked in the slice.  With a frame of its own, for a caller of one
 * that has none is hidden from a walk along frame pointers.
 */
FUNCTION static uint64_t now_ns(void)
{
	return thread_cpu_ns();
}

FUNCTION static uint64_t burn_fifty(void)
{
	spin(turns, 50);
	return now_ns();
}

FUNCTION static uint64_t burn_thirty(void)
{
	spin(turns, 30);
	return now_ns();
}

FUNCTION static uint64_t burn_twenty(void)
{
	spin(turns, 20);
	return now_ns();
}

/*
 * A host that takes the CPU away in a slice gives it to that slice's function, by any clock; the
 * others have to catch up.
 */
static int are_balanced(const uint64_t *spent, const unsigned *shares)
{
	uint64_t sum = spent[0] + spent[1] + spent[2];

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		int64_t off = (int64_t)(spent[i] - sum / 100 * shares[i]);

		if ((uint64_t)(off < 0 ? -off : off) > sum / TOLERANCE)
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	static uint64_t (*const functions[FUNCTIONS])(void) = { burn_fifty, burn_thirty,
								burn_twenty };
	static const char *const names[FUNCTIONS] = { "burn_fifty", "burn_thirty", "burn_twenty" };
	static const unsigned shares[FUNCTIONS] = { 50, 30, 20 };
	uint64_t budget = cpu_budget_ns(argc, argv, 10), spent[FUNCTIONS] = { 0 }, now;

	turns = turns_for_ns(2100000);
	now = thread_cpu_ns();
	while (now < budget || (now < 2 * budget && !are_balanced(spent, shares))) {
		uint64_t begin = now;
		unsigned behind = 0;

		for (unsigned i = 1; i < FUNCTIONS; i++)
			if (spent[i] * shares[behind] < spent[behind] * shares[i])
				behind = i;
		now = functions[behind]();
		spent[behind] += now - begin;
	}
	for (unsigned i = 0; i < FUNCTIONS; i++)
		truth(names[i], spent[i]);
	truth("schedstat", schedstat_ns());
	return 0;
}
