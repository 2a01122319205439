/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "nodes.h"

#include <sys/mman.h>

#include "check.h"
#include "code.h"
#include "plain.h"
#include "sandbox.h"
#include "script.h"
#include "system.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

/* Other code at the same place is another one. */
static bool was_written(struct spt_thread *thread, const struct spt_code *code)
{
	const struct spt_code **written =
		&thread->written_code[code->start >> 12 & (SPT_WRITTEN_CODE - 1)];
	bool was = *written == code;

	*written = code;
	return was;
}

/* The loader may have unloaded it meanwhile, and put other code there. */
static bool is_in_latest(const struct spt_thread *thread, uint64_t address)
{
	for (unsigned i = 0; i < SPT_LATEST_CODE; i++)
		if (thread->latest_code[i] && spt_code_is_at(thread->latest_code[i], address))
			return true;
	return false;
}

/* Notes the file that @address is in, so that its meaning can be recorded. */
static void tell_code(struct spt_thread *thread, uint64_t address)
{
	const struct spt_code *code;
	const char *path;
	unsigned n, bytes;
	uint32_t at;

	if (is_in_latest(thread, address))
		return;
	code = spt_code_find(address);
	if (!code)
		return;
	/* In one step: a signal handler may come in between. */
	thread->latest_code[thread->n_latest++ % SPT_LATEST_CODE] = code;
	if (was_written(thread, code))
		return;
	path = spt_code_name(code);
	bytes = (unsigned)spt_text_bytes(path, SPT_RING_PATH_WORDS * 8 - 1) + 1;
	n = SPT_RING_OBJECT_WORDS + (bytes + 7) / 8;
	at = spt_ring_take(thread, 1 + n);
	spt_ring_put(thread, at, SPT_RING_OBJECT | (uint64_t)n << SPT_RING_MORE_SHIFT |
				 code->start << SPT_RING_POINTER_SHIFT);
	spt_ring_put(thread, at + 1, code->end);
	spt_ring_put(thread, at + 2, code->offset);
	spt_ring_put(thread, at + 3, code->device);
	spt_ring_put(thread, at + 4, code->inode);
	for (unsigned i = 0; i < n - SPT_RING_OBJECT_WORDS; i++) {
		uint64_t word = 0;
		unsigned left = bytes - 8 * i;

		memcpy(&word, path + 8 * i, left < 8 ? left : 8);
		spt_ring_put(thread, at + 5 + i, word);
	}
}

uint32_t spt_node_tell(struct spt_thread *thread, uint32_t parent, uint64_t pc)
{
	uint32_t node = spt_reserve(&thread->n_nodes, 1), at;

	if (node > SPT_NODES - 2 * SPT_MOST_FRAMES)
		thread->generation = SPT_STALE;
	if (!(pc & SPT_NODE_SCRIPT))
		tell_code(thread, (pc & ~SPT_NODE_EXACT) - !(pc & SPT_NODE_EXACT));
	at = spt_ring_take(thread, 2);
	spt_ring_put(thread, at, SPT_RING_NODE | pc << SPT_RING_POINTER_SHIFT |
				 (pc & SPT_NODE_EXACT ? SPT_RING_NODE_EXACT : 0) |
				 (pc & SPT_NODE_SCRIPT ? SPT_RING_NODE_SCRIPT : 0));
	spt_ring_put(thread, at + 1, (uint64_t)parent << 32 | node);
	spt_check_node(thread, node, parent, pc);
	return node;
}

void spt_nodes_begin(struct spt_thread *thread, uint32_t n)
{
	thread->n_known = 0;
	thread->n_places = n;
	thread->node_shift = (uint32_t)__builtin_clz(n) + 33;
}

static void put_node(struct spt_thread *thread, const struct spt_known_node *node)
{
	*spt_node_place(thread, node->path) = *node;
	thread->n_known++;
}

static void grow(struct spt_thread *thread)
{
	uint32_t before = thread->n_places;
	uint64_t begin = (uint64_t)&thread->nodes[2 * before] & -SPT_RINGS_PAGE,
		 end = (uint64_t)&thread->nodes[4 * before];

	/* By itself each of the pages would take two faults: to be read, and to be written. */
	if (spt_may_call(SPT_MAY_BEGIN))
		spt_call(SYS_madvise, begin, end - begin, MADV_POPULATE_WRITE, 0);
	spt_nodes_begin(thread, 2 * before);
	for (uint32_t i = before; i < 2 * before; i++)
		if (thread->nodes[i].node)
			put_node(thread, &thread->nodes[i]);
}

/* With a quarter of the places free few are looked at in vain.  The largest table has enough. */
void spt_node_add(struct spt_thread *thread, uint64_t path, uint32_t node)
{
	if (thread->n_known > thread->n_places / 4 * 3 && thread->n_places < SPT_NODES)
		grow(thread);
	put_node(thread, &(struct spt_known_node){ path, node, 0 });
}

/* Not inlined: what walks stacks has no room for it. */
__attribute__((noinline)) struct spt_known_node *spt_nodes_tell(struct spt_thread *thread,
								struct spt_frame *frame)
{
	struct spt_frame *at = frame;

	while (!at->has_node) {
		at->node = spt_node_place(thread, at->path)->node;
		at->has_node = at->node;
		at -= !at->node;
	}
	while (at++ < frame) {
		at->node = spt_node_tell(thread, at[-1].node, at->pc);
		at->has_node = true;
		spt_node_add(thread, at->path, at->node);
	}
	return spt_node_place(thread, frame->path);
}

uint32_t spt_node_inside(struct spt_thread *thread, uint32_t parent, uint64_t pc)
{
	uint64_t path = spt_path_inside(parent, pc);
	uint32_t node = thread->state == SPT_BUSY ? spt_node_place(thread, path)->node : 0;

	if (node)
		return node;
	node = spt_node_tell(thread, parent, pc);
	if (thread->state == SPT_BUSY)
		spt_node_add(thread, path, node);
	return node;
}

