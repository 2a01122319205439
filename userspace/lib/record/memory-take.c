/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of the rings become blocks, and blocks become rows. */
#include <math.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "base/heap.h"
#include "base/sort.h"
#include "record/memory-private.h"
#include "record/stacks.h"
#include "sysprof.h"

/* How long a ring waits until the source reports the object or thread that it names. */
#define PATIENCE_NS 1000000000ULL
/* Programs choose the names. */
#define MOST_GIVEN_UP 4096
/* Some ten events of a ring: as long as their memory takes. */
#define WORDS_AHEAD 16
/* Times are multiples of it, except where two would be equal. */
#define TIME_STEP_NS 128ULL

/* Stacks. */

static const struct spt_known_object *known_object(const SptMemory *memory,
						   const SptRingRecord *record)
{
	const GArray *known = g_hash_table_lookup(memory->objects, &record->inode);
	const struct spt_known_object *found = NULL;

	/* In a sandbox a program knows only the name. */
	if (!record->inode)
		return g_hash_table_lookup(memory->by_path, record->path);
	for (unsigned i = 0; known && i < known->len; i++) {
		const struct spt_known_object *object =
			&g_array_index(known, struct spt_known_object, i);

		if ((object->dev_major == major(record->device) &&
		     object->dev_minor == minor(record->device)) ||
		    strcmp(object->path, record->path) == 0)
			found = object;
	}
	return found;
}

/* Whether the ring has waited long enough for an unknown object or thread. */
static bool is_patient(SptMemory *memory, struct spt_memory_ring *ring)
{
	if (memory->is_ending)
		return false;
	if (!ring->held_ns)
		ring->held_ns = memory->now_ns;
	return memory->now_ns - ring->held_ns < PATIENCE_NS;
}

/*
 * Objects for which a ring waited in vain, as a file that was deleted once it was loaded.  Each
 * thread has them anew, and waiting once is enough: all other rings wait meanwhile.
 */
static char *memory_take_name_of(const SptRingRecord *record)
{
	return g_strdup_printf("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s",
			       (guint64)record->device, (guint64)record->inode, record->path);
}

static bool is_given_up(const SptMemory *memory, const SptRingRecord *record)
{
	g_autofree char *name = memory->given_up ? memory_take_name_of(record) : NULL;

	return name && g_hash_table_contains(memory->given_up, name);
}

static void memory_take_give_up(SptMemory *memory, const SptRingRecord *record)
{
	if (!memory->given_up)
		memory->given_up = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	if (g_hash_table_size(memory->given_up) < MOST_GIVEN_UP)
		g_hash_table_add(memory->given_up, memory_take_name_of(record));
}

/* False: the source has not reported the object yet. */
static bool memory_take_take_object(SptMemory *memory, struct spt_memory_ring *ring)
{
	const SptRingRecord *record = &ring->next;
	const struct spt_known_object *known = known_object(memory, record);
	struct spt_code code = { record->address, record->end, record->offset,
				 known ? known->id : 0 };

	if (g_str_has_prefix(record->path, "linux-vdso"))
		code.object = SYSPROF_OBJECT_VDSO;
	if (!code.object && !is_given_up(memory, record) && is_patient(memory, ring))
		return false;
	if (!code.object)
		memory_take_give_up(memory, record);
	ring->held_ns = 0;
	g_array_append_val(ring->code, code);
	return true;
}

static SptFrame memory_take_frame_at(const struct spt_memory_ring *ring, uint64_t address)
{
	bool is_exact = address & SPT_NODE_EXACT;
	uint64_t at = (address & ~SPT_NODE_EXACT) - !is_exact;
	SptFrame frame = { .kind = is_exact ? SPT_FRAME_EXACT : SPT_FRAME_CALL };

	for (unsigned i = ring->code->len; i-- > 0;) {
		const struct spt_code *code = &g_array_index(ring->code, struct spt_code, i);

		if (at < code->start || at >= code->end)
			continue;
		frame.object = code->object;
		frame.offset = code->object ? at - code->start + code->offset : 0;
		break;
	}
	return frame;
}

uint32_t spt_memory_object_at(const struct spt_memory_ring *ring, uint64_t address)
{
	return memory_take_frame_at(ring, address | SPT_NODE_EXACT).object;
}

uint32_t spt_memory_node(SptMemory *memory, const struct spt_memory_ring *ring, uint32_t node)
{
	const SptFrame incomplete = { .object = SPT_STACKS_INCOMPLETE, .kind = SPT_FRAME_EXACT };

	if (node == SPT_NODE_INCOMPLETE)
		return spt_stash_child(memory->stash, 0, &incomplete);
	return node < ring->nodes->len ? g_array_index(ring->nodes, uint32_t, node) : 0;
}

