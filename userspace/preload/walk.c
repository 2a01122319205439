/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread keeps the frames of its last walk, and every word of the stack by which they were found.
 * A new call is walked outwards until it comes to a frame that is kept, with the same stack
 * pointer, address and, if it matters, frame pointer.  From there on a walk would read the kept
 * words.  They are read again, from the inside out: as long as they are the same, so is where the
 * next one lies.  If all are, the rest of the stack is what it was.  Where one differs, the frame
 * is walked on.
 *
 * Each walk to a kept frame is noted as a memo beside the stack of the call before: mostly the same
 * one follows it again.  A memo counts if its frame is kept, and all of its words are as they were.
 */
#include "code.h"
#include "nodes.h"
#include "plain.h"
#include "sandbox.h"
#include "script.h"
#include "stack.h"
#include "system.h"
#include "walk.h"

/* Code that programs make is in one area. */
#define NEAR_BYTES (1ULL << 31)
/* A frame in a chain of frame pointers has no more. */
#define CHAIN_BYTES (1ULL << 20)
/* Where one byte of as many exists, so do the others. */
#define SURE_BYTES 4096u

static uint64_t load(uint64_t address)
{
	return *(const uint64_t *)address;
}

/* Found by frame pointers, or beyond such a frame. */
static inline bool is_guess(const struct spt_step *step)
{
	return step->is_odd && step->is_guess;
}

static inline bool is_on_stack(const struct spt_step *from, uint64_t end, uint64_t address,
			       unsigned words)
{
	return address % 8 == 0 && address >= from->sp && address < end &&
	       (end - address) / 8 >= words;
}

/*
 * Whether words at both addresses are there as surely as what is right below the stack pointer.  A
 * function that goes on by hand on another stack is followed by its rules to where that ends.
 */
static inline bool step_is_beside(const struct spt_step *from, uint64_t a, uint64_t b)
{
	uint64_t here = from->sp - 8;

	return !(((a ^ here) | (b ^ here)) & ~(uint64_t)(SURE_BYTES - 8));
}

/* The same of the word right below @sp, where its frame ends; here that is the return address. */
static inline bool step_end_is_beside(const struct spt_step *from, uint64_t sp)
{
#ifdef SPT_HAS_LINK
	return step_is_beside(from, sp - 8, sp - 8);
#else
	(void)from;
	(void)sp;
	return true;
#endif
}

/*
 * Behind a frame that was found by a guess, the result of a rule may be anything.  Words that are
 * not on the stack are not read: when they are to be read again, they may no longer exist.
 */
static bool step_may_fetch(const struct spt_step *from, uint64_t address)
{
	bool is_sure = !(from->is_odd && (from->is_guess || from->sp_at));

	if (is_guess(from) && !is_on_stack(from, from->stack_end, address, 1))
		return false;
	return (is_sure && step_is_beside(from, address, address)) ||
	       spt_stack_has(spt_self, from->sp, address);
}

static bool fetch(const struct spt_step *from, uint64_t address, uint64_t *ret)
{
	if (!step_may_fetch(from, address))
		return false;
	*ret = load(address);
	return true;
}

/* Whether the instruction before @address is a call: direct, or by a register or memory. */
#ifdef __x86_64__
static bool is_behind_call(uint64_t address)
{
	enum { CALL_BYTES = 7 };	/* of the longest one */
	uint8_t code[CALL_BYTES];

	if (!spt_read_safely(address - CALL_BYTES, code, sizeof(code)))
		return false;
	if (code[CALL_BYTES - 5] == 0xe8)
		return true;
	for (unsigned bytes = 2; bytes <= CALL_BYTES; bytes++) {
		const uint8_t *at = code + CALL_BYTES - bytes;

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2)
			return true;
	}
	return false;
}
#else
static bool is_behind_call(uint64_t address)
{
	uint32_t code;

	return spt_read_safely(address - 4, &code, sizeof(code)) &&
	       (code >> 26 == 0x25 || (code & 0xfefff000) == 0xd63f0000);
}
#endif

/*
 * The caller's frame pointer and return address, in code without rules: a guess.  Code without
 * frame pointers has anything there.
 */
