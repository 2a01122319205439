// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages of files that come into the page cache: each counts for the task that needs it first.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/preempt.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <trace/events/filemap.h>

#include "compat/trace-type.h"
#include "sources/immediate.h"

static void page_cache_tell(const struct inode *inode, u64 bytes)
{
	struct sysprof_part_block part = {
		.part = { .type = SYSPROF_PART_BLOCK,
			  .size = sizeof(part) / 8,
			  .a = SYSPROF_BLOCK_READ },
	};
	struct sysprof_immediate_event event = {
		.value = bytes,
		.part = &part.part,
		.immediate = SYSPROF_IMMEDIATE_PAGE_CACHE,
		.axis = SYSPROF_AXIS_VALUE,
		.phase = SYSPROF_PHASE_INSTANT,
		.context = sysprof_immediate_context(),
	};
	unsigned long flags;

	sysprof_block_set_file(&part, inode);
	local_irq_save(flags);
	rcu_read_lock();
	sysprof_immediate_tell(&event);
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* What comes is locked, and keeps its mapping. */
#ifdef folio_page /* before there were folios there was no such macro */
static void added_hit(void *data, struct folio *folio)
{
	page_cache_tell(folio->mapping->host, folio_size(folio));
}
#define ADDED                                                                                      \
	SYSPROF_TRACE_CHOOSE(mm_filemap_add_to_page_cache, added_hit, NULL, struct folio *)
#else
static void added_hit(void *data, struct page *page)
{
	page_cache_tell(page_mapping(page)->host, PAGE_SIZE);
}
#define ADDED                                                                                      \
	SYSPROF_TRACE_CHOOSE(mm_filemap_add_to_page_cache, added_hit, NULL, struct page *)
#endif

static struct sysprof_hook hooks[] = {
	{ "mm_filemap_add_to_page_cache", ADDED },
};

struct sysprof_hooking sysprof_page_cache = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_page_cache),
	.hooks = hooks,
	.n = ARRAY_SIZE(hooks),
};
