// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an allocation waits for when memory is short: the thread that allocates reclaims pages, for
 * all or within its memory cgroup, or moves pages together.  And where a block of pages of one
 * mobility is broken up for another one, which is how memory becomes fragmented.
 *
 * kswapd and kcompactd do the same in the background, and nobody waits for them.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

/* Not declared by the header of its trace points. */
struct compact_control;
#include <trace/events/compaction.h>
#include <trace/events/kmem.h>
#include <trace/events/vmscan.h>

#include "compat/trace-type.h"
#include "sources/handles.h"
#include "sources/immediate.h"

#define BITS 11

/* Keyed by task and enum sysprof_stall: time when it began. */
static struct sysprof_handles *handles;

/* No two threads use the same key. */
static const void *stalls_place_of(enum sysprof_stall kind)
{
	return (const char *)current + kind;
}

static void begin_stall(enum sysprof_stall kind)
{
	struct sysprof_handle *handle;
	unsigned long flags;

	if (in_nmi())
		return;
	local_irq_save(flags);
	handle = sysprof_handles_put(handles, stalls_place_of(kind));
	if (handle)
		handle->since = ktime_get_mono_fast_ns();
	else
		sysprof_immediate_missed(SYSPROF_IMMEDIATE_STALL);
	local_irq_restore(flags);
}

static void end_stall(enum sysprof_stall kind)
{
	struct sysprof_part part = { .type = SYSPROF_PART_STALL, .size = 1, .a = kind };
	struct sysprof_immediate_event event = {
		.part = &part,
		.immediate = SYSPROF_IMMEDIATE_STALL,
		.phase = SYSPROF_PHASE_SPAN,
	};
	struct sysprof_handle handle;
	unsigned long flags;

	if (in_nmi())
		return;
	local_irq_save(flags);
	/* One that was under way when the hooks came was not seen to begin. */
	if (sysprof_handles_take(handles, stalls_place_of(kind), &handle)) {
		event.begin = handle.since;
		event.end = ktime_get_mono_fast_ns();
		event.value = event.end - event.begin;
		event.context = sysprof_immediate_context();
		rcu_read_lock();
		sysprof_immediate_tell(&event);
		rcu_read_unlock();
	}
	local_irq_restore(flags);
}

/* Reclaim. */

static void reclaim_hit(void *data, int order, gfp_t gfp)
{
	begin_stall((uintptr_t)data);
}

static void reclaim_of_group_hit(void *data, gfp_t gfp, int order, struct mem_cgroup *group)
{
	begin_stall((uintptr_t)data);
}

static void reclaimed_hit(void *data, unsigned long pages)
{
	end_stall((uintptr_t)data);
}

static void reclaimed_of_group_hit(void *data, unsigned long pages, struct mem_cgroup *group)
{
	end_stall((uintptr_t)data);
}

#define BEGINS(name)                                                                               \
	SYSPROF_TRACE_CHOOSE(name, reclaim_hit,                                                    \
			     SYSPROF_TRACE_CHOOSE(name, reclaim_of_group_hit, NULL, gfp_t, int,    \
						  struct mem_cgroup *),                            \
			     int, gfp_t)
#define ENDS(name)                                                                                 \
	SYSPROF_TRACE_CHOOSE(name, reclaimed_hit,                                                  \
			     SYSPROF_TRACE_CHOOSE(name, reclaimed_of_group_hit, NULL,              \
						  unsigned long, struct mem_cgroup *),             \
			     unsigned long)

/* Compaction. */

#ifdef CONFIG_COMPACTION
static bool is_in_background(void)
{
	return current->flags & PF_KTHREAD && !strncmp(current->comm, "kcompactd", 9);
}

static void compact_hit(void *data, struct compact_control *control, unsigned long from,
			unsigned long to, bool sync)
{
	if (!is_in_background())
		begin_stall(SYSPROF_STALL_COMPACTION);
}

static void compacted_hit(void *data, struct compact_control *control, unsigned long from,
			  unsigned long to, bool sync, int status)
{
	if (!is_in_background())
		end_stall(SYSPROF_STALL_COMPACTION);
}