static void memory_take_take_node(SptMemory *memory, struct spt_memory_ring *ring)
{
	const SptRingRecord *record = &ring->next;
	uint32_t parent = spt_memory_node(memory, ring, record->parent), node;
	SptFrame frame;

	if (record->is_script) {
		node = spt_memory_script_node(memory, ring, parent);
	} else {
		frame = memory_take_frame_at(ring, record->address);
		node = spt_stash_child(memory->stash, parent, &frame);
	}
	if (record->node >= ring->nodes->len)
		g_array_set_size(ring->nodes, record->node + 1);
	g_array_index(ring->nodes, uint32_t, record->node) = node;
}

/* Takes the record that was read, and the next ones up to an event. */
static void take_others(SptMemory *memory, struct spt_memory_ring *ring)
{
	ring->has_object = false;
	do {
		switch (ring->next.type) {
		case SPT_RING_NODE:
			memory_take_take_node(memory, ring);
			break;
		case SPT_RING_OBJECT:
			ring->has_object = !memory_take_take_object(memory, ring);
			if (ring->has_object)
				return;
			break;
		case SPT_RING_RESET:
			g_array_set_size(ring->nodes, 0);
			g_array_set_size(ring->code, 0);
			spt_memory_forget_scripts(memory, ring);
			break;
		case SPT_RING_CODE:
			spt_memory_take_code(memory, ring);
			break;
		default:
			ring->has_next = true;
			return;
		}
	} while (spt_ring_reader_next(&ring->reader, &ring->next));
}

static inline void memory_take_advance(SptMemory *memory, struct spt_memory_ring *ring)
{
	ring->has_next = spt_ring_reader_next(&ring->reader, &ring->next);
	if (ring->has_next && !spt_ring_type_is_event(ring->next.type)) {
		ring->has_next = false;
		take_others(memory, ring);
	}
}

bool spt_memory_advance(SptMemory *memory, struct spt_memory_ring *ring)
{
	if (ring->image->is_ignored)
		ring->reader.at = ring->reader.end;
	else if (ring->has_object)
		take_others(memory, ring);
	else if (!ring->has_next)
		memory_take_advance(memory, ring);
	return !ring->has_object;
}

static uint32_t make_output_node(SptMemory *memory, SptStash *stash, uint32_t own)
{
	const SptNode *node = spt_stash_node(memory->stash, own);
	uint32_t made;

	if (own >= memory->nodes->len)
		g_array_set_size(memory->nodes, own + 1);
	made = g_array_index(memory->nodes, uint32_t, own);
	if (!own || made)
		return made;
	made = spt_stash_child(stash, make_output_node(memory, stash, node->parent), &node->frame);
	g_array_index(memory->nodes, uint32_t, own) = made;
	return made;
}

/* Before nodes are turned into ones of the output: its stash may be another one by now. */
static void look_at_stash(SptMemory *memory)
{
	unsigned number;

	memory->output_stash = spt_output_stash(memory->output, &number);
	if (number != memory->stash_number)
		g_array_set_size(memory->nodes, 0);
	memory->stash_number = number;
}

/* Turns a node of the memory's own stash into one of the output's. */
static inline uint32_t output_node(SptMemory *memory, uint32_t own)
{
	uint32_t made;

	if (!own)
		return 0;
	made = own < memory->nodes->len ? g_array_index(memory->nodes, uint32_t, own) : 0;
	return made ? made : make_output_node(memory, memory->output_stash, own);
}

/* Rows. */

void spt_memory_put_rows(SptMemory *memory)
{
	if (memory->n_rows)
		spt_output_put_rows(memory->output, SPT_ROW_ALLOCATION, memory->rows,
				    memory->n_rows);
	memory->n_rows = 0;
	if (!memory->failure && spt_output_is_full(memory->output) &&
	    spt_memory_has_room(memory, &memory->failure))
		spt_output_flush(memory->output, memory->now_ns, &memory->failure);
}

/* 0: it is not known, and that is counted. */
static uint32_t memory_take_thread_of(SptMemory *memory, const SptBlock *block)
{
	struct spt_owner *owner = &g_array_index(memory->owners, struct spt_owner, block->ring);

	if (!owner->thread && !owner->is_nameless) {
		owner->is_nameless = true;
		memory->status.nameless++;
	}
	return owner->thread;
}

