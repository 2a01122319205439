/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gen-rings DIRECTORY: words as programs write them into their rings (rings/layout.h). */
#include "rings/layout.h"

#include <glib.h>
#include <string.h>

static void put(GArray *words, uint64_t word)
{
	g_array_append_val(words, word);
}

static void put_event(GArray *words, unsigned type, uint64_t passed, uint64_t pointer)
{
	put(words, type | passed << SPT_RING_MORE_SHIFT | pointer << SPT_RING_POINTER_SHIFT);
}

static void put_object(GArray *words, uint64_t start, const char *path)
{
	unsigned n = (unsigned)(strlen(path) + 1 + 7) / 8;
	g_autofree uint64_t *padded = g_new0(uint64_t, n);

	memcpy(padded, path, strlen(path));
	put_event(words, SPT_RING_OBJECT, SPT_RING_OBJECT_WORDS + n, start);
	put(words, start + 0x10000);
	put(words, 0x1000);
	put(words, 0x801);
	put(words, 1234);
	g_array_append_vals(words, padded, n);
}

/* A function of a script, and a frame of it. */
static void put_code(GArray *words, uint64_t number)
{
	const unsigned n = 3 * (unsigned)number;

	put_event(words, SPT_RING_CODE, SPT_RING_CODE_WORDS + n, number);
	put(words, 0x400000);
	put(words, 0x01030b00);
	put(words, n * 8);
	put(words, 0);
	for (unsigned i = 0; i < n; i++)
		put(words, 0x6e6f6974636e7566);
	put(words, SPT_RING_NODE | SPT_RING_NODE_SCRIPT |
			   (number << SPT_NODE_CODE_SHIFT | 7) << SPT_RING_POINTER_SHIFT);
	put(words, number + SPT_NODE_FIRST);
}

static void put_calls(GArray *words, uint64_t seed)
{
	for (uint64_t i = 0; i < 40; i++) {
		uint64_t pointer = 0x7f0000000000 + (i * 7 + seed) % 11 * 16;

		put(words, SPT_RING_NODE | (i % 7 ? 0 : SPT_RING_NODE_EXACT) |
				   (0x400000 + i) << SPT_RING_POINTER_SHIFT);
		put(words, (i ? i + 1 : 0) << 32 | (i + SPT_NODE_FIRST));
		put_event(words, SPT_RING_ALLOC, i, pointer);
		put(words, (i + SPT_NODE_FIRST) << 32 | i * 10);
		put_event(words, SPT_RING_FREE, 3, pointer);
		put_event(words, SPT_RING_ALLOC, 2, pointer);
		put(words, i << 32 | i);
		put_event(words, i % 2 ? SPT_RING_FREE_STACK : SPT_RING_REALLOC_FREE_STACK, 1,
			  pointer);
		put(words, i << 32);
		put_event(words, SPT_RING_BIG, 5, pointer);
		put(words, 1ULL << 33);
		put(words, SPT_NODE_INCOMPLETE);
		put_event(words, SPT_RING_REALLOC_FREE, 4, pointer);
		put_event(words, i % 3 ? SPT_RING_REALLOC_ALLOC : SPT_RING_REALLOC_FAILED, 4,
			  pointer);
		if (i % 3) {
			put(words, 100);
			put(words, i + SPT_NODE_FIRST);
		}
		put_event(words, SPT_RING_WAIT, 6, i % 4);
		put(words, i % 5 ? 1000000 * i : UINT64_MAX >> i % 3);
		put(words, i + SPT_NODE_FIRST);
		put(words, SPT_RING_TIME | (100000 * i + seed) << SPT_RING_MORE_SHIFT);
	}
}

int main(int argc, char **argv)
{
	for (unsigned i = 0; argc > 1 && i < 4; i++) {
		g_autoptr(GArray) words = g_array_new(FALSE, FALSE, sizeof(uint64_t));
		g_autofree char *path = g_strdup_printf("%s/%u", argv[1], i);

		put(words, SPT_RING_TIME | 1000000ULL << SPT_RING_MORE_SHIFT);
		put(words, SPT_RING_RESET);
		put_object(words, 0x400000, i % 2 ? "/usr/bin/program" : "linux-vdso.so.1");
		put_calls(words, i);
		for (unsigned code = 1; code < 5; code++)
			put_code(words, i * 100 + code);
		if (!g_file_set_contents(path, words->data,
					 (gssize)words->len * (gssize)sizeof(uint64_t), NULL))
			return 1;
	}
	return argc > 1 ? 0 : 2;
}
