/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes as they are in the file (format.md, "NODE"): most of them repeat what was met below the
 * same frame before, so that a node is a place in a short list, and a frame is stored once, as its
 * distance from one that should be near.
 */
#ifndef SPT_CAPTURE_NODES_H
#define SPT_CAPTURE_NODES_H

#include "capture/followers.h"

G_BEGIN_DECLS

typedef struct SptNodePacker SptNodePacker;

SptNodePacker *spt_node_packer_new(void);
void spt_node_packer_free(SptNodePacker *packer);
/* What comes is of another stash: all frames are stored again. */
void spt_node_packer_forget(SptNodePacker *packer);
/*
 * Appends what is written of the nodes of @stash from @first on: SptNodeRow, of new frames
 * SptFrame, packed, and SptOldFrameRow.  All nodes of a stash come in turn, from its first one on.
 * @base is added to parents.  Error: a clause.
 */
bool spt_node_packer_pack(SptNodePacker *packer, SptStash *stash, uint32_t first, uint32_t base,
			  GArray *rows, GArray *frames, GArray *old_frames, GError **error);

/* The way back.  Rows of frames are put behind frames and old_frames as they are read. */
typedef struct {
	SptStore frames;		/* SptFrame; from next_frame on still packed */
	SptStore old_frames;		/* SptOldFrameRow */
	SptStore of_nodes;		/* uint32_t by node of this epoch, from 1: its frame */
	SptFollowers followers;
	uint64_t before;		/* frames of epochs before that are still among them */
	uint64_t next_frame, next_old_frame;
	uint64_t nodes_before, frames_before;	/* of epochs before */
	uint32_t epoch;
} SptNodeUnpacker;

void spt_node_unpacker_init(SptNodeUnpacker *unpacker);
void spt_node_unpacker_clear(SptNodeUnpacker *unpacker);
uint64_t spt_node_unpacker_bytes(const SptNodeUnpacker *unpacker);
/* What spt_node_unpacker_bytes() may grow by with @n more nodes. */
uint64_t spt_node_unpacker_more_bytes(const SptNodeUnpacker *unpacker, uint64_t n);
/*
 * The node of @row, which gets the next id.  Its parent and its frame are there; its object is to
 * be checked.  Error: a clause.
 */
bool spt_node_unpacker_next(SptNodeUnpacker *unpacker, const SptNodeRow *row, SptNode *ret,
			    GError **error);
/* Those that nodes had so far, with the root's; a new epoch has new ones. */
uint32_t spt_node_unpacker_n_frames(const SptNodeUnpacker *unpacker);

G_END_DECLS

#endif
