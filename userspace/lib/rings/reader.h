/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a ring whose writer is trusted with nothing: heads, types, lengths and ids may be anything,
 * and change while they are read.  Every word is read once.  What cannot be a record makes the ring
 * broken: from then on all of it is skipped.
 */
#ifndef SPT_RINGS_READER_H
#define SPT_RINGS_READER_H

#include <glib.h>
#include <stdbool.h>

#include "rings/layout.h"

G_BEGIN_DECLS

typedef struct {
	enum spt_ring_type type;
	uint64_t stamp;			/* of events */
	/* Of an event the pointer, of a node its address, of an object where it starts */
	uint64_t address;
	uint64_t bytes;			/* of an allocation */
	/* Of a node, its number, from SPT_NODE_FIRST on; of an event, its stack's */
	uint32_t node;
	uint32_t parent;		/* of a node */
	uint64_t end, offset, device, inode;	/* of an object */
	const char *path;		/* likewise; valid until the next record */
} SptRingRecord;

typedef struct {
	void *rings;
	uint32_t slot;
	uint32_t at, end;		/* words that are taken, and that are there */
	uint64_t stamp;
	bool is_broken;
	char path[SPT_RING_PATH_WORDS * 8];
} SptRingReader;

/* A ring whose slot was just claimed. */
void spt_ring_reader_init(SptRingReader *reader, void *rings, uint32_t slot);
/* Looks how far the writer is.  False: there is nothing to take. */
bool spt_ring_reader_begin(SptRingReader *reader);
/* The next record of what begin() saw; false: there is none. */
bool spt_ring_reader_next(SptRingReader *reader, SptRingRecord *ret);
/* Gives the words back that were taken, and wakes the writer if it waits. */
void spt_ring_reader_end(SptRingReader *reader);
static inline bool spt_ring_type_is_event(enum spt_ring_type type)
{
	return type >= SPT_RING_FREE && type <= SPT_RING_REALLOC_FAILED;
}

G_END_DECLS

#endif
