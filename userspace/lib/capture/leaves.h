/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of all samples by process image and node, while they grow. */
#ifndef SPT_CAPTURE_LEAVES_H
#define SPT_CAPTURE_LEAVES_H

#include "capture/capture.h"

G_BEGIN_DECLS

struct spt_process_leaves;

/* Zero it to begin. */
typedef struct {
	struct spt_process_leaves *processes;	/* by id */
	uint32_t n_processes;
	uint64_t bytes;				/* that all of it takes */
} SptLeaves;

/* @n samples, of the processes of @threads, which have ids below @n_processes.  @sign: 1, or -1 to take them back.  False if that would take more
 * than @room bytes more, or there is not as much memory; then the sums are of no use any more. */
bool spt_leaves_add(SptLeaves *leaves, const SptSampleRow *samples, unsigned n, const SptThreadRow *threads, uint32_t n_processes, int sign,
		    uint64_t room);
void spt_leaves_clear(SptLeaves *leaves);
/* The rows that have samples, by process; the rest is gone. */
SptLeafRow *spt_leaves_steal(SptLeaves *leaves, uint64_t *ret_n);

G_END_DECLS

#endif