static bool step_along_chain(const struct spt_step *from, struct spt_step *to)
{
	uint64_t end = is_guess(from) ? from->stack_end : spt_stack_end(spt_self, from->sp), pc;

	if (from->bp - from->sp > CHAIN_BYTES || !is_on_stack(from, end, from->bp, 2) ||
	    !spt_stack_has(spt_self, from->sp, from->bp) ||
	    !spt_stack_has(spt_self, from->sp, from->bp + 8))
		return false;
	pc = load(from->bp + 8) & SPT_RING_POINTER_MASK;
	if (pc - from->pc + NEAR_BYTES > 2 * NEAR_BYTES && !spt_code_find(pc))
		return false;
	if (!is_behind_call(pc))
		return false;
	*to = (struct spt_step){ .pc = pc,
				 .sp = from->bp + 16,
				 .bp = load(from->bp),
				 .pc_at = from->bp + 8,
				 .bp_at = from->bp,
				 .stack_end = end,
				 .is_odd = true,
				 .is_guess = true };
	return true;
}

static bool step_over_signal(const struct spt_step *from, struct spt_step *to)
{
	if (!step_may_fetch(from, from->sp + SPT_SIGNAL_BP) ||
	    !step_may_fetch(from, from->sp + SPT_SIGNAL_PC))
		return false;
	*to = (struct spt_step){ .pc = (load(from->sp + SPT_SIGNAL_PC) & SPT_RING_POINTER_MASK) |
				       SPT_NODE_EXACT,
				 .sp = load(from->sp + SPT_SIGNAL_SP),
				 .bp = load(from->sp + SPT_SIGNAL_BP),
				 .pc_at = from->sp + SPT_SIGNAL_PC,
				 .bp_at = from->sp + SPT_SIGNAL_BP,
				 .sp_at = from->sp + SPT_SIGNAL_SP,
				 .is_odd = true };
#ifdef SPT_HAS_LINK
	to->link_at = from->sp + SPT_SIGNAL_LR;
#endif
	return true;
}

/* Whether the return address of @step may still be in a register, which the kernel has saved. */
static inline bool has_link(const struct spt_step *step)
{
#ifdef SPT_HAS_LINK
	return step->is_odd && step->link_at;
#else
	(void)step;
	return false;
#endif
}

/* The place of the return address; 0: it is unknown. */
static inline uint64_t return_at(const struct spt_step *from, uint64_t rule, uint64_t sp)
{
#ifdef SPT_HAS_LINK
	if (!spt_rule_ra_offset(rule))
		return has_link(from) ? from->link_at : 0;
#else
	(void)from;
#endif
	return sp + (uint64_t)spt_rule_ra_offset(rule);
}

static inline bool fetch_return(const struct spt_step *from, struct spt_step *to)
{
	if (!to->pc_at)
		return false;
	/* It is below the stack pointer, and was found to be there with the rest of its frame. */
	if (has_link(from) && to->pc_at == from->link_at) {
		to->pc = load(to->pc_at);
		return true;
	}
	return fetch(from, to->pc_at, &to->pc);
}

/* Most callers' frames begin at a distance from a register.  False: not this one's, or a guess. */
static __always_inline bool step_plainly(const struct spt_step *from, uint64_t rule,
					 struct spt_step *to)
{
	uint64_t sp, bp = from->bp, bp_at;

	_Static_assert(SPT_RULE_SP % 2 == 0 && SPT_RULE_BP == SPT_RULE_SP + 1, "one bit differs");
	if (__builtin_expect((rule & 6) != SPT_RULE_SP || from->is_odd, 0))
		return false;
	sp = (spt_rule_base(rule) == SPT_RULE_BP ? bp : from->sp) + (uint64_t)spt_rule_offset(rule);
	to->pc_at = return_at(from, rule, sp);
	if (!to->pc_at)
		return false;
	bp_at = (spt_rule_bp(rule) == SPT_BP_AT_CFA ? sp : bp) + (uint64_t)spt_rule_bp_offset(rule);
	if (spt_rule_bp(rule) == SPT_BP_SAME)
		bp_at = 0;
	if (__builtin_expect(!step_is_beside(from, to->pc_at, bp_at ? bp_at : to->pc_at) ||
			     !step_end_is_beside(from, sp), 0))
		return false;
	to->sp = sp;
	to->is_odd = false;
	to->pc = load(to->pc_at) & SPT_RING_POINTER_MASK;
	if (bp_at)
		bp = load(bp_at);
	to->bp_at = bp_at;
	to->bp = bp;
	return true;
}

