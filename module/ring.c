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
#include <linux/vmalloc.h>

#include "compat/export.h"
#include "ring-write.h"

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

void sysprof_ring_write_pad(struct sysprof_ring *ring, u32 at, u32 bytes, u16 cpu)
{
	struct sysprof_record *pad = (struct sysprof_record *)(ring->data + at);

	pad->type = SYSPROF_PAD;
	pad->flags = 0;
	pad->size = bytes / 8;
	pad->cpu = cpu;
}
SYSPROF_EXPORT(sysprof_ring_write_pad);

struct sysprof_record *sysprof_ring_reserve(struct sysprof_ring *ring, u32 bytes, u32 limit)
{
	return ring_reserve(ring, bytes, limit);
}
SYSPROF_EXPORT(sysprof_ring_reserve);

void sysprof_ring_commit(struct sysprof_ring *ring)
{
	ring_commit(ring);
}
SYSPROF_EXPORT(sysprof_ring_commit);
