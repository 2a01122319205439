/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mappings in any order: fuzz-mappings [--rounds N] FILE..., whose bytes are calls of mmap() and
 * munmap() in two threads.  The table of mappings is what a plain array of pages says, and each
 * byte that was mapped is in one row.
 */
#include "record/memory-private.h"

#include "mutate.h"

#define PAGES	   64u
#define PAGE_BYTES 4096u
#define BASE	   0x7f0000000000ULL
#define RINGS	   2u
#define CALL_BYTES 3u

struct world {
	SptMemory memory;
	struct spt_image image;
	struct spt_memory_ring rings[RINGS];
	uint64_t pages[PAGES];		/* handles; 0: nothing is mapped */
	uint64_t dropped;		/* bytes that a failed munmap() could not give back */
};

static unsigned page_of(uint64_t address)
{
	return (unsigned)((address - BASE) / PAGE_BYTES);
}

static gboolean look(gpointer key, gpointer data, gpointer user_data)
{
	const SptBlock *mapping = data;
	uint64_t *pages = user_data;

	g_assert_cmpuint((uintptr_t)key, ==, mapping->address);
	g_assert_cmpuint(mapping->bytes, >, 0);
	for (uint64_t at = 0; at < mapping->bytes; at += PAGE_BYTES) {
		uint64_t *page = &pages[page_of(mapping->address + at)];

		g_assert_cmpuint(*page, ==, 0);
		*page = mapping->handle;
	}
	return FALSE;
}

static void compare(struct world *world)
{
	uint64_t pages[PAGES] = { 0 };

	g_tree_foreach(world->image.mappings, look, pages);
	g_assert_cmpint(memcmp(pages, world->pages, sizeof(pages)), ==, 0);
}

static uint64_t pending_bytes(const struct spt_memory_ring *ring)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < ring->unmapped->len; i++)
		bytes += g_array_index(ring->unmapped, SptBlock, i).bytes;
	return bytes;
}

/* What it could not take stays where it was, unless another thread has mapped something there. */
static void fail(struct world *world, struct spt_memory_ring *ring)
{
	for (unsigned i = 0; i < ring->unmapped->len; i++) {
		const SptBlock *part = &g_array_index(ring->unmapped, SptBlock, i);
		unsigned first = page_of(part->address), n = (unsigned)(part->bytes / PAGE_BYTES);
		bool is_free = true;

		for (unsigned page = first; page < first + n; page++)
			is_free &= !world->pages[page];
		for (unsigned page = first; is_free && page < first + n; page++)
			world->pages[page] = part->handle;
		world->dropped += is_free ? 0 : part->bytes;
	}
	spt_mappings_unmap_failed(&world->memory, ring);
}

static void call(struct world *world, const uint8_t *bytes, uint64_t time)
{
	struct spt_memory_ring *ring = &world->rings[bytes[0] & 1];
	unsigned first = bytes[1] % PAGES, n = bytes[2] % (PAGES - first + 1);
	uint64_t handle = 0;

	ring->next = (SptRingRecord){ .address = BASE + first * PAGE_BYTES,
				      .bytes = (uint64_t)n * PAGE_BYTES };
	if (bytes[0] >> 1 & 1 && bytes[0] & 4) {
		fail(world, ring);
		return;
	}
	spt_mappings_settle(&world->memory, ring);
	if (bytes[0] >> 1 & 1) {
		handle = world->memory.next_handle;
		spt_mappings_map(&world->memory, ring, time);
	} else {
		spt_mappings_unmap(&world->memory, ring, time);
	}
	for (unsigned page = first; page < first + n; page++)
		world->pages[page] = handle;
}

/* Rows wait for threads that never come. */
static uint64_t bytes_of_rows(const SptMemory *memory)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < memory->late->len; i++) {
		const struct spt_late_row *row =
			&g_array_index(memory->late, struct spt_late_row, i);

		g_assert_true(row->end.flags & SPT_ALLOCATION_MAPPING);
		bytes += row->block.bytes;
	}
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct world world = { .memory.next_handle = 1, .image.mappings = spt_mappings_new() };
	SptMemory *memory = &world.memory;
	uint64_t pending = 0;

	memory->owners = g_array_new(FALSE, TRUE, sizeof(struct spt_owner));
	g_array_set_size(memory->owners, 1 + RINGS);
	memory->late = g_array_new(FALSE, FALSE, sizeof(struct spt_late_row));
	for (unsigned i = 0; i < RINGS; i++)
		world.rings[i] = (struct spt_memory_ring){
			.number = 1 + i,
			.image = &world.image,
			.nodes = g_array_new(FALSE, TRUE, sizeof(uint32_t)),
			.unmapped = g_array_new(FALSE, FALSE, sizeof(SptBlock)),
		};
	for (size_t i = 0; i + CALL_BYTES <= bytes; i += CALL_BYTES) {
		call(&world, data + i, 1 + i);
		compare(&world);
	}
	for (unsigned i = 0; i < RINGS; i++)
		pending += pending_bytes(&world.rings[i]);
	spt_mappings_put_open(memory, &world.image);
	g_assert_cmpuint(bytes_of_rows(memory) + pending + world.dropped, ==,
			 memory->status.mapped_bytes);
	g_tree_unref(world.image.mappings);
	for (unsigned i = 0; i < RINGS; i++) {
		g_array_unref(world.rings[i].nodes);
		g_array_unref(world.rings[i].unmapped);
	}
	g_array_unref(memory->owners);
	g_array_unref(memory->late);
	return 0;
}

#ifndef SPT_LIBFUZZER

int main(int argc, char **argv)
{
	return mutate_main(argc, argv, "fuzz-mappings", mutate_bytes);
}

#endif