/* False: there is no further frame; @ret_parent is its replacement. */
static __attribute__((noinline)) bool step_otherwise(struct spt_step *from, struct spt_step *to,
						     uint32_t *ret_parent)
{
	uint64_t rule = from->rule, at = 0, sp;

#ifdef SPT_HAS_LINK
	/* Where a guess leads, the stack pointer is not known. */
	if (is_guess(from) && spt_rule_base(rule) != SPT_RULE_END)
		from->rule = rule = spt_rule(SPT_RULE_CHAIN, 0, 0, 0, 0);
#endif
	*ret_parent = SPT_NODE_INCOMPLETE;
	switch (spt_rule_base(rule)) {
	case SPT_RULE_SP:
		sp = from->sp + (uint64_t)spt_rule_offset(rule);
		break;
	case SPT_RULE_BP:
		sp = from->bp + (uint64_t)spt_rule_offset(rule);
		break;
	case SPT_RULE_AT_SP:
	case SPT_RULE_AT_BP:
		at = (spt_rule_base(rule) == SPT_RULE_AT_SP ? from->sp : from->bp) +
		     (uint64_t)spt_rule_offset(rule);
		if (!fetch(from, at, &sp))
			return false;
		break;
	case SPT_RULE_SIGNAL:
		if (is_guess(from))
			return false;
		return step_over_signal(from, to);
	case SPT_RULE_CHAIN:
		return step_along_chain(from, to);
	case SPT_RULE_END:
		*ret_parent = SPT_NODE_ROOT;
		return false;
	default:
		return false;
	}
	to->sp = sp;
	to->sp_at = at;
	to->pc_at = return_at(from, rule, sp);
	to->link_at = 0;
	to->is_guess = is_guess(from);
	to->stack_end = from->stack_end;
	to->is_odd = true;
	if (!fetch_return(from, to) ||
	    (!step_end_is_beside(from, sp) && !step_may_fetch(from, sp - 8)))
		return false;
	to->pc &= SPT_RING_POINTER_MASK;
	switch (spt_rule_bp(rule)) {
	case SPT_BP_AT_CFA:
		to->bp_at = sp + (uint64_t)spt_rule_bp_offset(rule);
		return fetch(from, to->bp_at, &to->bp);
	case SPT_BP_AT_BP:
		to->bp_at = from->bp + (uint64_t)spt_rule_bp_offset(rule);
		return fetch(from, to->bp_at, &to->bp);
	default:
		to->bp_at = 0;
		to->bp = from->bp;
		return true;
	}
}

static __always_inline bool step(struct spt_step *from, uint64_t rule, struct spt_step *to,
				 uint32_t *ret_parent)
{
	from->rule = rule;
	return step_plainly(from, rule, to) || step_otherwise(from, to, ret_parent);
}

/* The rule from the thread's own table.  Not for a signal handler: an entry is two words. */
static inline uint64_t own_rule(struct spt_thread *thread, uint64_t pc, uint32_t generation)
{
	struct spt_own_rule *own =
		&thread->own_rules[pc * 0x9e3779b97f4a7c15ULL >> 32 & (SPT_OWN_RULES - 1)];

	if (__builtin_expect(own->pc != pc, 0)) {
		own->rule = spt_rule_of(pc, generation);
		own->pc = pc;
	}
	return own->rule;
}

/*
 * Whether the walk outwards from a frame depends on its frame pointer: if its own rule does, or if
 * the caller's does and has it from here.  Bits of the rule say both, without a branch.
 */
static inline bool needs_bp(uint64_t rule, bool caller_needs)
{
	_Static_assert(SPT_RULE_BP & SPT_RULE_AT_BP & SPT_RULE_CHAIN & 1, "they need it");
	_Static_assert(!((SPT_RULE_SP | SPT_RULE_AT_SP | SPT_RULE_SIGNAL) & 1), "they may not");
	_Static_assert(SPT_BP_AT_CFA & 1 && !((SPT_BP_SAME | SPT_BP_AT_BP) & 1), "saved, or not");
	return (rule | (caller_needs & ~(rule >> 3))) & 1;
}

/* Drops everything that is known, and lets the reader know. */
static void forget(struct spt_thread *thread, uint32_t generation)
{
	static const uint64_t zero;

	spt_ring_put(thread, spt_ring_take(thread, 1), SPT_RING_RESET);
	thread->generation = generation;
	/* Ends every search outwards, for any stack pointer. */
	thread->frames[0] = (struct spt_frame){ .sp = UINT64_MAX, .has_node = true };
	thread->n_forgotten++;
	thread->watches[0] = (struct spt_watch){ &zero, 1 };
	thread->innermost = thread->frames;
	thread->n_nodes = SPT_NODE_FIRST;
	if (thread->has_begun) {
		memset(thread->nodes, 0, 2 * thread->n_places * sizeof(*thread->nodes));
		memset(thread->own_rules, 0, sizeof(thread->own_rules));
		memset(thread->written_code, 0, sizeof(thread->written_code));
		memset(thread->latest_code, 0, sizeof(thread->latest_code));
		spt_script_forget(&thread->script);
	}
	thread->has_begun = true;
	spt_nodes_begin(thread, SPT_LEAST_NODES);
}

