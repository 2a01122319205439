/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that programs allocated and freed (record --memory), as rows of weight. */
#ifndef SPT_ALLOCATIONS_H
#define SPT_ALLOCATIONS_H

#include "profile/weights.h"

G_BEGIN_DECLS

/* Bytes; the last one counts calls. */
extern const SptWeightSource spt_weights_allocated, spt_weights_freed,
	spt_weights_freed_here, spt_weights_live, spt_weights_peak, spt_weights_temporary,
	spt_weights_allocations;

/* Bytes that programs mapped themselves (record --memory --mappings), in no sum of those above. */
extern const SptWeightSource spt_weights_mapped, spt_weights_mapped_live, spt_weights_mapped_peak;

/*
 * Bytes of kernel memory (record --kmem): slab objects and kmalloc(), and pages, memory per CPU and
 * areas of vmalloc(), which are other layers.
 */
extern const SptWeightSource spt_weights_kmem, spt_weights_kmem_live, spt_weights_pages,
	spt_weights_pages_live, spt_weights_percpu, spt_weights_percpu_live, spt_weights_vmalloc,
	spt_weights_vmalloc_live;

/*
 * Bytes in use at the end of each of @n equal parts of [@begin_ns, @end_ns): allocated so far and
 * not freed, by programs (@whose: 0, or MAPPING) or by the kernel (one of
 * SPT_ALLOCATION_KERNEL).
 */
void spt_allocations_live(const SptCapture *capture, uint32_t whose, uint64_t begin_ns,
			  uint64_t end_ns, uint32_t n, uint64_t *ret);

/* Of what programs allocated, in bytes; where only some was recorded, what it represents. */
typedef struct {
	uint64_t bytes, calls;
	uint64_t freed, temporary, live;	/* of them; live: not freed at the end */
	bool has_temporary;			/* false: that is not known */
	uint64_t most, most_time;		/* in use when that was most, and when */
} SptAllocationSums;

/* False: no allocation was recorded. */
bool spt_allocation_sums(const SptCapture *capture, SptAllocationSums *ret);

/* The name of a row's detail: "33 to 64 bytes". */
const char *spt_allocation_size_name(uint32_t detail);
/* The name of a row's detail: "below 1 ms", "not freed". */
const char *spt_allocation_lifetime_name(uint32_t detail);
/* NUMA node, plus one; 0: any, or not known. */
uint32_t spt_allocation_node(uint32_t detail);

G_END_DECLS

#endif
