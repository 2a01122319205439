/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that the kernel allocates, in layers, and what allocations wait for.  The kernel passes
 * small allocations on less often than large ones; each free is passed on, and is that of an
 * allocation that was, or of none.
 */
#include <unistd.h>

#include "trace/perf/kernel-hooks.h"


enum { ADDRESS, REQUESTED, ALLOCATED, CACHE, NODE, GFP };
enum { PAGE, ORDER, PAGE_GFP };
enum { AREA, AREA_BYTES, AREA_FAILED };
enum { GOT, TAKEN };

/* The kind of the frees of allocations of @kind; both are of one layer. */
static uint16_t memory_free_kind(uint16_t kind)
{
	switch (kind) {
	case SYSPROF_SOURCE_SLAB:
		return SYSPROF_SOURCE_SLAB_FREE;
	case SYSPROF_SOURCE_PAGE:
		return SYSPROF_SOURCE_PAGE_FREE;
	case SYSPROF_SOURCE_PERCPU:
		return SYSPROF_SOURCE_PERCPU_FREE;
	default:
		return SYSPROF_SOURCE_VMALLOC_FREE;
	}
}

static void memory_free(SptKernelState *state, const struct spt_kernel_hit *hit, uint16_t kind,
			uint64_t address, uint16_t flags)
{
	SptPair pair;
	struct spt_kernel_event event = {
		.kind = kind,
		.phase = SYSPROF_PHASE_CLOSE,
		.context = spt_hit_context(hit),
		.flags = flags,
		.weight = 1,
	};

	if (!spt_pairs_take(state->memory, address, kind, &pair))
		return;
	event.begin = pair.since;
	event.value = pair.value;
	event.key = pair.extra;
	spt_kernel_tell(state, hit, &event);
}

/* Whose end could not be found is no event: it would never end. */
static void memory_allocate(SptKernelState *state, const struct spt_kernel_hit *hit,
			    uint64_t address, uint64_t bytes, struct sysprof_part_memory *part)
{
	uint16_t kind = hit->hook->kind, free_kind = memory_free_kind(kind);
	struct spt_kernel_event event = {
		.kind = kind,
		.phase = SYSPROF_PHASE_OPEN,
		.context = spt_hit_context(hit),
		.value = bytes,
		.key = state->n_keys + 1,
		.weight = (uint32_t)MIN(bytes * hit->weight, UINT32_MAX),
		.part = &part->part,
		.has_stack = true,
	};
	SptPair *pair;

	/* The block that had this address was freed without a hit. */
	memory_free(state, hit, free_kind, address, SYSPROF_EVENT_GUESSED);
	pair = spt_pairs_add(state->memory, address, free_kind, hit->who.time);
	if (!pair) {
		spt_kernel_account(state, kind, hit->who.cpu)->lost[SYSPROF_LOST_NO_SLOT].events++;
		return;
	}
	pair->value = bytes;
	pair->extra = ++state->n_keys;
	part->part.type = SYSPROF_PART_MEMORY;
	part->part.size = sizeof(*part) / 8;
	if (!spt_kernel_tell(state, hit, &event))
		spt_pairs_take(state->memory, address, free_kind, &(SptPair){ 0 });
}

/* An object of a cache counts as it was requested: padding between objects belongs to none. */
static void slab_taken(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	uint64_t address = spt_hit_number(hit, ADDRESS), bytes = spt_hit_number(hit, ALLOCATED);
	struct sysprof_part_memory part = {
		.gfp = (uint32_t)spt_hit_number(hit, GFP),
		.node = hit->fields[NODE] ? (int32_t)spt_hit_number(hit, NODE) : -1,
		.requested = spt_hit_number(hit, REQUESTED),
	};

	spt_hit_text(hit, CACHE, part.cache, sizeof(part.cache));
	if (hit->hook->number)
		bytes = part.requested;
	if (address)
		memory_allocate(state, hit, address, bytes, &part);
}

static void memory_freed(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	uint64_t address = spt_hit_number(hit, ADDRESS);

	if (address)
		memory_free(state, hit, hit->hook->kind, address, 0);
}

