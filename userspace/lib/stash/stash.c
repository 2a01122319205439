/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The prefix tree of all stacks.
 *
 * Nodes are in one array.  A table of node ids, at most half full, finds the child of a parent by
 * linear probing.  0, the root's id, is never a child and marks an empty slot.  So a slot is four
 * bytes, and a look-up touches one slot and one node.
 *
 * A node's hash is made from its parent's hash and its frame, not from ids.  So the hashes of a
 * whole stack are known before any of its nodes is found, and their memory is fetched in parallel.
 */
#include "stash/stash.h"

#include <stdbool.h>

#define FIRST_SLOTS 1024
#define AHEAD 32

struct SptStash {
	struct spt_stash_head head;
	SptNode *nodes;
	uint32_t *slots;
	size_t n_slots;		/* a power of two, at least twice the nodes */
	SptStash *frames;	/* below its root: each frame once; NULL: not requested yet */
	GArray *frame_of;	/* uint32_t by node */
};

/*
 * Offsets of one object differ in few bits, and so do nodes of one parent: each goes through a
 * multiplication of its own, and their sum through a third.
 */
static inline uint32_t hash_node(uint32_t parent_hash, const SptFrame *frame)
{
	uint64_t place = frame->offset ^ (uint64_t)(frame->object << 1 ^ frame->kind) << 40, x;

	x = place * 0x9e3779b97f4a7c15ULL + parent_hash * 0xd6e8feb86659fd93ULL;
	x ^= x >> 32;
	return (uint32_t)(x * 0xd6e8feb86659fd93ULL >> 32);
}

static inline bool stash_is_it(const SptNode *node, uint32_t parent, const SptFrame *frame)
{
	return node->frame.offset == frame->offset && node->parent == parent &&
	       node->frame.object == frame->object && node->frame.kind == frame->kind;
}

SptStash *spt_stash_new(void)
{
	SptStash *stash = g_new0(SptStash, 1);

	stash->n_slots = FIRST_SLOTS;
	stash->slots = g_new0(uint32_t, stash->n_slots);
	stash->nodes = g_new0(SptNode, stash->n_slots / 2);
	stash->head.n_nodes = 1;
	return stash;
}

void spt_stash_free(SptStash *stash)
{
	if (!stash)
		return;
	spt_stash_free(stash->frames);
	g_clear_pointer(&stash->frame_of, g_array_unref);
	g_free(stash->nodes);
	g_free(stash->slots);
	g_free(stash);
}

static void stash_grow(SptStash *stash)
{
	size_t mask;

	g_free(stash->slots);
	stash->n_slots *= 2;
	stash->slots = g_new0(uint32_t, stash->n_slots);
	stash->nodes = g_renew(SptNode, stash->nodes, stash->n_slots / 2);
	mask = stash->n_slots - 1;
	for (uint32_t id = 1; id < stash->head.n_nodes; id++) {
		size_t slot = stash->nodes[id].key & mask;

		while (stash->slots[slot])
			slot = (slot + 1) & mask;
		stash->slots[slot] = id;
	}
}

static uint32_t find_child(SptStash *stash, uint32_t parent, const SptFrame *frame, uint32_t hash)
{
	size_t mask = stash->n_slots - 1, slot;
	uint32_t id;

	for (slot = hash & mask; (id = stash->slots[slot]) != 0; slot = (slot + 1) & mask)
		if (stash_is_it(&stash->nodes[id], parent, frame))
			return id;
	if (stash->head.n_nodes == stash->n_slots / 2) {
		g_assert(stash->head.n_nodes < UINT32_MAX / 2);
		stash_grow(stash);
		mask = stash->n_slots - 1;
		for (slot = hash & mask; stash->slots[slot]; slot = (slot + 1) & mask)
			;
	}
	id = stash->head.n_nodes++;
	stash->slots[slot] = id;
	stash->nodes[id] = (SptNode) { .frame = *frame, .parent = parent, .key = hash };
	return id;
}

