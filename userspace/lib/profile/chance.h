/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far chance may move a share of samples.  A tick finds a function with the probability that is
 * its share of the CPU time; so n ticks are like n throws of a die.
 */
#ifndef SPT_CHANCE_H
#define SPT_CHANCE_H

#include <glib.h>
#include <stdint.h>

G_BEGIN_DECLS

/* From 0 to 1. */
typedef struct {
	double low, high;
} SptRange;

/*
 * Where the true share is in 19 of 20 recordings, if @n samples have @share of 0 to 1: Wilson's
 * interval, which holds for small shares and few samples, too.  Without samples it is all of 0..1.
 */
SptRange spt_chance_range(double share, uint64_t n);

G_END_DECLS

#endif
