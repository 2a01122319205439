/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sums of all samples by process image and node, and by thread, while they grow. */
#ifndef SPT_CAPTURE_LEAVES_H
#define SPT_CAPTURE_LEAVES_H

#include "capture/store.h"

G_BEGIN_DECLS

/* Begins zeroed. */
typedef struct {
	SptLeafRow *rows;
	/* Per row: the number, from 1, of the previous row of the same node; 0: there is none. */
	uint32_t *before;
	uint32_t n, room;
	uint32_t *last, n_nodes;	/* per node: the number of its latest row, or 0 */
	uint32_t *first, n_processes;	/* per process: the number of its first row, or 0 */
	uint64_t *threads, n_threads;	/* per thread: the weight of its samples */
	uint64_t bytes;			/* memory of all of it */
} SptLeaves;

/*
 * Adds @n samples.  Nodes are below @n_nodes, processes of @threads below @n_processes.  False if
 * that would take more than @room additional bytes, or memory is short; then the sums cannot be
 * used any more.
 */
bool spt_leaves_add(SptLeaves *leaves, const SptSampleRow *samples, unsigned n,
		    const SptStore *threads, uint32_t n_processes, uint32_t n_nodes,
		    uint64_t room);
void spt_leaves_clear(SptLeaves *leaves);
/* Gives the sums to @capture, which has its threads; the rest is freed. */
void spt_leaves_finish(SptLeaves *leaves, SptCapture *capture);

G_END_DECLS

#endif
