// SPDX-License-Identifier: GPL-2.0-or-later
/* One of three libraries of the same layout that dlchurn maps over each other. */
#include "workload.h"

__attribute__((visibility("default"))) void churn_work(uint64_t turns);

FUNCTION static void blue_work(uint64_t turns)
{
	spin(turns, 1);
}

void churn_work(uint64_t turns)
{
	blue_work(turns);
	__asm__ volatile("" ::: "memory");
}