/* The kept frames. */

static inline struct spt_watch *watch(struct spt_watch *last, uint64_t at, uint64_t value)
{
	last[1] = (struct spt_watch){ (const uint64_t *)at, value };
	return last + 1;
}

/* The words by which a frame was found, so that they are read again in the order of the walk. */
static inline uint32_t watch_step(struct spt_thread *thread, uint32_t before,
				  const struct spt_step *step, bool needs)
{
	struct spt_watch *last = thread->watches + before;

	if (needs && step->bp_at)
		last = watch(last, step->bp_at, step->bp);
	if (__builtin_expect(step->pc_at != 0, 1))
		last = watch(last, step->pc_at, load(step->pc_at));
	if (__builtin_expect(step->is_odd, 0) && step->sp_at)
		last = watch(last, step->sp_at, step->sp);
	return (uint32_t)(last - thread->watches);
}

/*
 * Reads the words of the frames outside of @frame again.  Returns the frame whose words differ, or
 * NULL.
 */
static struct spt_frame *verify(const struct spt_thread *thread, struct spt_frame *frame)
{
	const struct spt_watch *first = thread->watches,
			       *differs = spt_watch_check(first + frame->watches);

	if (differs == first)
		return NULL;
	while (first + frame->watches >= differs)
		frame--;
	return frame;
}

/*
 * Keeps the frames that were walked inside of @frame, from @end inwards to @steps, and fetches the
 * place of their node.
 */
static inline void keep(struct spt_thread *thread, struct spt_frame *frame,
			const struct spt_step *steps, const struct spt_step *end)
{
	while (end > steps) {
		const struct spt_step *outer = end--;
		bool needs = needs_bp(end->rule, frame->needs_bp);
		uint64_t bp = needs ? end->bp : 0, path = spt_path_inside(frame->path, end->pc);

		frame[1] = (struct spt_frame){
			.pc = end->pc,
			.sp = end->sp,
			.bp = bp,
			.path = path,
			.key = spt_path_inside(spt_path_inside(path, end->sp), bp),
			.needs_bp = needs,
			.watches = watch_step(thread, frame->watches, outer, frame->needs_bp),
			.is_guess = is_guess(outer) | frame->is_guess,
		};
		frame++;
	}
	thread->innermost = frame;
	__builtin_prefetch(&thread->nodes[thread->n_places + (frame->path >> thread->node_shift)]);
}

/*
 * Notes what led from @place, the innermost frame, to the kept @base.  A memo outlives its frames:
 * by then, what lay behind a guess may no longer be part of the stack.
 */
static void note(struct spt_thread *thread, const struct spt_place *place,
		 const struct spt_frame *base, const struct spt_known_node *known, bool has_script)
{
	uint32_t at = spt_memo_after(thread->last_stack);
	struct spt_memo *memo = &thread->memos[at];
	const struct spt_frame *frame = thread->innermost;
	const struct spt_watch *watch = thread->watches + frame->watches;
	uint32_t n = frame->watches - base->watches;

	if (n > SPT_MEMO_WORDS || frame->is_guess || thread->has_left)
		return;
	memo->pc = 0;
	for (uint32_t i = 0; i < n; i++, watch--) {
		uint64_t distance = ((uint64_t)watch->at - place->sp) / 8;

		if (distance > UINT16_MAX || watch->value > SPT_RING_POINTER_MASK)
			return;
		memo->words[i] = distance << 48 | watch->value;
	}
	memo->pc = place->pc;
	memo->sp = place->sp;
	memo->bp = place->bp;
	memo->base_key = base->key;
	memo->stack = known->stack;
	memo->base = (uint16_t)(base - thread->frames);
	memo->node = known->node;
	memo->n_words = (uint8_t)n;
	memo->needs_bp = frame->needs_bp;
	memo->has_script = has_script;
	*spt_memo_at(thread, place) = at;
}

static uint32_t new_stack(struct spt_thread *thread)
{
	uint32_t stack = ++thread->n_stacks;

	/* Writing to new memory before it is read saves a page fault. */
	thread->memos[spt_memo_after(stack)].pc = 0;
	return stack;
}

