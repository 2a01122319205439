/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An open-addressing table of small slots that leaves no hole when a block is removed: later slots
 * move up.  The blocks are in an array of their own.  The place of the block that was removed last
 * is used first, since it is still in the cache.
 */
#include "record/blocks.h"

#include "base/heap.h"

#define LEAST_SLOTS 1024u
#define LEAST_ROOM 512u

void spt_blocks_clear(SptBlocks *blocks)
{
	g_free(blocks->slots);
	g_free(blocks->blocks);
	*blocks = (SptBlocks){ 0 };
}

/* The slot of the block at @address, or the free one where its search ends. */
static inline struct spt_block_slot *blocks_search(SptBlocks *blocks, uint64_t address)
{
	struct spt_block_slot *slots = blocks->slots;
	uint32_t hash = spt_blocks_hash(address);
	uint64_t i = hash & blocks->mask;

	for (; slots[i].at; i = (i + 1) & blocks->mask)
		if (slots[i].hash == hash && blocks->blocks[slots[i].at - 1].address == address)
			break;
	blocks->found = i;
	return &slots[i];
}

SptBlock *spt_blocks_find(SptBlocks *blocks, uint64_t address)
{
	uint32_t at = blocks->n ? blocks_search(blocks, address)->at : 0;

	return at ? &blocks->blocks[at - 1] : NULL;
}

static void blocks_put(SptBlocks *blocks, struct spt_block_slot slot)
{
	uint64_t i = slot.hash & blocks->mask;

	while (blocks->slots[i].at)
		i = (i + 1) & blocks->mask;
	blocks->slots[i] = slot;
}

static void blocks_grow_slots(SptBlocks *blocks)
{
	struct spt_block_slot *old = blocks->slots;
	uint64_t n_old = old ? blocks->mask + 1 : 0, n = MAX(LEAST_SLOTS, 2 * n_old);

	blocks->mask = n - 1;
	blocks->slots = g_new0(struct spt_block_slot, n);
	spt_heap_want_large_pages(blocks->slots, n * sizeof(*blocks->slots));
	for (uint64_t i = 0; i < n_old; i++)
		if (old[i].at)
			blocks_put(blocks, old[i]);
	g_free(old);
}

/* The place of a new block: one that is free, else the next that was never used. */
static uint32_t take_place(SptBlocks *blocks)
{
	uint32_t at = blocks->free;

	if (at) {
		blocks->free = blocks->blocks[at - 1].node;
		return at;
	}
	if (blocks->n_used == blocks->room) {
		blocks->room = MAX(LEAST_ROOM, 2 * blocks->room);
		blocks->blocks = g_renew(SptBlock, blocks->blocks, blocks->room);
		spt_heap_want_large_pages(blocks->blocks, blocks->room * sizeof(SptBlock));
	}
	/* 2^32 blocks would take 160 GiB. */
	return ++blocks->n_used;
}

SptBlock *spt_blocks_get(SptBlocks *blocks, uint64_t address)
{
	struct spt_block_slot *slot;

	if (blocks->n >= (blocks->mask + 1) / 2)
		blocks_grow_slots(blocks);
	slot = blocks_search(blocks, address);
	if (!slot->at) {
		*slot = (struct spt_block_slot){ spt_blocks_hash(address), take_place(blocks) };
		blocks->blocks[slot->at - 1] = (SptBlock){ .address = address };
		blocks->n++;
	}
	return &blocks->blocks[slot->at - 1];
}

void spt_blocks_remove(SptBlocks *blocks, SptBlock *block)
{
	struct spt_block_slot *slots = blocks->slots;
	uint32_t at = (uint32_t)(block - blocks->blocks) + 1;
	uint64_t mask = blocks->mask, hole = blocks->found;

	if (slots[hole].at != at)
		hole = (uint64_t)(blocks_search(blocks, block->address) - slots);
	for (uint64_t i = (hole + 1) & mask; slots[i].at; i = (i + 1) & mask) {
		/* Slots whose place is between the hole and here stay. */
		if (((i - slots[i].hash) & mask) < ((i - hole) & mask))
			continue;
		slots[hole] = slots[i];
		hole = i;
	}
	slots[hole].at = 0;
	block->address = 0;
	block->node = blocks->free;
	blocks->free = at;
	blocks->n--;
}
