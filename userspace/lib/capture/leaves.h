/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of all samples by process image and node, while they grow. */
#ifndef SPT_CAPTURE_LEAVES_H
#define SPT_CAPTURE_LEAVES_H

#include "capture/capture.h"

G_BEGIN_DECLS

/* They become so many times as large when they are full: to put all of them into their slots again costs more than the room. */
#define SPT_LEAVES_GROWTH 4

/* Zero it to begin. */
typedef struct {
	SptLeafRow *rows;
	uint64_t n;
	uint32_t *slots;		/* number of the row, from 1; 0 if free */
	uint64_t n_slots;		/* a power of two, or 0 */
} SptLeaves;

/* Room for @n more rows.  False if there is not enough memory. */
bool spt_leaves_reserve(SptLeaves *leaves, uint64_t n);
/* Of what is there now, in bytes. */
uint64_t spt_leaves_bytes(const SptLeaves *leaves);
/* @n samples, for which there is room, of the processes of @threads.  @sign: 1, or -1 to take them back. */
void spt_leaves_add(SptLeaves *leaves, const SptSampleRow *samples, unsigned n, const SptThreadRow *threads, int sign);
void spt_leaves_clear(SptLeaves *leaves);
/* The rows that have samples; the rest is gone. */
SptLeafRow *spt_leaves_steal(SptLeaves *leaves, uint64_t *ret_n);

G_END_DECLS

#endif
