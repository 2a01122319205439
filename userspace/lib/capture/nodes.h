/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Nodes as they are in the file (format.md, "NODE").  Most repeat a frame that was met below the
 * same frame before, so a node is a place in a short list.  A frame is stored once, as its distance
 * from one that is probably near.
 */
#ifndef SPT_CAPTURE_NODES_H
#define SPT_CAPTURE_NODES_H

#include "capture/followers.h"

G_BEGIN_DECLS

typedef struct SptNodePacker SptNodePacker;

SptNodePacker *spt_node_packer_new(void);
void spt_node_packer_free(SptNodePacker *packer);
/* The next nodes are from another stash: stores all frames again. */
void spt_node_packer_forget(SptNodePacker *packer);
/*
 * Appends the rows of the nodes of @stash from @first on: SptNodeRow, packed SptFrame of new
 * frames, and SptOldFrameRow.  The nodes of a stash must come in turn, from its first one on.
 * @base is added to parents.  Error: a clause.
 */
bool spt_node_packer_pack(SptNodePacker *packer, SptStash *stash, uint32_t first, uint32_t base,
			  GArray *rows, GArray *frames, GArray *old_frames, GError **error);

/* Decodes them.  Rows of frames are put behind frames and old_frames as they are read. */
typedef struct {
	SptStore frames;		/* SptFrame; from next_frame on still packed */
	SptStore old_frames;		/* SptOldFrameRow */
	SptStore of_nodes;		/* uint32_t by node of this epoch, from 1: its frame */
	SptFollowers followers;
	uint64_t before;		/* frames of earlier epochs that are still among them */
	uint64_t next_frame, next_old_frame;
	uint64_t nodes_before, frames_before;	/* of earlier epochs */
	uint32_t epoch;
} SptNodeUnpacker;

void spt_node_unpacker_init(SptNodeUnpacker *unpacker);
void spt_node_unpacker_clear(SptNodeUnpacker *unpacker);
uint64_t spt_node_unpacker_bytes(const SptNodeUnpacker *unpacker);
/* Most bytes by which spt_node_unpacker_bytes() grows with @n more nodes. */
uint64_t spt_node_unpacker_more_bytes(const SptNodeUnpacker *unpacker, uint64_t n);
/*
 * The node of @row, which gets the next id.  Its parent and its frame exist; the caller checks its
 * object.  Error: a clause.
 */
bool spt_node_unpacker_next(SptNodeUnpacker *unpacker, const SptNodeRow *row, SptNode *ret,
			    GError **error);
/* Number of frames of the nodes so far, with the root's.  A new epoch has new ones. */
uint32_t spt_node_unpacker_n_frames(const SptNodeUnpacker *unpacker);

G_END_DECLS

#endif
