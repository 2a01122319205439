/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes that a thread has written into its ring, by the hash of the stack that each is. */
#ifndef SPT_PRELOAD_NODES_H
#define SPT_PRELOAD_NODES_H

#include "thread.h"

/*
 * The hash of a stack: of the one around it, and of its innermost address.  Of the 2^19 that a
 * thread may write, two have the same one in one of 2^27 programs.
 */
static inline uint64_t spt_path_inside(uint64_t path, uint64_t pc)
{
	return ((path << 32 | path >> 32) ^ pc) * 0x9e3779b97f4a7c15ULL;
}

/* A table of n places begins at the n-th one. */
static inline struct spt_known_node *spt_node_place(struct spt_thread *thread, uint64_t path)
{
	uint64_t at = path >> thread->node_shift, n = thread->n_places;

	while (__builtin_expect(thread->nodes[n + at].path != path, 0) &&
	       thread->nodes[n + at].node)
		at = (at + 1) & (n - 1);
	return &thread->nodes[n + at];
}

/* An empty table for @n nodes; their places are zero. */
void spt_nodes_begin(struct spt_thread *thread, uint32_t n);
void spt_node_add(struct spt_thread *thread, uint64_t path, uint32_t node);
/* Writes a node, and before it what its address is in.  Returns its number. */
uint32_t spt_node_tell(struct spt_thread *thread, uint32_t parent, uint64_t pc);
/* Writes the node of the kept @frame, and before it those of frames around it that have none. */
struct spt_known_node *spt_nodes_tell(struct spt_thread *thread, struct spt_frame *frame);
/* The node of @pc inside of node @parent. */
uint32_t spt_node_inside(struct spt_thread *thread, uint32_t parent, uint64_t pc);

#endif
