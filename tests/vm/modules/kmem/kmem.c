// SPDX-License-Identifier: GPL-2.0-only
/*
 * A known answer for memory of the kernel, which the module allocates when it is loaded.
 * churn_known() allocates and frees n times 200 bytes (kmalloc gives 256).  leak_known() allocates
 * n times 1000 (1024) and keeps them.  cache_known() allocates n objects of a cache of its own, of
 * which it frees every other one.  pages_known() allocates n / 16 times four pages, of which it
 * keeps every fourth.  percpu_known() allocates n / 16 times 64 bytes for each CPU, and
 * areas_known() as many areas of 32 KiB; they keep every other one.  All is freed when the module
 * goes.  With pause=M it sleeps 10 ms after every M, so that a reader can follow.
 */
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#define OBJECT_BYTES 312

static unsigned int n = 1000, pause;
module_param(n, uint, 0444);
module_param(pause, uint, 0444);

static struct kmem_cache *cache;
static void **leaked, **objects;
static struct page **pages;
static void __percpu **percpu;
static void **areas;

static void construct(void *object)
{
}

static void rest(unsigned int i)
{
	if (pause && i % pause == pause - 1)
		msleep(10);
}

static noinline void churn_known(void)
{
	unsigned int i;
	void *block;

	for (i = 0; i < n; i++) {
		block = kmalloc(200, GFP_KERNEL);
		barrier_data(block);
		kfree(block);
		rest(i);
	}
}

static noinline void leak_known(void)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		leaked[i] = kmalloc(1000, GFP_KERNEL);
		rest(i);
	}
}

static noinline void cache_known(void)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		objects[i] = kmem_cache_alloc(cache, GFP_KERNEL);
		rest(i);
	}
	for (i = 0; i < n; i += 2) {
		kmem_cache_free(cache, objects[i]);
		objects[i] = NULL;
		rest(i / 2);
	}
}

static noinline void pages_known(void)
{
	unsigned int i;

	for (i = 0; i < n / 16; i++) {
		pages[i] = alloc_pages(GFP_KERNEL, 2);
		if (i % 4 && pages[i]) {
			__free_pages(pages[i], 2);
			pages[i] = NULL;
		}
		rest(i);
	}
}

static noinline void percpu_known(void)
{
	unsigned int i;

	for (i = 0; i < n / 16; i++) {
		percpu[i] = __alloc_percpu(64, 64);
		if (i % 2) {
			free_percpu(percpu[i]);
			percpu[i] = NULL;
		}
		rest(i);
	}
}

static noinline void areas_known(void)
{
	unsigned int i;

	for (i = 0; i < n / 16; i++) {
		areas[i] = vmalloc(32 << 10);
		if (i % 2) {
			vfree(areas[i]);
			areas[i] = NULL;
		}
		rest(i);
	}
}

static void free_all(void)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		kfree(leaked[i]);
		if (objects[i])
			kmem_cache_free(cache, objects[i]);
		if (pages[i])
			__free_pages(pages[i], 2);
		free_percpu(percpu[i]);
		vfree(areas[i]);
	}
	kmem_cache_destroy(cache);
	vfree(percpu);
	vfree(areas);
	vfree(leaked);
	vfree(objects);
	vfree(pages);
}

static int __init kmem_init(void)
{
	/* With a constructor it is not merged with another cache. */
	cache = kmem_cache_create("known-cache", OBJECT_BYTES, 0, 0, construct);
	leaked = vzalloc(n * sizeof(*leaked));
	objects = vzalloc(n * sizeof(*objects));
	pages = vzalloc(n * sizeof(*pages));
	percpu = vzalloc(n * sizeof(*percpu));
	areas = vzalloc(n * sizeof(*areas));
	if (!cache || !leaked || !objects || !pages || !percpu || !areas)
		return -ENOMEM;
	churn_known();
	leak_known();
	cache_known();
	pages_known();
	percpu_known();
	areas_known();
	return 0;
}

static void __exit kmem_exit(void)
{
	free_all();
}

module_init(kmem_init);
module_exit(kmem_exit);

MODULE_DESCRIPTION("Memory of the kernel that is known");
MODULE_LICENSE("GPL");
