/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs map, by address: munmap() may take a part of one mapping, or several. */
#include "record/memory-private.h"

static int by_address(gconstpointer a, gconstpointer b, gpointer data)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	(void)data;
	return x < y ? -1 : x > y;
}

GTree *spt_mappings_new(void)
{
	return g_tree_new_full(by_address, NULL, NULL, g_free);
}

static uint64_t memory_mappings_end_of(const SptBlock *mapping)
{
	return mapping->address + mapping->bytes;
}

static void memory_mappings_add(GTree *mappings, const SptBlock *mapping, uint64_t start,
				uint64_t end)
{
	SptBlock *added;

	if (start >= end)
		return;
	added = g_memdup2(mapping, sizeof(*mapping));
	added->address = start;
	added->bytes = end - start;
	g_tree_insert(mappings, (gpointer)(uintptr_t)start, added);
}

/* The first one with a part in [@start, @end); NULL: there is none. */
static const SptBlock *first_in(GTree *mappings, uint64_t start, uint64_t end)
{
	GTreeNode *above = g_tree_upper_bound(mappings, (gpointer)(uintptr_t)start);
	GTreeNode *below = above ? g_tree_node_previous(above) : g_tree_node_last(mappings);
	const SptBlock *mapping = below ? g_tree_node_value(below) : NULL;

	if (mapping && memory_mappings_end_of(mapping) > start)
		return mapping;
	mapping = above ? g_tree_node_value(above) : NULL;
	return mapping && mapping->address < end ? mapping : NULL;
}

/* Takes [@start, @end) out of the mappings; appends what was there to @ret_parts. */
static void memory_mappings_cut(GTree *mappings, uint64_t start, uint64_t end, GArray *ret_parts)
{
	const SptBlock *found;

	/* munmap() of no bytes fails, but is reported before. */
	while (start < end && (found = first_in(mappings, start, end))) {
		SptBlock mapping = *found, part = mapping;

		g_tree_remove(mappings, (gpointer)(uintptr_t)mapping.address);
		memory_mappings_add(mappings, &mapping, mapping.address,
				    MIN(start, memory_mappings_end_of(&mapping)));
		memory_mappings_add(mappings, &mapping, MAX(end, mapping.address),
				    memory_mappings_end_of(&mapping));
		part.address = MAX(start, mapping.address);
		part.bytes = MIN(end, memory_mappings_end_of(&mapping)) - part.address;
		g_array_append_val(ret_parts, part);
	}
}

void spt_mappings_settle(SptMemory *memory, struct spt_memory_ring *ring)
{
	for (unsigned i = 0; i < ring->unmapped->len; i++) {
		const SptBlock *part = &g_array_index(ring->unmapped, SptBlock, i);
		const struct spt_block_end end = {
			.time = part->time,
			.duration_ns = ring->unmapped_time - part->time,
			.flags = SPT_ALLOCATION_MAPPING |
				 (part->ring == ring->number ? 0 : SPT_ALLOCATION_CROSSED),
		};

		memory->status.unmapped_bytes += part->bytes;
		spt_memory_put_row(memory, part, &end);
	}
	g_array_set_size(ring->unmapped, 0);
}

void spt_mappings_unmap(SptMemory *memory, struct spt_memory_ring *ring, uint64_t time)
{
	const SptRingRecord *record = &ring->next;

	(void)memory;
	ring->unmapped_time = time;
	memory_mappings_cut(ring->image->mappings, record->address, record->address + record->bytes,
			    ring->unmapped);
}

void spt_mappings_unmap_failed(SptMemory *memory, struct spt_memory_ring *ring)
{
	GTree *mappings = ring->image->mappings;

	(void)memory;
	for (unsigned i = 0; i < ring->unmapped->len; i++) {
		const SptBlock *part = &g_array_index(ring->unmapped, SptBlock, i);

		if (!first_in(mappings, part->address, memory_mappings_end_of(part)))
			memory_mappings_add(mappings, part, part->address,
					    memory_mappings_end_of(part));
	}
	g_array_set_size(ring->unmapped, 0);
}

void spt_mappings_map(SptMemory *memory, struct spt_memory_ring *ring, uint64_t time)
{
	const SptRingRecord *record = &ring->next;
	const SptBlock mapping = {
		.time = time,
		.handle = memory->next_handle++,
		.node = spt_memory_node(memory, ring, record->node),
		.ring = ring->number,
	};

	/* What is there still was unmapped by what the library does not see. */
	spt_mappings_unmap(memory, ring, time);
	spt_mappings_settle(memory, ring);
	memory->status.mappings++;
	memory->status.mapped_bytes += record->bytes;
	memory_mappings_add(ring->image->mappings, &mapping, record->address,
			    record->address + record->bytes);
}

static gboolean put_open(gpointer address, gpointer data, gpointer user_data)
{
	const SptBlock *mapping = data;
	const struct spt_block_end end = {
		.time = mapping->time,
		.flags = SPT_ALLOCATION_MAPPING | SPT_ALLOCATION_OPEN,
	};

	(void)address;
	spt_memory_put_row(user_data, mapping, &end);
	return FALSE;
}

void spt_mappings_put_open(SptMemory *memory, struct spt_image *image)
{
	g_tree_foreach(image->mappings, put_open, memory);
	g_tree_unref(image->mappings);
	image->mappings = spt_mappings_new();
}
