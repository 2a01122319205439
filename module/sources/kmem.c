// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory that the kernel allocates: objects of slab caches with what kmalloc() gives, pages, memory
 * per CPU, and areas of vmalloc().  These are layers: caches are made of pages.  An allocation is
 * an OPEN with its stack, and its free is the CLOSE.
 *
 * Sessions that get everything get each free.  Others get the frees of the allocations that they
 * got; those are in a table by address.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>

#include "compat/kmem.h"
#include "sources/handles.h"
#include "sources/immediate.h"

#define BITS	   15
#define CACHE_SPAN 160	/* how far from its beginning a cache has its name, at most */
#define PROBE_NAME "sysprof-looks-for-this"
#define PROBE_SIZE 1003	/* of its objects; no aligned size is the same */

/**
 * struct layer - slab objects, pages, memory per CPU, or areas
 * @alloc: source of the allocations
 * @free: source of the frees
 * @handles: allocations that some session got, and whose free it will get
 */
struct layer {
	enum sysprof_immediate alloc;
	enum sysprof_immediate free;
	struct sysprof_handles **handles;
};

static struct sysprof_handles *slab_handles, *page_handles, *percpu_handles, *area_handles;
static const struct layer slab = { SYSPROF_IMMEDIATE_SLAB, SYSPROF_IMMEDIATE_SLAB_FREE,
				   &slab_handles };
static const struct layer pages = { SYSPROF_IMMEDIATE_PAGE, SYSPROF_IMMEDIATE_PAGE_FREE,
				    &page_handles };
static const struct layer percpu = { SYSPROF_IMMEDIATE_PERCPU, SYSPROF_IMMEDIATE_PERCPU_FREE,
				     &percpu_handles };
static const struct layer areas = { SYSPROF_IMMEDIATE_VMALLOC, SYSPROF_IMMEDIATE_VMALLOC_FREE,
				    &area_handles };
static siphash_key_t secret;
static DEFINE_MUTEX(secret_lock);
/* Where a cache has the address of its name and the size of its objects; 0: not known. */
static unsigned int name_at, size_at;

static u64 kmem_key_of(const void *address)
{
	return siphash_1u64((unsigned long)address, &secret) | 1;
}

static noinline void kmem_tell_free(const struct layer *layer, const void *address,
				    const struct sysprof_handle *handle, u16 flags)
{
	struct sysprof_immediate_event event = {
		.value = handle ? handle->value : 0,
		.key = handle ? handle->key : kmem_key_of(address),
		.delivered_to = handle ? handle->delivered_to : 0,
		.delivered_start = handle ? handle->delivered_start : 0,
		.immediate = layer->free,
		.open = layer->alloc,
		.axis = SYSPROF_AXIS_EVENTS,
		.phase = SYSPROF_PHASE_CLOSE,
		.context = sysprof_immediate_context(),
		.flags = flags,
	};

	event.end = ktime_get_mono_fast_ns();
	event.begin = handle ? handle->begin : event.end;
	rcu_read_lock();
	sysprof_immediate_tell(&event);
	rcu_read_unlock();
}

static noinline void tell_known_free(const struct layer *layer, const void *address)
{
	struct sysprof_handle handle;

	if (sysprof_handles_take(*layer->handles, address, &handle))
		kmem_tell_free(layer, address, &handle, 0);
}

static noinline void free_asks(const struct layer *layer, const void *address)
{
	unsigned long flags;

	if (in_nmi()) {
		sysprof_immediate_missed(layer->free);
		return;
	}
	local_irq_save(flags);
	if (sysprof_handles_find(*layer->handles, address))
		tell_known_free(layer, address);
	else if (!sysprof_immediate_passes_close(layer->free) &&
		 !sysprof_immediate_note_closes(layer->free, layer->alloc))
		kmem_tell_free(layer, address, NULL, 0);
	local_irq_restore(flags);
}

static __always_inline void freed(const struct layer *layer, const void *address)
{
	if (unlikely(sysprof_handles_may_have(*layer->handles, address) ||
		     !sysprof_immediate_passes_close(layer->free)))
		free_asks(layer, address);
}

/* What was there before was freed unseen, as the address is given out again. */
static noinline void end_old(const struct layer *layer, const void *address)
{
	struct sysprof_handle handle;
	unsigned long flags;

	if (in_nmi())
		return;
	local_irq_save(flags);
	if (sysprof_handles_take(*layer->handles, address, &handle))
		kmem_tell_free(layer, address, &handle, SYSPROF_EVENT_GUESSED);
	local_irq_restore(flags);
}

/* Sends it to the sessions that want it, if their CLOSE will be found. */
static void tell_allocated(const struct layer *layer, const void *address,
			   struct sysprof_immediate_event *event)
{
	struct sysprof_handle *handle = NULL, unused;

