/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a ring whose writer is not trusted.  Heads, types, lengths and ids may have any value, and
 * may change while they are read.  Every word is read once.  Anything that cannot be a record makes
 * the ring broken: from then on all of it is skipped.
 */
#ifndef SPT_RINGS_READER_H
#define SPT_RINGS_READER_H

#include <glib.h>
#include <stdbool.h>

#include "rings/layout.h"

G_BEGIN_DECLS

typedef struct {
	enum spt_ring_type type;
	/* The number of a node, from SPT_NODE_FIRST on, or of an event's stack. */
	uint32_t node;			/* or of code */
	bool is_script;			/* a node's address is that of a script's frame */
	uint64_t stamp;			/* of events */
	/* The pointer of an event, the address of a node, or the start of an object. */
	uint64_t address;
	uint64_t bytes;			/* of an allocation; ns of a wait */
	/* With other records these are not set: of a node, */
	uint32_t parent;
	/* and of an object. */
	uint64_t end, offset, device, inode;
	const char *path;		/* valid until the next record */
	/* Of code: what follows its first word, valid until the next record. */
	const uint64_t *words;
	unsigned n_words;
} SptRingRecord;

typedef struct {
	void *rings;
	const uint64_t *words;		/* of the ring */
	uint32_t slot;
	uint32_t at, end;		/* words that have been taken, and end of those available */
	uint64_t stamp;
	bool is_broken;
	uint64_t text[SPT_RING_MORE_MASK]; /* a path, or code */
} SptRingReader;

/* Begins a ring whose slot was just claimed. */
void spt_ring_reader_init(SptRingReader *reader, void *rings, uint32_t slot);
/* Reads the writer's position.  False: there is nothing to take. */
bool spt_ring_reader_begin(SptRingReader *reader);
/* Frees the words that were taken, and wakes the writer if it waits. */
void spt_ring_reader_end(SptRingReader *reader);
/*
 * The pointer of the event that begins some words further on, to fetch what is known of it in
 * advance.  If none begins there, the pointer may be anything.  The word is read again later.
 */
static inline uint64_t spt_ring_reader_ahead(const SptRingReader *reader, unsigned words)
{
	uint64_t word = __atomic_load_n(&reader->words[(reader->at + words) & (SPT_RING_WORDS - 1)],
					__ATOMIC_RELAXED);

	return word >> SPT_RING_POINTER_SHIFT;
}

/* For spt_ring_reader_next() alone: takes what @first begins, and the following words. */
bool spt_ring_reader_take(SptRingReader *reader, uint64_t first, SptRingRecord *ret);

/* False: there is no next record. */
static inline bool spt_ring_reader_break(SptRingReader *reader)
{
	reader->is_broken = true;
	reader->at = reader->end;
	return false;
}

static inline uint64_t spt_ring_reader_word(SptRingReader *reader)
{
	return __atomic_load_n(&reader->words[reader->at++ & (SPT_RING_WORDS - 1)],
			       __ATOMIC_RELAXED);
}

/*
 * The next record before the position that begin() read; false: there is none.  Most records are
 * one of two, which take little time here.
 */
static inline bool spt_ring_reader_next(SptRingReader *reader, SptRingRecord *ret)
{
	uint64_t first, second = 0;
	enum spt_ring_type type;

	if (reader->at == reader->end)
		return false;
	first = spt_ring_reader_word(reader);
	type = first & SPT_RING_TYPE_MASK;
	if (type != SPT_RING_FREE && (type != SPT_RING_ALLOC || reader->at == reader->end))
		return spt_ring_reader_take(reader, first, ret);
	if (type == SPT_RING_ALLOC)
		second = spt_ring_reader_word(reader);
	ret->type = type;
	ret->stamp = reader->stamp += first >> SPT_RING_MORE_SHIFT & SPT_RING_MORE_MASK;
	ret->address = first >> SPT_RING_POINTER_SHIFT;
	ret->bytes = (uint32_t)second;
	ret->node = second >> 32;
	return ret->node < SPT_NODE_MOST || spt_ring_reader_break(reader);
}

static inline bool spt_ring_type_is_event(enum spt_ring_type type)
{
	return (type >= SPT_RING_FREE && type <= SPT_RING_REALLOC_FAILED) ||
	       (type >= SPT_RING_FREE_STACK && type <= SPT_RING_WAIT);
}

G_END_DECLS

#endif
