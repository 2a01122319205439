/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program with an allocator of its own inside, as one linked with a static jemalloc, that has all
 * functions but reallocarray().  What the C library does for that one has to come here, too.
 */
#include <malloc.h>

#include "odd.h"

#define AREA_BYTES (64UL << 20)

static char area[AREA_BYTES] __attribute__((aligned(64)));
static size_t used;

static bool is_ours(const void *block)
{
	return (const char *)block >= area && (const char *)block < area + AREA_BYTES;
}

/* The size is in front of the block. */
static void *take(size_t alignment, size_t bytes)
{
	size_t all = (bytes + alignment + 31) & ~(size_t)15;
	size_t at = __atomic_fetch_add(&used, all, __ATOMIC_RELAXED);
	size_t begin = (at + 16 + alignment - 1) & -alignment;

	if (at + all > AREA_BYTES)
		return NULL;
	memcpy(area + begin - 8, &bytes, 8);
	return area + begin;
}

void *malloc(size_t bytes)
{
	return take(16, bytes);
}

void *calloc(size_t n, size_t bytes)
{
	return take(16, n * bytes);
}

void free(void *block)
{
	if (block && !is_ours(block))
		abort();
}

void *realloc(void *old, size_t bytes)
{
	void *block = take(16, bytes);
	size_t old_bytes;

	if (!old || !block)
		return block;
	if (!is_ours(old))
		abort();
	memcpy(&old_bytes, (char *)old - 8, 8);
	return memcpy(block, old, old_bytes < bytes ? old_bytes : bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
	return take(alignment < 16 ? 16 : alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
	return memalign(alignment, bytes);
}

int posix_memalign(void **ret, size_t alignment, size_t bytes)
{
	*ret = memalign(alignment, bytes);
	return 0;
}

int main(void)
{
	char *block, *line = NULL;

	odd_begin();
	odd_allocate(1000);
	counted_wait();
	block = reallocarray(NULL, 10, 10);
	strcpy(block, "it stays");
	printf("reallocarray: %s\n", is_ours(block) ? "ours" : "another one's");
	block = reallocarray(block, 100, 100);
	printf("and again: %s, %s\n", is_ours(block) ? "ours" : "another one's", block);
	free(block);
	line = strdup("a copy");
	printf("strdup: %s\n", is_ours(line) ? "ours" : "another one's");
	free(line);
	return 0;
}
