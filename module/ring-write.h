/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring's writers, inline for records that are written all the time: see ring.h. */
#ifndef _SYSPROF_RING_WRITE_H
#define _SYSPROF_RING_WRITE_H

#include <linux/compiler.h>
#include <linux/timekeeping.h>

#include "ring.h"

static __always_inline void ring_commit(struct sysprof_ring *ring)
{
	long head;

	/* Inner writers leave publishing to the outermost, whose record may be half written. */
	if (local_read(&ring->nest) > 1) {
		local_dec(&ring->nest);
		return;
	}
	do {
		head = local_read(&ring->head);
		/* Pairs with the reader's acquire: all records below head are whole. */
		smp_store_release(&ring->page->head, (u32)head);
		local_dec(&ring->nest);
		/*
		 * An interrupt before the decrement has left its record to us, one after it has
		 * published itself.  In the first case, repeat.
		 */
		barrier();
		if (likely(head == local_read(&ring->head)))
			break;
		local_inc(&ring->nest);
	} while (1);
	/*
	 * Only now: a reader that finds nothing open must find all records.  An interrupt that
	 * comes before this has published itself.  Pairs with the reader's acquire.
	 */
	smp_store_release(&ring->page->oldest_open_time, 0);
}

static __always_inline struct sysprof_record *ring_reserve(struct sysprof_ring *ring, u32 bytes,
							  u32 limit)
{
	struct sysprof_record *record;
	u32 tail, used, at, pad;
	u64 last_time, time;
	long head;

	local_inc(&ring->nest);
	/*
	 * No record to come is older than the last one was.  The clock is read before checking
	 * whether the ring is open: an interrupt in between opens the ring itself, with the same
	 * time or a later one, and its records stay unpublished.
	 */
	last_time = READ_ONCE(ring->last_time);
	barrier();
	if (!READ_ONCE(ring->page->oldest_open_time))
		WRITE_ONCE(ring->page->oldest_open_time, last_time);
	/*
	 * The open time is set before the clock is read for the record; pairs with the reader,
	 * which reads the clock first.
	 */
	smp_mb();
	do {
		head = local_read(&ring->head);
		/*
		 * Read once: the reader may change it.  Pairs with the reader's release, after it
		 * has read the records.
		 */
		tail = smp_load_acquire(&ring->tail->tail);
		used = (u32)head - tail;
		if (used > ring->bytes) {
			WRITE_ONCE(ring->page->flags, SYSPROF_RING_BROKEN);
			goto none;
		}
		if (ring->page->flags & SYSPROF_RING_BROKEN)
			goto none;
		at = (u32)head & (ring->bytes - 1);
		pad = ring->bytes - at < bytes ? ring->bytes - at : 0;
		if (used + pad + bytes > limit)
			goto none;
	} while (local_cmpxchg(&ring->head, head, head + pad + bytes) != head);

	if (pad) {
		sysprof_ring_write_pad(ring, at, pad, smp_processor_id());
		at = 0;
	}
	time = ktime_get_mono_fast_ns();
	WRITE_ONCE(ring->last_time, time);
	record = (struct sysprof_record *)(ring->data + at);
	record->time = time;
	return record;
none:
	ring_commit(ring);
	return NULL;
}

#endif /* _SYSPROF_RING_WRITE_H */
