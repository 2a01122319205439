/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open-addressing table that leaves no hole when a block is removed: later entries move up. */
#include "record/blocks.h"

#include "base/heap.h"

#define LEAST_ROOM 1024u

static uint64_t place_of(const SptBlocks *blocks, uint64_t address)
{
	return (address * 0x9e3779b97f4a7c15ULL) >> 20 & (blocks->room - 1);
}

void spt_blocks_clear(SptBlocks *blocks)
{
	g_free(blocks->blocks);
	*blocks = (SptBlocks){ 0 };
}

void spt_blocks_fetch(const SptBlocks *blocks, uint64_t address)
{
	if (blocks->n)
		__builtin_prefetch(&blocks->blocks[place_of(blocks, address)]);
}

SptBlock *spt_blocks_find(const SptBlocks *blocks, uint64_t address)
{
	if (!blocks->n)
		return NULL;
	for (uint64_t i = place_of(blocks, address); blocks->blocks[i].address;
	     i = (i + 1) & (blocks->room - 1))
		if (blocks->blocks[i].address == address)
			return &blocks->blocks[i];
	return NULL;
}

static SptBlock *put(SptBlocks *blocks, const SptBlock *block)
{
	uint64_t i = place_of(blocks, block->address);

	while (blocks->blocks[i].address)
		i = (i + 1) & (blocks->room - 1);
	blocks->blocks[i] = *block;
	return &blocks->blocks[i];
}

static void grow(SptBlocks *blocks)
{
	SptBlocks old = *blocks;

	blocks->room = MAX(LEAST_ROOM, 2 * old.room);
	blocks->blocks = g_new0(SptBlock, blocks->room);
	spt_heap_want_large_pages(blocks->blocks, blocks->room * sizeof(SptBlock));
	for (uint64_t i = 0; i < old.room; i++)
		if (old.blocks[i].address)
			put(blocks, &old.blocks[i]);
	g_free(old.blocks);
}

SptBlock *spt_blocks_add(SptBlocks *blocks, const SptBlock *block)
{
	if (blocks->n >= blocks->room / 2)
		grow(blocks);
	blocks->n++;
	return put(blocks, block);
}

void spt_blocks_remove(SptBlocks *blocks, SptBlock *block)
{
	uint64_t hole = (uint64_t)(block - blocks->blocks), mask = blocks->room - 1;

	for (uint64_t i = (hole + 1) & mask; blocks->blocks[i].address; i = (i + 1) & mask) {
		uint64_t home = place_of(blocks, blocks->blocks[i].address);

		/* Entries whose slot is between the hole and here stay. */
		if (((i - home) & mask) < ((i - hole) & mask))
			continue;
		blocks->blocks[hole] = blocks->blocks[i];
		hole = i;
	}
	blocks->blocks[hole].address = 0;
	blocks->n--;
}
