/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * glibc's own switch for this (glibc.malloc.hugetlb) can only be set in the environment of a
 * program, before it starts.
 */
#include "base/heap.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Address space: only the used part takes memory. */
#define HEAP_BYTES (256 << 20)
#define LARGE_PAGE_BYTES ((uintptr_t)2 << 20)
#define LARGE_BLOCK_BYTES (256 << 10)

void spt_heap_want_large_pages(void *block, size_t bytes)
{
	uintptr_t page = (uintptr_t)getpagesize(), start = (uintptr_t)block & -page,
		  end = ((uintptr_t)block + bytes + page - 1) & -page;

	/* All of its pages: realloc() cannot move a mapping of which only a part was advised. */
	if (bytes >= LARGE_PAGE_BYTES)
		madvise((void *)start, end - start, MADV_HUGEPAGE);
}

void spt_heap_in_large_pages(void)
{
#ifdef __GLIBC__
	uint8_t *start = sbrk(0), *end;
	void *volatile piece;	/* the compiler would drop an unused allocation */

	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, INT32_MAX);
	mallopt(M_TOP_PAD, HEAP_BYTES);
	piece = malloc(LARGE_PAGE_BYTES);
	free(piece);
	mallopt(M_TOP_PAD, LARGE_PAGE_BYTES);
	end = sbrk(0);
	if (end > start)
		spt_heap_want_large_pages(start, (size_t)(end - start));
#endif
}

void spt_heap_give_back(void)
{
#ifdef __GLIBC__
	/* Once set, the threshold does not grow by itself. */
	mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
#endif
}