static void write_wait(SptMemory *memory, const SptBlock *block, const struct spt_block_end *end)
{
	SptWaitRow row = {
		.time = end->time,
		.duration_ns = end->duration_ns,
		.weight_ns = end->duration_ns,
		.cpu = end->flags,
		.cpu_before = end->flags,
		.thread = memory_take_thread_of(memory, block),
		.state = SYSPROF_STATE_OTHER,
		.flags = SPT_WAIT_NO_WAKING,
	};

	look_at_stash(memory);
	row.node = output_node(memory, block->node);
	spt_output_put(memory->output, SPT_ROW_WAIT, &row);
	spt_memory_put_rows(memory);
}

static uint64_t memory_take_weight_of(const SptMemory *memory, uint64_t bytes)
{
	if (!memory->mean_bytes || !bytes)
		return bytes;
	return (uint64_t)((double)bytes / -expm1(-(double)bytes / (double)memory->mean_bytes) + .5);
}

static inline void write_allocation(SptMemory *memory, const SptBlock *block,
				    const struct spt_block_end *end)
{
	bool is_half = end->flags & (SPT_ALLOCATION_OPEN | SPT_ALLOCATION_CLOSE);

	if (!memory->n_rows)
		look_at_stash(memory);
	memory->rows[memory->n_rows++] = (SptAllocationRow){
		.time = end->time,
		.duration_ns = end->duration_ns,
		.weight = end->flags & SPT_ALLOCATION_MAPPING ?
				  block->bytes :
				  memory_take_weight_of(memory, block->bytes),
		.bytes = block->bytes,
		.handle = is_half ? block->handle : 0,
		.thread = memory_take_thread_of(memory, block),
		.node = output_node(memory, block->node),
		.free_node = output_node(memory, end->free_node),
		.flags = end->flags,
	};
	if (memory->n_rows == G_N_ELEMENTS(memory->rows))
		spt_memory_put_rows(memory);
}

static inline void write_row(SptMemory *memory, const SptBlock *block,
			     const struct spt_block_end *end)
{
	if (end->is_wait)
		write_wait(memory, block, end);
	else
		write_allocation(memory, block, end);
}

static bool memory_take_is_known(const SptMemory *memory, uint32_t ring)
{
	const struct spt_owner *owner = &g_array_index(memory->owners, struct spt_owner, ring);

	return owner->thread || owner->is_given_up;
}

static void keep_late(SptMemory *memory, const SptBlock *block, const struct spt_block_end *end)
{
	const struct spt_late_row row = { *block, *end };

	g_array_append_val(memory->late, row);
}

static inline void memory_take_put_row(SptMemory *memory, const SptBlock *block,
				       const struct spt_block_end *end)
{
	if (memory_take_is_known(memory, block->ring))
		write_row(memory, block, end);
	else
		keep_late(memory, block, end);
}

void spt_memory_put_row(SptMemory *memory, const SptBlock *block, const struct spt_block_end *end)
{
	memory_take_put_row(memory, block, end);
}

/* The thread among those of its tid: the latest that had begun when the ring was claimed. */
static void memory_take_find_owner(SptMemory *memory, struct spt_owner *owner, bool is_last)
{
	if (!owner->thread && owner->tid)
		owner->thread = spt_thread_ids_find(memory->threads, owner->tid, owner->begin_ns);
	owner->is_given_up =
		is_last || memory->now_ns > owner->begin_ns + PATIENCE_NS;
}

/*
 * The thread that the source knows may be from before an exec, or an earlier owner of the tid: it
 * counts once all records up to the time of the claim have been reported.
 */
static bool is_ripe(const SptMemory *memory, const struct spt_owner *owner, bool is_last)
{
	return is_last ||
	       spt_thread_ids_are_ripe(memory->threads, owner->begin_ns, memory->now_ns);
}

void spt_memory_put_late(SptMemory *memory, bool all)
{
	unsigned kept = 0;

	for (unsigned i = memory->first_unknown; i < memory->owners->len; i++) {
		struct spt_owner *owner = &g_array_index(memory->owners, struct spt_owner, i);

		if (!memory_take_is_known(memory, i) && is_ripe(memory, owner, all))
			memory_take_find_owner(memory, owner, all);
		if (i == memory->first_unknown && memory_take_is_known(memory, i))
			memory->first_unknown++;
	}
	for (unsigned i = 0; i < memory->late->len; i++) {
		struct spt_late_row row = g_array_index(memory->late, struct spt_late_row, i);

		if (memory_take_is_known(memory, row.block.ring))
			write_row(memory, &row.block, &row.end);
		else
			g_array_index(memory->late, struct spt_late_row, kept++) = row;
	}
	g_array_set_size(memory->late, kept);
}

static bool lacks_row(const SptBlock *block)
{
	return block->address && !(block->flags & SPT_ALLOCATION_OPEN);
}

