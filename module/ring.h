/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring of one CPU of a session: the module writes records, the reader maps it. */
#ifndef _SYSPROF_RING_H
#define _SYSPROF_RING_H

#include <asm/local.h>
#include <linux/types.h>

#include "sysprof.h"

#define SYSPROF_RING_EXTRA_PAGES 2 /* ring page and tail page */

/**
 * struct sysprof_ring - one CPU's records of one session
 * @page: mapped read-only by the reader
 * @tail: mapped by the reader, which may write anything there
 * @data: mapped read-only by the reader
 * @pages: all pages in the order of the mapping: ring page, tail page, data
 * @bytes: size of the data, a power of two, at least a page
 * @head: positions below it are reserved; it runs freely, and its low 32 bits count
 * @last_time: time of the latest record; no later record has an earlier time
 * @nest: writers between reserve and commit on this CPU, each interrupting the one before
 */
struct sysprof_ring {
	struct sysprof_ring_page *page;
	struct sysprof_ring_tail *tail;
	u8 *data;
	struct page **pages;
	u32 bytes;
	local_t head;
	local_t nest;
	u64 last_time;
};

/* Memory that a ring of @bytes takes. */
static inline u64 sysprof_ring_cost(u32 bytes)
{
	return (u64)(SYSPROF_RING_EXTRA_PAGES + bytes / PAGE_SIZE) *
	       (PAGE_SIZE + sizeof(struct page *));
}

/* Process context.  On -ENOMEM the ring is zeroed. */
int sysprof_ring_init(struct sysprof_ring *ring, u32 bytes, int node);
void sysprof_ring_deinit(struct sysprof_ring *ring);
/* Empties the ring.  There is no writer, and the reader starts anew. */
void sysprof_ring_reset(struct sysprof_ring *ring);

/*
 * Writers run on the ring's own CPU with preemption off, in any context.  Writers of one level must
 * not interrupt each other: interrupts are off, or they are in the interrupt itself.  reserve()
 * returns room for a record of @bytes, a multiple of 8, in which only the time is set.  It returns
 * NULL if more than @limit bytes would be in use, or if the ring is broken.  A successful reserve()
 * must be followed by commit().
 */
struct sysprof_record *sysprof_ring_reserve(struct sysprof_ring *ring, u32 bytes, u32 limit);
void sysprof_ring_commit(struct sysprof_ring *ring);
/* Fills @bytes at @at of the data, up to its end, with a record that means nothing. */
void sysprof_ring_write_pad(struct sysprof_ring *ring, u32 at, u32 bytes, u16 cpu);

/* Bytes between the reader's tail and the published head; for the watermark. */
static inline u32 sysprof_ring_used(const struct sysprof_ring *ring)
{
	return READ_ONCE(ring->page->head) - READ_ONCE(ring->tail->tail);
}

#endif /* _SYSPROF_RING_H */