uint32_t spt_stash_child(SptStash *stash, uint32_t parent, const SptFrame *frame)
{
	return find_child(stash, parent, frame, hash_node(stash->nodes[parent].key, frame));
}

uint32_t spt_stash_add_path(SptStash *stash, uint32_t parent, const SptFrame *frames, unsigned n,
			    uint32_t *ret_nodes)
{
	uint32_t hashes[AHEAD], first[AHEAD], hash = stash->nodes[parent].key;
	size_t mask;

	for (unsigned now; n > 0; n -= now) {
		now = MIN(n, AHEAD);
		mask = stash->n_slots - 1;
		for (unsigned i = 0; i < now; i++) {
			hashes[i] = hash = hash_node(hash, &frames[n - 1 - i]);
			__builtin_prefetch(&stash->slots[hash & mask]);
		}
		for (unsigned i = 0; i < now; i++) {
			first[i] = stash->slots[hashes[i] & mask];
			__builtin_prefetch(&stash->nodes[first[i]]);
		}
		for (unsigned i = 0; i < now; i++) {
			const SptFrame *frame = &frames[n - 1 - i];

			/* Mostly it is the first one; it is the root if there is none. */
			if (first[i] && stash_is_it(&stash->nodes[first[i]], parent, frame))
				parent = first[i];
			else
				parent = find_child(stash, parent, frame, hashes[i]);
			if (ret_nodes)
				*ret_nodes++ = parent;
		}
	}
	return parent;
}

uint32_t spt_stash_add(SptStash *stash, uint32_t parent, const SptFrame *frames, unsigned n)
{
	return spt_stash_add_path(stash, parent, frames, n, NULL);
}

void spt_stash_path(const SptStash *stash, uint32_t node, unsigned n, uint32_t *ret_nodes)
{
	while (n-- > 0) {
		ret_nodes[n] = node;
		node = stash->nodes[node].parent;
	}
}

const SptNode *spt_stash_node(const SptStash *stash, uint32_t id)
{
	return &stash->nodes[id];
}

/* The frames of @n nodes from @id on. */
static void number_some(SptStash *stash, uint32_t id, unsigned n)
{
	SptStash *frames = stash->frames;
	uint32_t hashes[AHEAD];

	for (unsigned i = 0; i < n; i++) {
		hashes[i] = hash_node(frames->nodes[0].key, &stash->nodes[id + i].frame);
		__builtin_prefetch(&frames->slots[hashes[i] & (frames->n_slots - 1)]);
	}
	for (unsigned i = 0; i < n; i++)
		__builtin_prefetch(
			&frames->nodes[frames->slots[hashes[i] & (frames->n_slots - 1)]]);
	for (unsigned i = 0; i < n; i++)
		g_array_index(stash->frame_of, uint32_t, id + i) =
			find_child(frames, 0, &stash->nodes[id + i].frame, hashes[i]);
}

uint32_t spt_stash_number_frames(SptStash *stash)
{
	uint32_t id = 1;

	if (!stash->frames) {
		stash->frames = spt_stash_new();
		stash->frame_of = g_array_new(FALSE, TRUE, sizeof(uint32_t));
	} else {
		id = stash->frame_of->len;
	}
	g_array_set_size(stash->frame_of, stash->head.n_nodes);
	for (unsigned n; id < stash->head.n_nodes; id += n) {
		n = MIN(stash->head.n_nodes - id, AHEAD);
		number_some(stash, id, n);
	}
	return stash->frames->head.n_nodes;
}

uint32_t spt_stash_frame_of(const SptStash *stash, uint32_t node)
{
	return g_array_index(stash->frame_of, uint32_t, node);
}

const SptFrame *spt_stash_frame(const SptStash *stash, uint32_t number)
{
	return &stash->frames->nodes[number].frame;
}
