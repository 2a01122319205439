// SPDX-License-Identifier: GPL-2.0-only
/*
 * The per-CPU ring: many writers that interrupt each other on one CPU, one reader in user space.
 *
 *	            tail                 page->head     head
 *	             |                       |            |
 *	  [ free ... |  records to be read   |  being     | free ... ]
 *	             |                       |  written   |
 *
 * A writer takes room by moving head; an interrupt that comes meanwhile takes the room behind it
 * and is done first.  Only the outermost writer publishes, so that what is published is always
 * whole.  Records do not wrap.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#include "ring.h"

int sysprof_ring_init(struct sysprof_ring *ring, u32 bytes, int node)
{
	unsigned int nr = SYSPROF_RING_EXTRA_PAGES + (bytes >> PAGE_SHIFT);
	unsigned int i;
	u8 *base;

	memset(ring, 0, sizeof(*ring));
	ring->pages = kvcalloc(nr, sizeof(*ring->pages), GFP_KERNEL);
	if (!ring->pages)
		return -ENOMEM;
	ring->bytes = bytes;
	for (i = 0; i < nr; i++) {
		/* Charged to the memory cgroup of the opener. */
		ring->pages[i] =
			alloc_pages_node(node, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_NOWARN, 0);
		if (!ring->pages[i])
			goto err;
	}
	base = vmap(ring->pages, nr, VM_MAP, PAGE_KERNEL);
	if (!base)
		goto err;
	ring->page = (struct sysprof_ring_page *)base;
	ring->tail = (struct sysprof_ring_tail *)(base + PAGE_SIZE);
	ring->data = base + SYSPROF_RING_EXTRA_PAGES * PAGE_SIZE;
	return 0;
err:
	sysprof_ring_deinit(ring);
	return -ENOMEM;
}

void sysprof_ring_deinit(struct sysprof_ring *ring)
{
	unsigned int i, nr = SYSPROF_RING_EXTRA_PAGES + (ring->bytes >> PAGE_SHIFT);

	if (!ring->pages)
		return;
	if (ring->page)
		vunmap(ring->page);
	for (i = 0; i < nr && ring->pages[i]; i++)
		put_page(ring->pages[i]);
	kvfree(ring->pages);
	memset(ring, 0, sizeof(*ring));
}

void sysprof_ring_reset(struct sysprof_ring *ring)
{
	local_set(&ring->head, 0);
	local_set(&ring->nest, 0);
	/* Any time that is past and not 0. */
	ring->last_time = 1;
	WRITE_ONCE(ring->tail->tail, 0);
	WRITE_ONCE(ring->page->flags, 0);
	WRITE_ONCE(ring->page->oldest_open_time, 0);
	/* Pairs with the reader's acquire of head. */
	smp_store_release(&ring->page->head, 0);
}

static void write_pad(struct sysprof_ring *ring, u32 at, u32 bytes, u16 cpu)
{
	struct sysprof_record *pad = (struct sysprof_record *)(ring->data + at);

	pad->type = SYSPROF_PAD;
	pad->flags = 0;
	pad->size = bytes / 8;
	pad->cpu = cpu;
}

struct sysprof_record *sysprof_ring_reserve(struct sysprof_ring *ring, u32 bytes, u32 limit)
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
		write_pad(ring, at, pad, smp_processor_id());
		at = 0;
	}
	time = ktime_get_mono_fast_ns();
	WRITE_ONCE(ring->last_time, time);
	record = (struct sysprof_record *)(ring->data + at);
	record->time = time;
	return record;
none:
	sysprof_ring_commit(ring);
	return NULL;
}

void sysprof_ring_commit(struct sysprof_ring *ring)
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