/* Before 5.16 the trace points pass the positions of the two scanners. */
static void compact_places_hit(void *data, unsigned long from, unsigned long migrate,
			       unsigned long free, unsigned long to, bool sync)
{
	compact_hit(data, NULL, from, to, sync);
}

static void compacted_places_hit(void *data, unsigned long from, unsigned long migrate,
				 unsigned long free, unsigned long to, bool sync, int status)
{
	compacted_hit(data, NULL, from, to, sync, status);
}

#define COMPACTS                                                                                   \
	SYSPROF_TRACE_CHOOSE(mm_compaction_begin, compact_hit,                                     \
			     SYSPROF_TRACE_CHOOSE(mm_compaction_begin, compact_places_hit, NULL,   \
						  unsigned long, unsigned long, unsigned long,     \
						  unsigned long, bool),                            \
			     struct compact_control *, unsigned long, unsigned long, bool)
#define COMPACTED                                                                                  \
	SYSPROF_TRACE_CHOOSE(mm_compaction_end, compacted_hit,                                     \
			     SYSPROF_TRACE_CHOOSE(mm_compaction_end, compacted_places_hit, NULL,   \
						  unsigned long, unsigned long, unsigned long,     \
						  unsigned long, bool, int),                       \
			     struct compact_control *, unsigned long, unsigned long, bool, int)
#endif

/* Hooks of ends are put before hooks of beginnings, and removed after them. */
static struct sysprof_hook stall_hooks[] = {
	{ "mm_vmscan_direct_reclaim_end", ENDS(mm_vmscan_direct_reclaim_end),
	  (void *)SYSPROF_STALL_RECLAIM },
	{ "mm_vmscan_direct_reclaim_begin", BEGINS(mm_vmscan_direct_reclaim_begin),
	  (void *)SYSPROF_STALL_RECLAIM },
#ifdef CONFIG_MEMCG
	{ "mm_vmscan_memcg_reclaim_end", ENDS(mm_vmscan_memcg_reclaim_end),
	  (void *)SYSPROF_STALL_GROUP, .is_optional = true },
	{ "mm_vmscan_memcg_reclaim_begin", BEGINS(mm_vmscan_memcg_reclaim_begin),
	  (void *)SYSPROF_STALL_GROUP, .is_optional = true },
#endif
#ifdef CONFIG_COMPACTION
	{ "mm_compaction_end", COMPACTED, .is_optional = true },
	{ "mm_compaction_begin", COMPACTS, .is_optional = true },
#endif
};

static int begin_stalls(void)
{
	handles = sysprof_handles_create(BITS);
	return handles ? 0 : -ENOMEM;
}

static void end_stalls(void)
{
	sysprof_handles_destroy(handles);
	handles = NULL;
}

struct sysprof_hooking sysprof_stalls = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_stalls),
	.hooks = stall_hooks,
	.n = ARRAY_SIZE(stall_hooks),
	.begin = begin_stalls,
	.end = end_stalls,
};

/* Fragmentation. */

static void fragment_hit(void *data, struct page *page, int order, int taken, int type,
			 int type_taken)
{
	struct sysprof_part part = {
		.type = SYSPROF_PART_FRAGMENT, .size = 1, .a = order, .b = taken,
	};
	struct sysprof_immediate_event event = {
		.value = 1,
		.part = &part,
		.immediate = SYSPROF_IMMEDIATE_FRAGMENT,
		.axis = SYSPROF_AXIS_EVENTS,
		.phase = SYSPROF_PHASE_INSTANT,
	};

	sysprof_immediate_tell_from_hook(&event);
}

static struct sysprof_hook fragment_hooks[] = {
	{ "mm_page_alloc_extfrag", SYSPROF_TRACE_CHOOSE(mm_page_alloc_extfrag, fragment_hit, NULL,
							struct page *, int, int, int, int) },
};

struct sysprof_hooking sysprof_fragments = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_fragments),
	.hooks = fragment_hooks,
	.n = ARRAY_SIZE(fragment_hooks),
};