void spt_memory_put_open(SptMemory *memory, SptBlocks *blocks)
{
	g_autofree struct spt_item *room = NULL;
	struct spt_item *items, *spare;
	uint32_t n_used = blocks->n ? blocks->n_used : 0, n = 0;

	for (uint32_t i = 0; i < n_used; i++)
		n += lacks_row(&blocks->blocks[i]);
	items = room = g_new(struct spt_item, 2UL * n);
	spt_heap_want_large_pages(room, 2UL * n * sizeof(*room));
	spare = room + n;
	n = 0;
	for (uint32_t i = 0; i < n_used; i++)
		if (lacks_row(&blocks->blocks[i]))
			items[n++] = (struct spt_item){ blocks->blocks[i].time, i };
	/* The order of addresses would take more room in the file. */
	spt_sort_items(&items, &spare, n);
	for (uint32_t i = 0; i < n; i++) {
		SptBlock *block = &blocks->blocks[items[i].index];
		const struct spt_block_end end = {
			.time = block->time,
			.flags = block->flags | SPT_ALLOCATION_OPEN,
		};

		memory_take_put_row(memory, block, &end);
		block->flags |= SPT_ALLOCATION_OPEN;
	}
}

/* @node: of the stack that freed it; 0: not known. */
static void memory_take_put_freed(SptMemory *memory, const SptBlock *block, uint64_t time,
				  uint32_t node, uint8_t flags)
{
	bool has_row = block->flags & SPT_ALLOCATION_OPEN;
	const struct spt_block_end end = {
		.free_node = node,
		.time = has_row ? time : block->time,
		.duration_ns = time - block->time,
		.flags = flags | (block->flags & ~SPT_ALLOCATION_OPEN) |
			 (has_row ? SPT_ALLOCATION_CLOSE : 0),
	};

	memory_take_put_row(memory, block, &end);
}

/* Events. */

uint64_t spt_memory_time(const SptMemory *memory, uint64_t stamp)
{
	uint64_t stamps = memory->now_stamp - stamp;
	unsigned __int128 back = (unsigned __int128)stamps * memory->stamp_step >> 32;

	if ((int64_t)stamps < 0)
		return memory->now_ns;
	return back < memory->now_ns ? memory->now_ns - (uint64_t)back : 0;
}

/*
 * No two events are at the same time: maxima, and their times, are exact to the byte.  Finer steps
 * would take a byte more of the file for each event, and say little: the library itself takes that
 * long.
 */
static uint64_t next_time(SptMemory *memory, uint64_t stamp)
{
	uint64_t time = spt_memory_time(memory, stamp) & -TIME_STEP_NS;

	memory->last_ns = MAX(memory->last_ns + 1, time);
	return memory->last_ns;
}

/* Fetches the slot of the block of an event that begins some words further on, if one does. */
static inline void fetch_ahead(const struct spt_memory_ring *ring, unsigned words)
{
	spt_blocks_fetch(&ring->image->blocks, spt_ring_reader_ahead(&ring->reader, words));
}

static void take_free(SptMemory *memory, struct spt_memory_ring *ring, uint64_t time,
		      bool is_realloc)
{
	const SptRingRecord *record = &ring->next;
	SptBlock *found = spt_blocks_find(&ring->image->blocks, record->address);
	uint8_t flags = is_realloc ? SPT_ALLOCATION_MOVED : 0;
	uint32_t node;

	memory->status.frees++;
	if (!found) {
		memory->status.frees_before++;
		memory->status.frees_unknown += !ring->image->is_forked;
		return;
	}
	if (found->owed) {
		found->owed--;
		return;
	}
	if (found->ring != ring->number)
		flags |= SPT_ALLOCATION_CROSSED;
	/* It was freed before the thread that allocated it allocates again. */
	if (found->ring == ring->number && found->time == ring->last_allocation)
		flags |= SPT_ALLOCATION_TEMPORARY;
	node = record->node ? spt_memory_node(memory, ring, record->node) : 0;
	if (is_realloc) {
		ring->freed = *found;
		ring->freed.flags |= flags;
		ring->freed_time = time;
		ring->freed_node = node;
	} else {
		memory_take_put_freed(memory, found, time, node, flags);
	}
	spt_blocks_remove(&ring->image->blocks, found);
}

void spt_memory_settle(SptMemory *memory, struct spt_memory_ring *ring)
{
	if (ring->freed.address)
		memory_take_put_freed(memory, &ring->freed, ring->freed_time, ring->freed_node, 0);
	ring->freed.address = 0;
	if (ring->unmapped->len)
		spt_mappings_settle(memory, ring);
}