static void pages_taken(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	uint64_t page = spt_hit_number(hit, PAGE), order = spt_hit_number(hit, ORDER),
		 bytes = (uint64_t)sysconf(_SC_PAGESIZE) << MIN(order, 31);
	struct sysprof_part_memory part = {
		.part.a = (uint16_t)order,
		.gfp = (uint32_t)spt_hit_number(hit, PAGE_GFP),
		.node = -1,
		.requested = bytes,
	};

	/* No page: the allocation failed. */
	if (page && page != UINT64_MAX)
		memory_allocate(state, hit, page, bytes, &part);
}

static void percpu_taken(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	uint64_t bytes = spt_hit_number(hit, REQUESTED), address = spt_hit_number(hit, ADDRESS);
	struct sysprof_part_memory part = {
		.gfp = (uint32_t)spt_hit_number(hit, GFP),
		.node = -1,
		.requested = bytes,
	};

	if (address)
		memory_allocate(state, hit, address, bytes * state->n_cpus, &part);
}

static void area_taken(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	uint64_t bytes = spt_hit_number(hit, AREA_BYTES);
	struct sysprof_part_memory part = { .node = -1, .requested = bytes };

	if (!spt_hit_number(hit, AREA_FAILED))
		memory_allocate(state, hit, spt_hit_number(hit, AREA), bytes, &part);
}

/* Short memory. */

/* kcompactd moves pages in the background, and nobody waits for it. */
static bool stall_is_waited_for(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	const struct spt_perf_process *process =
		spt_perf_tasks_get(spt_perf_records_tasks(state->records), &hit->who, hit->sink);

	return hit->hook->number != SYSPROF_STALL_COMPACTION || !process->is_kthread ||
	       !g_str_has_prefix(process->name, "kcompactd");
}

static void stall_began(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	if (stall_is_waited_for(state, hit))
		spt_pairs_add(state->stalls, spt_hit_thread(hit), hit->hook->number, hit->who.time);
}

static void stall_ended(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	const struct sysprof_part part = { SYSPROF_PART_STALL, 1, (uint16_t)hit->hook->number, 0 };
	struct spt_kernel_event event = {
		.kind = SYSPROF_SOURCE_STALL,
		.phase = SYSPROF_PHASE_SPAN,
		.context = spt_hit_context(hit),
		.weight = 1,
		.part = &part,
		.has_stack = true,
	};
	SptPair pair;

	if (!stall_is_waited_for(state, hit))
		return;
	if (!spt_pairs_take(state->stalls, spt_hit_thread(hit), hit->hook->number, &pair)) {
		spt_kernel_tell_unpaired(state, hit);
		return;
	}
	event.begin = pair.since;
	event.value = hit->who.time - MIN(pair.since, hit->who.time);
	spt_kernel_tell(state, hit, &event);
}

static void block_broken_up(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	const struct sysprof_part part = { SYSPROF_PART_FRAGMENT, 1,
					   (uint16_t)spt_hit_number(hit, GOT),
					   (uint16_t)spt_hit_number(hit, TAKEN) };
	const struct spt_kernel_event event = {
		.kind = SYSPROF_SOURCE_FRAGMENT,
		.phase = SYSPROF_PHASE_INSTANT,
		.context = spt_hit_context(hit),
		.value = 1,
		.weight = 1,
		.part = &part,
		.has_stack = true,
	};

	spt_kernel_tell(state, hit, &event);
}

#define ALLOCATES (SPT_HOOK_COUNTS | SPT_HOOK_STACK | SPT_HOOK_THINS)
#define FREES	  (SPT_HOOK_COUNTS | SPT_HOOK_ANYONE)

/* @of_cache: sizes are those that were requested. */
#define SLAB_HOOK(point, more_flags, of_cache)                                                     \
	{                                                                                          \
		.name = "kmem:" point, .kind = SYSPROF_SOURCE_SLAB,                                \
		.flags = ALLOCATES | SPT_HOOK_BY_SIZE | (more_flags), .take = slab_taken,          \
		.fields = { [ADDRESS] = "ptr", [REQUESTED] = "bytes_req",                          \
			    [ALLOCATED] = "bytes_alloc", [CACHE] = "?name", [NODE] = "?node",      \
			    [GFP] = "?gfp_flags" },                                                \
		.number = (of_cache),                                                              \
	}
