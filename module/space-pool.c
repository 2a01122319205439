// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces: the memory that their hooks take and leave, and what hooks and ticks leave to the
 * worker (spaces-work.c).
 */
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "ranges.h"
#include "regions.h"
#include "space.h"

#define POOL_SPACES	256
#define POOL_LARGE	16
#define POOL_REGIONS	16

/* Pools: hooks take from them, under pool_lock; the worker fills them. */
static DEFINE_RAW_SPINLOCK(pool_lock);
static struct llist_head space_pool, large_pool, regions_pool;
static int n_space_pool, n_large_pool, n_regions_pool;

struct space_duties sysprof_space_duties;

static void kick_worker(void)
{
	irq_work_queue(&sysprof_space_duties.kick);
}

void sysprof_space_queue(struct space *space)
{
	llist_add(&space->rebuild, &sysprof_space_duties.rebuilds);
	kick_worker();
}

void sysprof_spaces_queue_scan(void)
{
	WRITE_ONCE(sysprof_space_duties.scan_wanted, true);
	kick_worker();
}

/* Small copies are in memory behind their space. */
static struct ranges *small_copy(struct space *space, int i)
{
	return (struct ranges *)((u8 *)(space + 1) + i * RANGES_BYTES(SMALL_RANGES));
}

static bool is_small(struct space *space, const struct ranges *ranges)
{
	return ranges == small_copy(space, 0) || ranges == small_copy(space, 1);
}

static void reset_space(struct space *space)
{
	int i;

	for (i = 0; i < 2; i++) {
		space->copies[i] = small_copy(space, i);
		sysprof_ranges_clear(space->copies[i]);
		space->copies[i]->capacity = SMALL_RANGES;
	}
	raw_spin_lock_init(&space->lock);
	space->mm = NULL;
	space->regions = NULL;
	space->seq = 0;
	space->incomplete = false;
	space->coarse = false;
	space->rebuilt = 0;
	space->rest_ns = 0;
	atomic_set(&space->asked, 0);
}

/* Pools. */

static struct llist_node *space_pool_take(struct llist_head *pool, int *n, int low)
{
	struct llist_node *node;

	raw_spin_lock(&pool_lock);
	node = llist_del_first(pool);
	if (node)
		--*n;
	if (*n < low)
		kick_worker();
	raw_spin_unlock(&pool_lock);
	return node;
}

static void give(struct llist_node *node, struct llist_head *pool, int *n)
{

	raw_spin_lock(&pool_lock);
	llist_add(node, pool);
	++*n;
	raw_spin_unlock(&pool_lock);
}

static struct space *alloc_space(void)
{
	struct space *space = kzalloc(sizeof(*space) + 2 * RANGES_BYTES(SMALL_RANGES), GFP_KERNEL);

	if (space)
		reset_space(space);
	return space;
}

static struct ranges *alloc_ranges(u32 capacity)
{
	struct ranges *ranges = kvmalloc(RANGES_BYTES(capacity), GFP_KERNEL);

	if (ranges) {
		sysprof_ranges_clear(ranges);
		ranges->capacity = capacity;
	}
	return ranges;
}

/* A copy larger than those of the pool is charged to @payer. */
static struct ranges *alloc_ranges_of(u32 capacity, sysprof_payer payer)
{
	struct ranges *ranges;

	if (capacity <= LARGE_RANGES)
		return alloc_ranges(capacity);
	if (!sysprof_quota_take(payer, RANGES_BYTES(capacity)))
		return NULL;
	ranges = alloc_ranges(capacity);
	if (ranges)
		ranges->payer = payer;
	else
		sysprof_quota_give(payer, RANGES_BYTES(capacity));
	return ranges;
}

static void free_ranges(struct ranges *ranges)
{
	if (ranges && ranges->capacity > LARGE_RANGES)
		sysprof_quota_give(ranges->payer, RANGES_BYTES(ranges->capacity));
	kvfree(ranges);
}