static void take_back(SptMemory *memory, struct spt_memory_ring *ring)
{
	memory->status.frees--;
	if (ring->freed.address && !spt_blocks_find(&ring->image->blocks, ring->freed.address)) {
		ring->freed.flags &= ~(SPT_ALLOCATION_MOVED | SPT_ALLOCATION_TEMPORARY |
				       SPT_ALLOCATION_CROSSED);
		*spt_blocks_get(&ring->image->blocks, ring->freed.address) = ring->freed;
	}
	ring->freed.address = 0;
}

static void memory_take_take_allocation(SptMemory *memory, struct spt_memory_ring *ring,
					uint64_t time)
{
	const SptRingRecord *record = &ring->next;
	SptBlock *block = spt_blocks_get(&ring->image->blocks, record->address);
	uint8_t owed = 0;

	memory->status.calls++;
	memory->status.bytes += record->bytes;
	if (block->ring) {
		/* The free is still to come, from another ring. */
		memory_take_put_freed(memory, block, time, 0, SPT_ALLOCATION_CROSSED);
		owed = block->owed + 1;
		memory->last_ns = ++time;
	}
	ring->last_allocation = time;
	*block = (SptBlock){
		.address = record->address,
		.bytes = record->bytes,
		.flags = record->type == SPT_RING_REALLOC_ALLOC ? SPT_ALLOCATION_RESIZED : 0,
		.owed = owed,
		.time = time,
		.handle = memory->next_handle++,
		.ring = ring->number,
		.node = spt_memory_node(memory, ring, record->node),
	};
}

/* It began while its thread ran, after the recording had begun. */
static void take_wait(SptMemory *memory, const struct spt_memory_ring *ring, uint64_t time)
{
	const SptRingRecord *record = &ring->next;
	const SptBlock block = {
		.node = spt_memory_node(memory, ring, record->node),
		.ring = ring->number,
	};
	const struct spt_block_end end = {
		.time = time,
		.duration_ns = MIN(record->bytes, time - MIN(time, memory->base_ns)),
		.flags = record->address < memory->n_cpus ? (uint32_t)record->address : 0,
		.is_wait = true,
	};

	memory->status.wait_rows++;
	memory_take_put_row(memory, &block, &end);
}

static void take_unusual(SptMemory *memory, struct spt_memory_ring *ring, uint64_t time)
{
	const SptRingRecord *record = &ring->next;

	if (record->type == SPT_RING_WAIT) {
		if (memory->has_waits)
			take_wait(memory, ring, time);
		return;
	}
	if (record->type == SPT_RING_REALLOC_FAILED) {
		take_back(memory, ring);
		return;
	}
	if (record->type == SPT_RING_UNMAP_FAILED) {
		spt_mappings_unmap_failed(memory, ring);
		return;
	}
	spt_memory_settle(memory, ring);
	if (!record->address)
		return;
	switch (record->type) {
	case SPT_RING_FREE_STACK:
		take_free(memory, ring, time, false);
		break;
	case SPT_RING_REALLOC_FREE:
	case SPT_RING_REALLOC_FREE_STACK:
		take_free(memory, ring, time, true);
		break;
	case SPT_RING_MAP:
		spt_mappings_map(memory, ring, time);
		break;
	case SPT_RING_UNMAP:
		spt_mappings_unmap(memory, ring, time);
		break;
	default:
		memory_take_take_allocation(memory, ring, time);
	}
}

static void memory_take_take(SptMemory *memory, struct spt_memory_ring *ring)
{
	const SptRingRecord *record = &ring->next;
	uint64_t time = next_time(memory, record->stamp);

	/* Each word once: as many as this event has. */
	if (record->type != SPT_RING_FREE)
		fetch_ahead(ring, WORDS_AHEAD - 1);
	fetch_ahead(ring, WORDS_AHEAD);
	if (record->type != SPT_RING_FREE && record->type != SPT_RING_ALLOC) {
		take_unusual(memory, ring, time);
		return;
	}
	if (ring->freed.address || ring->unmapped->len)
		spt_memory_settle(memory, ring);
	if (record->type == SPT_RING_ALLOC && record->address)
		memory_take_take_allocation(memory, ring, time);
	else if (record->address)
		take_free(memory, ring, time, false);
}

uint64_t spt_memory_take(SptMemory *memory, struct spt_memory_ring *ring, uint64_t last)
{
	uint64_t n = 0;

	while (ring->has_next && ring->next.stamp <= last && !memory->failure) {
		memory_take_take(memory, ring);
		memory_take_advance(memory, ring);
		n++;
	}
	return n;
}
