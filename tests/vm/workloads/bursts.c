// SPDX-License-Identifier: GPL-2.0-or-later
/* Bursts of 0.3 ms of work every 2 ms. */
#include "pulses.h"

FUNCTION static void burst_work(uint64_t turns)
{
	spin(turns, 1);
}

int main(int argc, char **argv)
{
	return pulses(cpu_budget_ns(argc, argv, 8), 2000000, 300000, burst_work);
}
