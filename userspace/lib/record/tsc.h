/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether stamps of the CPU's time stamp counter can be times. */
#ifndef SPT_TSC_H
#define SPT_TSC_H

#include <stdbool.h>

/* The kernel has checked that it runs at a constant pace, and equally on all CPUs. */
bool spt_tsc_is_sound(void);

#endif
