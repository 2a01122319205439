/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captures made by hand, as nobody's writer makes them, opened from memory. */
#ifndef SPT_TESTS_HOSTILE_H
#define SPT_TESTS_HOSTILE_H

#include "capture/capture.h"

#include <sys/mman.h>
#include <unistd.h>

#include "../gen/capture-blocks.h"
#include "../gen/peak.h"

/* What opening a file of @bytes may take. */
#define MEMORY_OF(bytes) (32 * (size_t)(bytes) + (64 << 20))

/* A file in memory with a name that can be opened. */
typedef struct {
	char path[64];
	int fd;
} Memory;

static inline Memory memory_new(const void *data, size_t bytes)
{
	Memory memory = { .fd = memfd_create("capture", MFD_CLOEXEC) };

	g_assert_cmpint(memory.fd, >=, 0);
	g_assert_cmpint(write(memory.fd, data, bytes), ==, (ssize_t)bytes);
	g_snprintf(memory.path, sizeof(memory.path), "/proc/self/fd/%d", memory.fd);
	return memory;
}

static inline SptCapture *open_bytes(const void *data, size_t bytes, GError **error)
{
	Memory memory = memory_new(data, bytes);
	size_t begin = peak_begin();
	SptCapture *capture = spt_capture_open(memory.path, error);

	g_assert_cmpuint(peak_since(begin), <=, MEMORY_OF(bytes));
	close(memory.fd);
	return capture;
}

static inline SptCapture *open_blocks(const Blocks *blocks)
{
	g_autoptr(GError) error = NULL;
	SptCapture *capture = open_bytes(blocks->file->data, blocks->file->len, &error);

	g_assert_no_error(error);
	return capture;
}

/* Begins with a fact, so that there is always something whole before the damage. */
static inline void begin_hostile(Blocks *blocks)
{
	blocks_init(blocks);
	blocks_begin(blocks, 1);
	ADD_TEXTS(blocks, 1, TEXT("host"));
	ADD_TEXTS(blocks, 2, TEXT("hostile"));
	blocks_end(blocks, SPT_BLOCK_HOST);
}

static inline void declare_samples(Blocks *blocks)
{
	blocks_begin(blocks, 1);
	ADD_NUMBERS(blocks, 1, 1);
	ADD_TEXTS(blocks, 3, TEXT("samples"));
	blocks_end(blocks, SPT_BLOCK_STREAM);
	blocks_begin(blocks, 4);
	ADD_NUMBERS(blocks, 1, 1, 1, 1, 1);
	ADD_NUMBERS(blocks, 2, 10, 20, 30, 40);
	ADD_NUMBERS(blocks, 3, SPT_ROLE_TIME, SPT_ROLE_THREAD, SPT_ROLE_NODE, SPT_ROLE_WEIGHT);
	blocks_end(blocks, SPT_BLOCK_STREAM_COLUMN);
}

#endif