	if (event->needs_close) {
		handle = sysprof_handles_put(*layer->handles, address);
		event->has_no_slot = !handle;
	}
	sysprof_immediate_tell_wanted(event);
	if (!handle)
		return;
	handle->delivered_to = event->delivered_to;
	handle->delivered_start = event->delivered_start;
	handle->begin = event->begin;
	handle->value = event->value;
	handle->key = event->key;
	if (!event->delivered_to)
		sysprof_handles_take(*layer->handles, address, &unused);
}

static void allocated(const struct layer *layer, const void *address, u64 bytes,
		      struct sysprof_part_memory *part, struct sysprof_origin origin)
{
	struct sysprof_immediate_event event = {
		.value = bytes,
		.part = &part->part,
		.origin = origin,
		.immediate = layer->alloc,
		.axis = SYSPROF_AXIS_VALUE,
		.phase = SYSPROF_PHASE_OPEN,
	};
	unsigned long flags;

	part->part.type = SYSPROF_PART_MEMORY;
	part->part.size = sizeof(*part) / 8;
	local_irq_save(flags);
	rcu_read_lock();
	if (sysprof_handles_may_have(*layer->handles, address))
		end_old(layer, address);
	if (sysprof_immediate_wants(&event)) {
		event.key = kmem_key_of(address);
		event.context = sysprof_immediate_context();
		tell_allocated(layer, address, &event);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* Whether the allocation passes: nobody is asked of it. */
static __always_inline bool allocation_passes(const struct layer *layer, const void *address,
					      u64 bytes)
{
	if (unlikely(!sysprof_immediate_passes(layer->alloc, bytes)))
		return false;
	if (unlikely(sysprof_handles_may_have(*layer->handles, address)))
		end_old(layer, address);
	return true;
}

/* Slab. */

static noinline void slab_asks(const void *address, u64 bytes, u64 requested, gfp_t gfp, int node,
			       const struct kmem_cache *cache, unsigned long site)
{
	struct sysprof_part_memory part = {
		.gfp = (__force u32)gfp,
		.node = node,
		.requested = requested,
	};

	if (cache && name_at)
		strscpy(part.cache, *(const char *const *)((const char *)cache + name_at),
			sizeof(part.cache));
	allocated(&slab, address, bytes, &part, SYSPROF_ORIGIN(site));
}

static __always_inline void slab_allocated(const void *address, u64 bytes, u64 requested, gfp_t gfp,
					   int node, const struct kmem_cache *cache,
					   unsigned long site)
{
	if (!ZERO_OR_NULL_PTR(address) && unlikely(!allocation_passes(&slab, address, bytes)))
		slab_asks(address, bytes, requested, gfp, node, cache, site);
}

/*
 * Up to 6.0 caches have trace points like those of kmalloc().  When hooked there, @of_cache is not
 * NULL.  An object of a cache counts with the requested size: padding between objects belongs to
 * none of them.
 */
static void kmalloc_hit(void *of_cache, unsigned long site, const void *address, size_t requested,
			size_t bytes, gfp_t gfp)
{
	slab_allocated(address, of_cache ? requested : bytes, requested, gfp, NUMA_NO_NODE, NULL,
		       site);
}

static void kmalloc_node_hit(void *of_cache, unsigned long site, const void *address,
			     size_t requested, size_t bytes, gfp_t gfp, int node)
{
	slab_allocated(address, of_cache ? requested : bytes, requested, gfp, node, NULL, site);
}

static void kmalloc_from_hit(void *of_cache, unsigned long site, const void *address,
			     struct kmem_cache *cache, size_t requested, size_t bytes, gfp_t gfp)
{
	slab_allocated(address, of_cache ? requested : bytes, requested, gfp, NUMA_NO_NODE, cache,
		       site);
}

static void kmalloc_from_node_hit(void *of_cache, unsigned long site, const void *address,
				  struct kmem_cache *cache, size_t requested, size_t bytes,
				  gfp_t gfp, int node)
{
	slab_allocated(address, of_cache ? requested : bytes, requested, gfp, node, cache, site);
}

static noinline void unknown_cache_hit(void *data, unsigned long site, const void *address,
				       struct kmem_cache *cache, gfp_t gfp, int node)
{
	u64 bytes = kmem_cache_size(cache);

	slab_allocated(address, bytes, bytes, gfp, node, cache, site);
}

static void cache_hit(void *data, unsigned long site, const void *address, struct kmem_cache *cache,
		      gfp_t gfp, int node)
{
	u64 bytes;

	/* Most allocations are only counted: a call would double what they take. */
	if (unlikely(!size_at)) {
		unknown_cache_hit(data, site, address, cache, gfp, node);
		return;
	}
	bytes = *(const u32 *)((const char *)cache + size_at);
	slab_allocated(address, bytes, bytes, gfp, node, cache, site);
}

static void kfree_hit(void *data, unsigned long site, const void *address)
{
	if (!ZERO_OR_NULL_PTR(address))
		freed(&slab, address);
}

static void cache_free_hit(void *data, unsigned long site, const void *address,
			   const struct kmem_cache *cache)
{
	kfree_hit(data, site, address);
}

static void called_free_hit(void *data, unsigned long site, const void *address, const char *cache)
{
	kfree_hit(data, site, address);
}

#define KMALLOC(name)                                                                              \
	SYSPROF_KMALLOC_PROBE(name, kmalloc_hit, kmalloc_node_hit, kmalloc_from_hit,               \
			      kmalloc_from_node_hit)
#define CACHE(name) SYSPROF_CACHE_PROBE(name, cache_hit, KMALLOC(name))

static const char of_cache[] = "";

/* Hooks of frees are put before hooks of allocations, and removed after them. */
static struct sysprof_hook slab_hooks[] = {
	{ "kfree", SYSPROF_TRACE_CHOOSE(kfree, kfree_hit, NULL, SYSPROF_ALLOC_HEAD) },
	{ "kmem_cache_free", SYSPROF_CACHE_FREE_PROBE(kmem_cache_free, cache_free_hit,
						      called_free_hit, kfree_hit) },
	{ "kmalloc", KMALLOC(kmalloc) },
	{ "kmem_cache_alloc", CACHE(kmem_cache_alloc), (void *)of_cache },
#ifdef SYSPROF_HAS_KMALLOC_NODE
	{ "kmalloc_node", KMALLOC(kmalloc_node) },
	{ "kmem_cache_alloc_node", CACHE(kmem_cache_alloc_node), (void *)of_cache },
#endif
};

/* Pages. */

static noinline void page_asks(struct page *page, unsigned int order, gfp_t gfp)
{
	struct sysprof_part_memory part = {
		.part = { .a = order },
		.gfp = (__force u32)gfp,
		.node = page_to_nid(page),
		.requested = PAGE_SIZE << order,
	};

	allocated(&pages, page, PAGE_SIZE << order, &part,
		  SYSPROF_ORIGIN((__force u32)gfp + order));
}

static void page_alloc_hit(void *data, struct page *page, unsigned int order, gfp_t gfp,
			   int migratetype)
{
	if (page && unlikely(!allocation_passes(&pages, page, PAGE_SIZE << order)))
		page_asks(page, order, gfp);
}

static void page_free_hit(void *data, struct page *page, unsigned int order)
{
	freed(&pages, page);
}

static struct sysprof_hook page_hooks[] = {
	{ "mm_page_free",
	  SYSPROF_TRACE_CHOOSE(mm_page_free, page_free_hit, NULL, struct page *, unsigned int) },
	{ "mm_page_alloc", SYSPROF_TRACE_CHOOSE(mm_page_alloc, page_alloc_hit, NULL, struct page *,
						unsigned int, gfp_t, int) },
};

/* Memory per CPU. */

static void percpu_allocated(const void __percpu *address, size_t bytes, gfp_t gfp)
{
	struct sysprof_part_memory part = {
		.gfp = (__force u32)gfp,
		.node = NUMA_NO_NODE,
		.requested = bytes,
	};

	if (address)
		allocated(&percpu, (const void *)(__force unsigned long)address,
			  bytes * num_possible_cpus(), &part, SYSPROF_ORIGIN(bytes));
}

/* For kernels up to 5.19. */
static void percpu_plain_hit(void *data, bool reserved, bool is_atomic, size_t bytes, size_t align,
			     void *base, int offset, void __percpu *address)
{
	percpu_allocated(address, bytes, 0);
}

static void percpu_hit(void *data, unsigned long site, bool reserved, bool is_atomic, size_t bytes,
		       size_t align, void *base, int offset, void __percpu *address, size_t of_all,
		       gfp_t gfp)
{
	percpu_allocated(address, bytes, gfp);
}

static void percpu_free_hit(void *data, void *base, int offset, void __percpu *address)
{
	freed(&percpu, (const void *)(__force unsigned long)address);
}

static struct sysprof_hook percpu_hooks[] = {
	{ "percpu_free_percpu", SYSPROF_TRACE_CHOOSE(percpu_free_percpu, percpu_free_hit, NULL,
						     void *, int, void __percpu *) },
	{ "percpu_alloc_percpu",
	  SYSPROF_TRACE_CHOOSE(percpu_alloc_percpu, percpu_hit,
			       SYSPROF_TRACE_CHOOSE(percpu_alloc_percpu, percpu_plain_hit, NULL,
						    bool, bool, size_t, size_t, void *, int,
						    void __percpu *),
			       unsigned long, bool, bool, size_t, size_t, void *, int,
			       void __percpu *, size_t, gfp_t) },
};

/* Areas of addresses. */

static void __maybe_unused area_hit(void *data, unsigned long address, unsigned long bytes,
				    unsigned long align, unsigned long from, unsigned long to,
				    int failed)
{
	struct sysprof_part_memory part = { .node = NUMA_NO_NODE, .requested = bytes };

	if (!failed)
		allocated(&areas, (const void *)address, bytes, &part, SYSPROF_ORIGIN(bytes));
}

static void __maybe_unused area_free_hit(void *data, unsigned long address, unsigned long n_lazy,
					 unsigned long n_lazy_max)
{
	freed(&areas, (const void *)address);
}

#ifdef SYSPROF_HAS_VMALLOC
#define AREA_ALLOC                                                                                 \
	SYSPROF_TRACE_CHOOSE(alloc_vmap_area, area_hit, NULL, unsigned long, unsigned long,        \
			     unsigned long, unsigned long, unsigned long, int)
#define AREA_FREE                                                                                  \
	SYSPROF_TRACE_CHOOSE(free_vmap_area_noflush, area_free_hit, NULL, unsigned long,           \
			     unsigned long, unsigned long)
#else
#define AREA_ALLOC NULL
#define AREA_FREE NULL
#endif

static struct sysprof_hook area_hooks[] = {
	{ "free_vmap_area_noflush", AREA_FREE },
	{ "alloc_vmap_area", AREA_ALLOC },
};

/* Caches. */

static void construct(void *object)
{
}

static unsigned int name_in(const char *cache)
{
	unsigned int at;
	const char *word;

	for (at = sizeof(word); at < CACHE_SPAN; at += sizeof(word)) {
		word = *(const char *const *)(cache + at);
		if (virt_addr_valid(word) && !strncmp(word, PROBE_NAME, sizeof(PROBE_NAME)))
			return at;
	}
	return 0;
}

static unsigned int size_in(const char *cache)
{
	unsigned int at;

	for (at = sizeof(u32); at < CACHE_SPAN; at += sizeof(u32))
		if (*(const u32 *)(cache + at) == PROBE_SIZE)
			return at;
	return 0;
}

/*
 * The kernel's headers do not say where a cache has its name and the size of its objects.  One with
 * a constructor is never merged with another, so both are in it.
 */
static void look_into_cache(void)
{
	struct kmem_cache *cache = kmem_cache_create(PROBE_NAME, PROBE_SIZE, 0, 0, construct);

	if (!cache)
		return;
	name_at = name_in((const char *)cache);
	if (kmem_cache_size(cache) == PROBE_SIZE)
		size_at = size_in((const char *)cache);
	kmem_cache_destroy(cache);
}

static void make_secret(void)
{
	mutex_lock(&secret_lock);
	if (!secret.key[0])
		get_random_bytes(&secret, sizeof(secret));
	mutex_unlock(&secret_lock);
}

static int kmem_begin(const struct layer *layer)
{
	make_secret();
	*layer->handles = sysprof_handles_create(BITS);
	return *layer->handles ? 0 : -ENOMEM;
}

static int begin_slab(void)
{
	if (!name_at)
		look_into_cache();
	return kmem_begin(&slab);
}

static int begin_pages(void)
{
	return kmem_begin(&pages);
}

static int begin_percpu(void)
{
	return kmem_begin(&percpu);
}

static int begin_areas(void)
{
	return kmem_begin(&areas);
}

static void kmem_end(const struct layer *layer)
{
	sysprof_handles_destroy(*layer->handles);
	*layer->handles = NULL;
}

static void end_slab(void)
{
	kmem_end(&slab);
}

static void end_pages(void)
{
	kmem_end(&pages);
}

static void end_percpu(void)
{
	kmem_end(&percpu);
}

static void end_areas(void)
{
	kmem_end(&areas);
}

struct sysprof_hooking sysprof_slab = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_slab),
	.hooks = slab_hooks,
	.n = ARRAY_SIZE(slab_hooks),
	.begin = begin_slab,
	.end = end_slab,
};

struct sysprof_hooking sysprof_pages = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_pages),
	.hooks = page_hooks,
	.n = ARRAY_SIZE(page_hooks),
	.begin = begin_pages,
	.end = end_pages,
};

struct sysprof_hooking sysprof_percpu = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_percpu),
	.hooks = percpu_hooks,
	.n = ARRAY_SIZE(percpu_hooks),
	.begin = begin_percpu,
	.end = end_percpu,
};

struct sysprof_hooking sysprof_vmalloc = {
	.arming = SYSPROF_HOOKING_ARMING(sysprof_vmalloc),
	.hooks = area_hooks,
	.n = ARRAY_SIZE(area_hooks),
	.begin = begin_areas,
	.end = end_areas,
};
