/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory of a process: the blocks that were allocated and not freed, by address.  A block
 * becomes a row when it is freed.  A block that lives at a flush becomes a row then, and another
 * one when it is freed.
 */
#ifndef SPT_BLOCKS_H
#define SPT_BLOCKS_H

#include <glib.h>
#include <stdbool.h>

#include "capture/capture.h"

G_BEGIN_DECLS

typedef struct {
	uint64_t address;		/* 0: no block */
	uint64_t bytes : 48;
	uint64_t flags : 8;		/* SPT_ALLOCATION_*; OPEN: it has a row */
	uint64_t owed : 8;		/* frees of this address that belong to earlier blocks */
	uint64_t time;			/* no other block's */
	uint64_t handle;
	uint32_t ring;			/* of the thread that allocated it */
	uint32_t node;			/* of the recorder's own stash */
} SptBlock;

struct spt_block_slot {
	uint32_t hash;
	uint32_t at;			/* in SptBlocks.blocks, plus one; 0: none */
};

typedef struct {
	SptBlock *blocks;		/* those whose address is 0 are free; node: the next such */
	uint32_t n_used;		/* of them */
	uint32_t free;			/* the first free one, plus one; 0: none */
	uint64_t room, n;
	struct spt_block_slot *slots;
	uint64_t mask;			/* the number of slots, a power of two, less one */
	uint64_t found;			/* the slot where the last search ended */
} SptBlocks;

static inline uint32_t spt_blocks_hash(uint64_t address)
{
	return (uint32_t)(address * 0x9e3779b97f4a7c15ULL >> 24);
}

/* Fetches the slot of a block with @address into the cache, for a find() that follows. */
static inline void spt_blocks_fetch(const SptBlocks *blocks, uint64_t address)
{
	__builtin_prefetch(&blocks->slots[spt_blocks_hash(address) & blocks->mask]);
}

/* Memory that they take. */
static inline uint64_t spt_blocks_bytes(const SptBlocks *blocks)
{
	return blocks->n_used * sizeof(SptBlock) +
	       (blocks->slots ? (blocks->mask + 1) * sizeof(struct spt_block_slot) : 0);
}

void spt_blocks_clear(SptBlocks *blocks);
/* The block at @address; NULL: there is none.  Blocks are valid until the next change. */
SptBlock *spt_blocks_find(SptBlocks *blocks, uint64_t address);
/* The same, but where there is none, one is added: all of it is 0 but the address. */
SptBlock *spt_blocks_get(SptBlocks *blocks, uint64_t address);
void spt_blocks_remove(SptBlocks *blocks, SptBlock *block);

G_END_DECLS

#endif
