/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hostile rings: fuzz-rings [--rounds N] FILE..., files as gen-rings writes them.  The words are
 * those of a ring; the head is what the first ones say.  What comes out of the reader keeps its
 * promises, and blocks are what a simple table says.
 */
#include "rings/reader.h"

#include <sys/mman.h>

#include "mutate.h"
#include "record/blocks.h"

#define MOST_ADDRESSES 256u

static void *rings_at(void)
{
	static void *rings;

	if (!rings)
		rings = mmap(NULL, spt_rings_bytes(), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	g_assert_true(rings != MAP_FAILED);
	return rings;
}

/* The same addresses come again and again: tables of blocks grow and shrink. */
static void take(SptBlocks *blocks, bool *is_there, const SptRingRecord *record)
{
	uint64_t address = record->address % MOST_ADDRESSES + 1;
	SptBlock *block = spt_blocks_find(blocks, address);

	g_assert_cmpint(block != NULL, ==, is_there[address - 1]);
	if (block)
		spt_blocks_remove(blocks, block);
	else
		spt_blocks_get(blocks, address);
	is_there[address - 1] = !is_there[address - 1];
}

static void check(const SptRingRecord *record)
{
	static volatile uint64_t sum;

	g_assert_cmpuint(record->type, <=, SPT_RING_CODE);
	g_assert_cmpuint(record->node, <, SPT_NODE_MOST);
	if (record->type == SPT_RING_NODE)
		g_assert_cmpuint(record->parent, <, SPT_NODE_MOST);
	g_assert_cmpuint(record->address & ~SPT_NODE_EXACT, <=, SPT_RING_POINTER_MASK);
	if (record->type == SPT_RING_CODE) {
		g_assert_cmpuint(record->node, <=, SPT_RING_CODE_MOST);
		g_assert_cmpuint(record->n_words, >=, SPT_RING_CODE_WORDS);
		g_assert_cmpuint(record->n_words, <=, SPT_RING_MORE_MASK);
		/* All of them are there to be read. */
		for (unsigned i = 0; i < record->n_words; i++)
			sum += record->words[i];
	}
	if (record->type == SPT_RING_OBJECT)
		g_assert_cmpuint(strlen(record->path), <, SPT_RING_PATH_WORDS * 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	void *rings = rings_at();
	struct spt_ring_slot *slot = spt_rings_slot(rings, 0);
	uint64_t *words = spt_rings_words(rings, 0);
	size_t n = MIN(bytes / 8, SPT_RING_WORDS);
	bool is_there[MOST_ADDRESSES] = { false };
	SptBlocks blocks = { 0 };
	SptRingReader reader;
	SptRingRecord record;
	unsigned n_records = 0;

	if (!n)
		return 0;
	memcpy(words, data, n * 8);
	/* From where the ring wraps, on some. */
	slot->tail = data[0] & 1 ? 0 : UINT32_MAX - 100;
	if (slot->tail)
		for (size_t i = 0; i < n; i++)
			memcpy(&words[(slot->tail + i) & (SPT_RING_WORDS - 1)], data + 8 * i, 8);
	spt_ring_reader_init(&reader, rings, 0);
	/* In two parts, and then a head that is no head. */
	for (unsigned part = 1; part <= 3; part++) {
		uint32_t begin = reader.at;

		slot->head = part < 3 ? slot->tail + (uint32_t)n * part / 2 :
					slot->tail + (uint32_t)data[bytes / 2] * 1000003u;
		spt_ring_reader_begin(&reader);
		while (spt_ring_reader_next(&reader, &record)) {
			check(&record);
			if (spt_ring_type_is_event(record.type))
				take(&blocks, is_there, &record);
			g_assert_cmpuint(++n_records, <=, 4 * SPT_RING_WORDS);
		}
		g_assert_true(reader.is_broken || reader.at - begin <= SPT_RING_WORDS);
		g_assert_cmpuint(reader.at, ==, reader.end);
		if (part == 2)
			spt_ring_reader_end(&reader);
	}
	spt_blocks_clear(&blocks);
	return 0;
}

#ifndef SPT_LIBFUZZER

int main(int argc, char **argv)
{
	return mutate_main(argc, argv, "fuzz-rings", mutate_bytes);
}

#endif
