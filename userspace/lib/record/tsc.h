/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stamps of the CPU's time stamp counter as times. */
#ifndef SPT_TSC_H
#define SPT_TSC_H

#include <stdbool.h>
#include <stdint.h>

/* The kernel has checked that it runs at a constant pace, and equally on all CPUs. */
bool spt_tsc_is_usable(void);

/*
 * A stamp and CLOCK_MONOTONIC in ns of the same instant: between two readings, one after the other,
 * a thread may lose its CPU for milliseconds.  Without @is_tsc the stamp is the clock.
 */
void spt_tsc_look(bool is_tsc, uint64_t *ret_stamp, uint64_t *ret_ns);

#endif
