// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects that are freed in bulk, which the kernel does not report, and whose addresses are given
 * out again.  When it is loaded the module allocates n objects and frees them in bulk, at freed_ns.
 * Then it allocates and frees single ones.
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>

#define OBJECT_BYTES	336
#define AT_ONCE		64

static unsigned int n = 7000;
module_param(n, uint, 0444);
static unsigned long freed_ns;
module_param(freed_ns, ulong, 0444);

static struct kmem_cache *cache;
static void **objects;

static void construct(void *object)
{
}

/* So that a reader can follow. */
static void rest(unsigned int i)
{
	if (i % AT_ONCE == AT_ONCE - 1)
		msleep(10);
}

static void free_in_bulk(void)
{
	unsigned int i;

	freed_ns = ktime_get_mono_fast_ns();
	for (i = 0; i < n; i += AT_ONCE)
		kmem_cache_free_bulk(cache, min_t(unsigned int, AT_ONCE, n - i), objects + i);
}

static bool allocate_all(void)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		if (!objects[i])
			return false;
		rest(i);
	}
	return true;
}

static int __init bulk_init(void)
{
	unsigned int i;
	int err = -ENOMEM;

	/* With a constructor it is not merged with another cache. */
	cache = kmem_cache_create("bulk-cache", OBJECT_BYTES, 0, 0, construct);
	objects = vzalloc(n * sizeof(*objects));
	if (!cache || !objects || !allocate_all())
		goto out;
	free_in_bulk();
	if (!allocate_all())
		goto out;
	for (i = 0; i < n; i++) {
		kmem_cache_free(cache, objects[i]);
		rest(i);
	}
	err = 0;
out:
	kmem_cache_destroy(cache);
	vfree(objects);
	return err;
}

static void __exit bulk_exit(void)
{
}

module_init(bulk_init);
module_exit(bulk_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("objects freed in bulk");
