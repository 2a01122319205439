// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Another way through a maze each time: nearly every sample has a stack that no other has.  What
 * keeps stacks in memory grows with it.
 */
#include "workload.h"

#define DEPTH	60

static uint64_t turns;

FUNCTION static void left(unsigned depth, uint64_t way);

FUNCTION static void right(unsigned depth, uint64_t way)
{
	if (!depth)
		spin(turns, 1);
	else if (way & 1)
		left(depth - 1, way >> 1);
	else
		right(depth - 1, way >> 1);
}

FUNCTION static void left(unsigned depth, uint64_t way)
{
	if (!depth)
		spin(turns, 2);
	else if (way & 1)
		right(depth - 1, way >> 1);
	else
		left(depth - 1, way >> 1);
}

int main(int argc, char **argv)
{
	uint64_t budget = cpu_budget_ns(argc, argv, 4), way = 1;

	turns = turns_for_ns(20000);
	while (process_cpu_ns() < budget) {
		way = way * 6364136223846793005ULL + 1442695040888963407ULL;
		left(DEPTH, way ^ way >> 32);
	}
	return 0;
}
