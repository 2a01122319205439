/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory was taken at most at one time, as the address sanitizer's allocator sees it. */
#ifndef SPT_TESTS_PEAK_H
#define SPT_TESTS_PEAK_H

#include <stddef.h>

/* Part of the sanitizer's runtime; its header does not come with every compiler. */
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *, size_t),
					      void (*on_free)(const volatile void *));
size_t __sanitizer_get_allocated_size(const volatile void *memory);

static size_t peak_live, peak_most;

static void peak_on_malloc(const volatile void *memory, size_t bytes)
{
	(void)memory;
	peak_live += bytes;
	if (peak_live > peak_most)
		peak_most = peak_live;
}

static void peak_on_free(const volatile void *memory)
{
	if (memory)
		peak_live -= __sanitizer_get_allocated_size(memory);
}

/* Once, at the start of a program of one thread. */
static inline void peak_watch(void)
{
	__sanitizer_install_malloc_and_free_hooks(peak_on_malloc, peak_on_free);
}

/* From here on; what is held already does not count.  Returns what peak_since() wants. */
static inline size_t peak_begin(void)
{
	peak_most = peak_live;
	return peak_live;
}

static inline size_t peak_since(size_t begin)
{
	return peak_most - begin;
}

#endif