/* 0: the stack, which is kept, has an interpreter. */
static __attribute__((noinline)) uint32_t walk(struct spt_thread *thread,
					       const struct spt_place *place, uint32_t generation)
{
	struct spt_step *steps = thread->steps, *at = steps;
	struct spt_frame *frame = thread->innermost, *differs;
	struct spt_known_node *known;
	uint32_t parent;

	at->pc = place->pc;
	at->sp = place->sp;
	at->bp = place->bp;
	at->is_odd = false;
	for (;;) {
		while (frame->sp < at->sp)
			frame--;
		if (frame->sp == at->sp && frame->pc == at->pc && !has_link(at) &&
		    (!frame->needs_bp || frame->bp == at->bp)) {
			if (frame + (at - steps) > thread->frames + SPT_MOST_FRAMES) {
				/* Without those frames there is room for many more calls. */
				thread->innermost = thread->frames;
				return walk(thread, place, generation);
			}
			keep(thread, frame, steps, at);
			differs = verify(thread, frame);
			if (!differs)
				break;
			frame = differs > thread->frames ? differs - 1 : differs;
		}
		parent = SPT_NODE_INCOMPLETE;
		if (at + 2 == steps + SPT_MOST_STEPS ||
		    !step(at, own_rule(thread, at->pc, generation), at + 1, &parent)) {
			/* The end was found by code, not by a word that could change. */
			at[1] = (struct spt_step){ 0 };
		} else if (at[1].pc) {
			at++;
			continue;
		} else {
			parent = SPT_NODE_ROOT;
		}
		at++;
		frame = thread->frames;
		frame->node = parent;
		/* Another one each time that everything is forgotten: no memo counts any more. */
		frame->path = frame->key = (uint64_t)thread->n_forgotten << 32 | parent;
		keep(thread, frame, steps, at);
		break;
	}
	if (__builtin_expect(__atomic_load_n(&spt_n_interpreters, __ATOMIC_RELAXED) != 0, 0) &&
	    spt_script_is_here(thread)) {
		thread->script.base = frame;
		return 0;
	}
	known = spt_node_place(thread, thread->innermost->path);
	if (__builtin_expect(!known->node, 0))
		known = spt_nodes_tell(thread, thread->innermost);
	thread->innermost->node = known->node;
	thread->innermost->has_node = true;
	if (__builtin_expect(!known->stack, 0))
		known->stack = new_stack(thread);
	note(thread, place, frame, known, false);
	spt_memo_fetch(thread, known->stack);
	return known->node;
}

/* The same with frames of scripts. */
static __attribute__((noinline)) uint32_t walk_scripts(struct spt_thread *thread,
						       const struct spt_place *place)
{
	struct spt_known_node *known = spt_script_splice(thread);

	if (!known->stack)
		known->stack = new_stack(thread);
	if (spt_script_note(&thread->script, spt_memo_after(thread->last_stack)))
		note(thread, place, thread->script.base, known, true);
	spt_memo_fetch(thread, known->stack);
	return known->node;
}

uint32_t spt_walk_on(struct spt_thread *thread, const struct spt_place *place)
{
	uint32_t generation, node;

	spt_chains_check();
	generation = __atomic_load_n(&spt_generation, __ATOMIC_ACQUIRE);
	if (__builtin_expect(thread->generation != generation, 0))
		forget(thread, generation);
	thread->has_left = false;
	node = walk(thread, place, generation);
	/* Only now: both take much of the stack. */
	if (__builtin_expect(node == 0, 0))
		node = walk_scripts(thread, place);
	/* What is not on the thread's stack may be gone at the next call. */
	if (__builtin_expect(thread->has_left, 0))
		thread->innermost = thread->frames;
	return node;
}

uint32_t spt_walk_nested(struct spt_thread *thread, const struct spt_place *place)
{
	uint32_t generation = __atomic_load_n(&spt_generation, __ATOMIC_ACQUIRE),
		 node = SPT_NODE_ROOT;
	struct spt_step *steps = thread->nested_steps;
	unsigned n = 0;

	/* What is left of the nodes is for the walk that was interrupted. */
	if (thread->n_nodes > SPT_NODES - SPT_MOST_FRAMES - SPT_NESTED_FRAMES)
		return SPT_NODE_INCOMPLETE;
	steps[0] = (struct spt_step){ .pc = place->pc, .sp = place->sp, .bp = place->bp };
	while (n + 1 < SPT_NESTED_FRAMES &&
	       step(&steps[n], spt_rule_of(steps[n].pc, generation), &steps[n + 1], &node) &&
	       steps[n + 1].pc)
		n++;
	if (n + 1 == SPT_NESTED_FRAMES)
		node = SPT_NODE_INCOMPLETE;
	for (unsigned i = n + 1; i-- > 0;)
		node = spt_node_tell(thread, node, steps[i].pc);
	return node;
}