int sysprof_space_fill_pools(void)
{
	struct regions *regions;
	struct ranges *ranges;
	struct space *space;

	while (READ_ONCE(n_space_pool) < POOL_SPACES) {
		space = alloc_space();
		if (!space)
			return -ENOMEM;
		give(&space->node, &space_pool, &n_space_pool);
	}
	while (READ_ONCE(n_large_pool) < POOL_LARGE) {
		ranges = alloc_ranges(LARGE_RANGES);
		if (!ranges)
			return -ENOMEM;
		give(&ranges->retired, &large_pool, &n_large_pool);
	}
	while (READ_ONCE(n_regions_pool) < POOL_REGIONS) {
		regions = kzalloc(sizeof(*regions), GFP_KERNEL);
		if (!regions)
			return -ENOMEM;
		give(&regions->pooled, &regions_pool, &n_regions_pool);
	}
	return 0;
}

struct space *sysprof_space_take(void)
{
	struct llist_node *node = space_pool_take(&space_pool, &n_space_pool, POOL_SPACES / 2);

	return node ? llist_entry(node, struct space, node) : NULL;
}

void sysprof_space_give(struct space *space)
{
	give(&space->node, &space_pool, &n_space_pool);
}

struct regions *sysprof_space_take_regions(void)
{
	struct llist_node *node =
		space_pool_take(&regions_pool, &n_regions_pool, POOL_REGIONS / 2);

	return node ? llist_entry(node, struct regions, pooled) : NULL;
}

bool sysprof_space_take_large(struct ranges *copies[2])
{
	struct llist_node *node[2];
	int i;

	for (i = 0; i < 2; i++) {
		node[i] = space_pool_take(&large_pool, &n_large_pool, POOL_LARGE / 2);
		if (!node[i]) {
			if (i)
				give(node[0], &large_pool, &n_large_pool);
			return false;
		}
	}
	for (i = 0; i < 2; i++)
		copies[i] = llist_entry(node[i], struct ranges, retired);
	return true;
}

void sysprof_space_retire(struct space *space, struct ranges *ranges)
{
	if (!is_small(space, ranges))
		llist_add(&ranges->retired, &sysprof_space_duties.retired);
}

void sysprof_space_bury(struct space *space)
{
	llist_add(&space->node, &sysprof_space_duties.gone);
	kick_worker();
}

/* For the worker. */

bool sysprof_space_alloc_copies(struct ranges *copies[2], u32 capacity, sysprof_payer payer)
{
	int i;

	for (i = 0; i < 2; i++)
		copies[i] = alloc_ranges_of(capacity, payer);
	if (copies[0] && copies[1])
		return true;
	for (i = 0; i < 2; i++)
		free_ranges(copies[i]);
	return false;
}

void sysprof_space_free_retired(struct llist_node *list)
{
	struct ranges *ranges, *next;

	llist_for_each_entry_safe(ranges, next, list, retired)
		free_ranges(ranges);
}

void sysprof_space_free_gone(struct llist_node *list)
{
	struct space *space, *next;
	int i;

	llist_for_each_entry_safe(space, next, list, node) {
		mmdrop(space->mm);
		for (i = 0; i < 2; i++)
			if (!is_small(space, space->copies[i]))
				free_ranges(space->copies[i]);
		kfree(space->regions);
		reset_space(space);
		if (READ_ONCE(n_space_pool) < POOL_SPACES)
			give(&space->node, &space_pool, &n_space_pool);
		else
			kfree(space);
	}
}

void sysprof_space_free_pools(void)
{
	struct regions *regions, *next_regions;
	struct space *space, *next;

	llist_for_each_entry_safe(space, next, llist_del_all(&space_pool), node)
		kfree(space);
	llist_for_each_entry_safe(regions, next_regions, llist_del_all(&regions_pool), pooled)
		kfree(regions);
	sysprof_space_free_retired(llist_del_all(&large_pool));
}
