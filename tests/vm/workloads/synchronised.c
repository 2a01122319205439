// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wakes at every full millisecond of the clock and works for 0.3 ms: in step with a profiler of
 * 1000 Hz.
 */
#include "pulses.h"

FUNCTION static void synchronised_work(uint64_t turns)
{
	spin(turns, 1);
}

int main(int argc, char **argv)
{
	return pulses(cpu_budget_ns(argc, argv, 8), 1000000, 300000, synchronised_work);
}
