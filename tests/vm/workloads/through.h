/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who calls into which of the libraries that churn: below through_red() there is libchurn-red.so
 * and nothing else.
 */
#ifndef THROUGH_H
#define THROUGH_H

#include "workload.h"

typedef void (*work_function)(uint64_t turns);

FUNCTION static void through_red(work_function work, uint64_t turns)
{
	work(turns);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void through_green(work_function work, uint64_t turns)
{
	work(turns);
	__asm__ volatile("" :: "r"(1) : "memory");
}

FUNCTION static void through_blue(work_function work, uint64_t turns)
{
	work(turns);
	__asm__ volatile("" :: "r"(2) : "memory");
}

#endif /* THROUGH_H */
