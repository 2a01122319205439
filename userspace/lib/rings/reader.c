/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rings/reader.h"

#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

void spt_ring_reader_init(SptRingReader *reader, void *rings, uint32_t slot)
{
	uint32_t tail = __atomic_load_n(&spt_rings_slot(rings, slot)->tail, __ATOMIC_RELAXED);

	*reader = (SptRingReader){
		.rings = rings,
		.words = spt_rings_words(rings, slot),
		.slot = slot,
		.at = tail,
		.end = tail,
	};
}

static struct spt_ring_slot *reader_slot_of(const SptRingReader *reader)
{
	return spt_rings_slot(reader->rings, reader->slot);
}

bool spt_ring_reader_begin(SptRingReader *reader)
{
	/* Pairs with the release of the head by the writer. */
	uint32_t head = __atomic_load_n(&reader_slot_of(reader)->head, __ATOMIC_ACQUIRE);

	if (head - reader->at > SPT_RING_WORDS)
		reader->is_broken = true;
	if (reader->is_broken)
		reader->at = head;
	reader->end = head;
	return reader->at != head;
}

/* Words that follow the first one. */
static unsigned words_behind(uint64_t first)
{
	switch (first & SPT_RING_TYPE_MASK) {
	case SPT_RING_ALLOC:
	case SPT_RING_NODE:
	case SPT_RING_FREE_STACK:
	case SPT_RING_REALLOC_FREE_STACK:
		return 1;
	case SPT_RING_BIG:
	case SPT_RING_REALLOC_ALLOC:
	case SPT_RING_MAP:
	case SPT_RING_UNMAP:
	case SPT_RING_WAIT:
		return 2;
	case SPT_RING_OBJECT:
	case SPT_RING_CODE:
		return first >> SPT_RING_MORE_SHIFT & SPT_RING_MORE_MASK;
	default:
		return 0;
	}
}

static bool is_node(uint64_t node)
{
	return node < SPT_NODE_MOST;
}

static bool take_node(SptRingReader *reader, uint64_t first, SptRingRecord *ret)
{
	uint64_t ids = spt_ring_reader_word(reader);

	ret->is_script = first & SPT_RING_NODE_SCRIPT;
	if (first & SPT_RING_NODE_EXACT)
		ret->address |= SPT_NODE_EXACT;
	ret->node = (uint32_t)ids;
	ret->parent = ids >> 32;
	return is_node(ret->node) && ret->node >= SPT_NODE_FIRST && is_node(ret->parent);
}

static bool take_object(SptRingReader *reader, unsigned n, SptRingRecord *ret)
{
	char *path;

	if (n <= SPT_RING_OBJECT_WORDS || n > SPT_RING_OBJECT_WORDS + SPT_RING_PATH_WORDS)
		return false;
	ret->end = spt_ring_reader_word(reader);
	ret->offset = spt_ring_reader_word(reader);
	ret->device = spt_ring_reader_word(reader);
	ret->inode = spt_ring_reader_word(reader);
	for (unsigned i = 0; i < n - SPT_RING_OBJECT_WORDS; i++)
		reader->text[i] = spt_ring_reader_word(reader);
	path = (char *)reader->text;
	path[8 * (n - SPT_RING_OBJECT_WORDS) - 1] = '\0';
	ret->path = path;
	return ret->address < ret->end;
}

/* The recorder looks whether its spans are within it. */
static bool reader_take_code(SptRingReader *reader, unsigned n, SptRingRecord *ret)
{
	if (n < SPT_RING_CODE_WORDS || ret->address < 1 || ret->address > SPT_RING_CODE_MOST)
		return false;
	ret->node = (uint32_t)ret->address;
	for (unsigned i = 0; i < n; i++)
		reader->text[i] = spt_ring_reader_word(reader);
	ret->words = reader->text;
	ret->n_words = n;
	return true;
}

static bool take_allocation(SptRingReader *reader, bool is_short, SptRingRecord *ret)
{
	uint64_t bytes = spt_ring_reader_word(reader),
		 node = is_short ? bytes >> 32 : spt_ring_reader_word(reader);

	ret->bytes = is_short ? (uint32_t)bytes : bytes;
	ret->node = (uint32_t)node;
	return is_node(node) && ret->bytes <= INT64_MAX;
}

static bool reader_take(SptRingReader *reader, uint64_t first, SptRingRecord *ret)
{
	unsigned behind = words_behind(first);

	if (behind > reader->end - reader->at)
		return false;
	ret->type = first & SPT_RING_TYPE_MASK;
	ret->address = first >> SPT_RING_POINTER_SHIFT;
	ret->bytes = 0;
	ret->node = 0;
	if (spt_ring_type_is_event(ret->type))
		reader->stamp += first >> SPT_RING_MORE_SHIFT & SPT_RING_MORE_MASK;
	ret->stamp = reader->stamp;
	switch (ret->type) {
	case SPT_RING_NOTHING:
	case SPT_RING_FREE:
	case SPT_RING_REALLOC_FREE:
	case SPT_RING_REALLOC_FAILED:
	case SPT_RING_UNMAP_FAILED:
	case SPT_RING_RESET:
		return true;
	case SPT_RING_FREE_STACK:
	case SPT_RING_REALLOC_FREE_STACK:
		ret->node = (uint32_t)(spt_ring_reader_word(reader) >> 32);
		return is_node(ret->node);
	case SPT_RING_ALLOC:
		return take_allocation(reader, true, ret);
	case SPT_RING_BIG:
	case SPT_RING_REALLOC_ALLOC:
	case SPT_RING_MAP:
	case SPT_RING_UNMAP:
	case SPT_RING_WAIT:
		return take_allocation(reader, false, ret);
	case SPT_RING_TIME:
		reader->stamp = first >> SPT_RING_MORE_SHIFT;
		return true;
	case SPT_RING_NODE:
		return take_node(reader, first, ret);
	case SPT_RING_OBJECT:
		return take_object(reader, behind, ret);
	case SPT_RING_CODE:
		return reader_take_code(reader, behind, ret);
	}
	return false;
}

bool spt_ring_reader_take(SptRingReader *reader, uint64_t first, SptRingRecord *ret)
{
	while (reader_take(reader, first, ret)) {
		if (ret->type != SPT_RING_NOTHING && ret->type != SPT_RING_TIME)
			return true;
		if (reader->at == reader->end)
			return false;
		first = spt_ring_reader_word(reader);
	}
	return spt_ring_reader_break(reader);
}

void spt_ring_reader_end(SptRingReader *reader)
{
	struct spt_ring_slot *slot = reader_slot_of(reader);

	/* Pairs with the acquire of the tail by the writer. */
	__atomic_store_n(&slot->tail, reader->at, __ATOMIC_SEQ_CST);
	if (__atomic_exchange_n(&slot->is_waiting, 0, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &slot->tail, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
