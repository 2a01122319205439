/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks as nodes of the thread's tree. */
#ifndef SPT_PRELOAD_WALK_H
#define SPT_PRELOAD_WALK_H

#include "rules.h"
#include "thread.h"

/* The place of a frame: what malloc() knows of its caller. */
struct spt_place {
	uint64_t pc, sp, bp;
};

/* Reads words again, inwards from @watch on.  Returns the first one that differs. */
static inline const struct spt_watch *spt_watch_check(const struct spt_watch *watch)
{
	for (;; watch -= 4) {
#pragma GCC unroll 4
		for (int i = 0; i > -4; i--)
			if (*watch[i].at != watch[i].value)
				return watch + i;
	}
}

static inline struct spt_memo *spt_memo_of(struct spt_thread *thread, const struct spt_place *place)
{
	uint64_t key = (place->pc ^ place->sp << 20) * 0x9e3779b97f4a7c15ULL;

	return &thread->memos[key >> 32 & (SPT_MEMOS - 1)];
}

uint32_t spt_walk_on(struct spt_thread *thread, const struct spt_place *place);

/* The node of the stack from @place on. */
static inline uint32_t spt_walk(struct spt_thread *thread, const struct spt_place *place)
{
	const struct spt_memo *memo = spt_memo_of(thread, place);
	const struct spt_frame *base = memo->base;

	if (memo->pc == place->pc && memo->sp == place->sp &&
	    !((memo->bp ^ place->bp) & memo->bp_mask) &&
	    thread->generation == __atomic_load_n(&spt_generation, __ATOMIC_ACQUIRE) &&
	    base <= thread->innermost && base->sp == memo->base_sp && base->bp == memo->base_bp &&
	    base->node == memo->base_node && spt_watch_check(memo->last) == memo->watches &&
	    spt_watch_check(thread->watches + base->watches) == thread->watches)
		return memo->node;
	return spt_walk_on(thread, place);
}

/* The same without what is kept, in a signal handler that has interrupted spt_walk(). */
uint32_t spt_walk_nested(struct spt_thread *thread, const struct spt_place *place);
/* The node of @pc inside of node @parent. */
uint32_t spt_node_inside(struct spt_thread *thread, uint32_t parent, uint64_t pc);

#endif