#define FREE_HOOK(point, of_kind, field, more_flags)                                               \
	{                                                                                          \
		.name = (point), .kind = (of_kind), .flags = FREES | (more_flags),                 \
		.take = memory_freed, .fields = { [ADDRESS] = (field) },                           \
	}
#define STALL_HOOKS(begin, end, stall, more_flags)                                                 \
	{                                                                                          \
		.name = (end), .kind = SYSPROF_SOURCE_STALL,                                       \
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK | (more_flags), .take = stall_ended,     \
		.number = (stall),                                                                 \
	},                                                                                         \
	{                                                                                          \
		.name = (begin), .kind = SYSPROF_SOURCE_STALL, .flags = (more_flags),              \
		.take = stall_began, .number = (stall),                                            \
	}

const struct spt_kernel_hook spt_hooks_memory[] = {
	FREE_HOOK("kmem:kfree", SYSPROF_SOURCE_SLAB_FREE, "ptr", 0),
	FREE_HOOK("kmem:kmem_cache_free", SYSPROF_SOURCE_SLAB_FREE, "ptr", 0),
	SLAB_HOOK("kmalloc", 0, false),
	SLAB_HOOK("kmem_cache_alloc", 0, true),
	SLAB_HOOK("kmalloc_node", SPT_HOOK_OPTIONAL, false),
	SLAB_HOOK("kmem_cache_alloc_node", SPT_HOOK_OPTIONAL, true),
	FREE_HOOK("kmem:mm_page_free", SYSPROF_SOURCE_PAGE_FREE, "pfn", 0),
	{
		.name = "kmem:mm_page_alloc",
		.kind = SYSPROF_SOURCE_PAGE,
		.flags = ALLOCATES | SPT_HOOK_BY_ORDER,
		.take = pages_taken,
		.fields = { [PAGE] = "pfn", [ORDER] = "order", [PAGE_GFP] = "?gfp_flags" },
	},
	FREE_HOOK("percpu:percpu_free_percpu", SYSPROF_SOURCE_PERCPU_FREE, "ptr", 0),
	{
		.name = "percpu:percpu_alloc_percpu",
		.kind = SYSPROF_SOURCE_PERCPU,
		.flags = ALLOCATES,
		.take = percpu_taken,
		.fields = { [ADDRESS] = "ptr", [REQUESTED] = "size", [GFP] = "?gfp_flags" },
	},
	FREE_HOOK("vmalloc:free_vmap_area_noflush", SYSPROF_SOURCE_VMALLOC_FREE, "va_start", 0),
	{
		.name = "vmalloc:alloc_vmap_area",
		.kind = SYSPROF_SOURCE_VMALLOC,
		.flags = ALLOCATES,
		.take = area_taken,
		.fields = { [AREA] = "addr", [AREA_BYTES] = "size", [AREA_FAILED] = "failed" },
	},
	STALL_HOOKS("vmscan:mm_vmscan_direct_reclaim_begin", "vmscan:mm_vmscan_direct_reclaim_end",
		    SYSPROF_STALL_RECLAIM, 0),
	STALL_HOOKS("vmscan:mm_vmscan_memcg_reclaim_begin", "vmscan:mm_vmscan_memcg_reclaim_end",
		    SYSPROF_STALL_GROUP, SPT_HOOK_OPTIONAL),
	STALL_HOOKS("compaction:mm_compaction_begin", "compaction:mm_compaction_end",
		    SYSPROF_STALL_COMPACTION, SPT_HOOK_OPTIONAL),
	{
		.name = "kmem:mm_page_alloc_extfrag",
		.kind = SYSPROF_SOURCE_FRAGMENT,
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK | SPT_HOOK_THINS,
		.take = block_broken_up,
		.fields = { [GOT] = "alloc_order", [TAKEN] = "fallback_order" },
	},
	{ 0 },
};
