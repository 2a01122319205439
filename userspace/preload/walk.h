/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks as nodes of the thread's tree. */
#ifndef SPT_PRELOAD_WALK_H
#define SPT_PRELOAD_WALK_H

#include "nodes.h"
#include "rules.h"
#include "script.h"
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

/* Which memo was written last for a call from @place. */
static inline uint32_t *spt_memo_at(struct spt_thread *thread, const struct spt_place *place)
{
	uint64_t key = (place->pc ^ place->sp << 20) * 0x9e3779b97f4a7c15ULL;

	return &thread->memo_at[key >> 32 & (SPT_MEMO_PLACES - 1)];
}

/* The one for a call after that of @stack. */
static inline uint32_t spt_memo_after(uint32_t stack)
{
	return stack & (SPT_MEMOS - 1);
}

/* Whether the walk that @memo noted would be the same again. */
static inline bool spt_memo_check(const struct spt_thread *thread, const struct spt_memo *memo,
				  const struct spt_place *place)
{
	const struct spt_frame *base = thread->frames + memo->base;
	const uint64_t *stack = (const uint64_t *)place->sp;

	if (memo->pc != place->pc || memo->sp != place->sp ||
	    (memo->needs_bp && memo->bp != place->bp) ||
	    base > thread->innermost || base->key != memo->base_key)
		return false;
	for (uint32_t i = 0; i < memo->n_words; i++)
		if (stack[memo->words[i] >> 48] != (memo->words[i] & SPT_RING_POINTER_MASK))
			return false;
	return spt_watch_check(thread->watches + base->watches) == thread->watches;
}

uint32_t spt_walk_on(struct spt_thread *thread, const struct spt_place *place);

/*
 * A call came from @stack.  Mostly the same one follows as before, but until then the program's own
 * memory displaces its memo.
 */
static inline void spt_memo_fetch(struct spt_thread *thread, uint32_t stack)
{
	const struct spt_memo *memo = &thread->memos[spt_memo_after(stack)];

	thread->last_stack = stack;
	__builtin_prefetch(memo);
	__builtin_prefetch(&memo->words[SPT_MEMO_WORDS - 1]);
}

/* The node of the stack from @place on. */
static inline uint32_t spt_walk(struct spt_thread *thread, const struct spt_place *place)
{
	struct spt_memo *memo = &thread->memos[spt_memo_after(thread->last_stack)];

	if (thread->generation != __atomic_load_n(&spt_generation, __ATOMIC_ACQUIRE))
		return spt_walk_on(thread, place);
	if (!spt_memo_check(thread, memo, place)) {
		memo = &thread->memos[*spt_memo_at(thread, place)];
		if (!spt_memo_check(thread, memo, place))
			return spt_walk_on(thread, place);
	}
	if (__builtin_expect(memo->has_script, 0) &&
	    !spt_script_is_same(&thread->script, (uint32_t)(memo - thread->memos)))
		return spt_walk_on(thread, place);
	spt_memo_fetch(thread, memo->stack);
	return memo->node;
}

/* The same without what is kept, in a signal handler that has interrupted spt_walk(). */
uint32_t spt_walk_nested(struct spt_thread *thread, const struct spt_place *place);

#endif
