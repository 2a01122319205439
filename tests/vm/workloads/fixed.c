// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A fixed number of turns of a loop below 20 frames, given as the first argument: how much longer
 * it takes under a profiler is what the profiler costs.  Without an argument, prints how many turns
 * take a second of CPU time here.
 */
#include "workload.h"

#define DEPTH	20

FUNCTION static void fixed_work(uint64_t turns, unsigned depth)
{
	if (depth)
		fixed_work(turns, depth - 1);
	else
		spin(turns, 1);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	uint64_t begin_wall, begin_cpu;

	if (argc < 2) {
		printf("%" PRIu64 "\n", turns_for_ns(NS_PER_S));
		return 0;
	}
	begin_wall = wall_ns();
	begin_cpu = process_cpu_ns();
	fixed_work(strtoull(argv[1], NULL, 10), DEPTH);
	truth("cpu", process_cpu_ns() - begin_cpu);
	truth("wall", wall_ns() - begin_wall);
	return 0;
}
