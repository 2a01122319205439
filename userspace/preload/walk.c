/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks.  A thread keeps the frames of its last call, and every word of the stack by which they
 * were found.  A new call is walked outwards until it comes to a frame that is kept, with the same
 * stack pointer, address and, if it matters, frame pointer.  From there on a walk would read the
 * kept words.  They are read again, from the inside out: as long as they are the same, so is where
 * the next one lies.  If all are, the rest of the stack is what it was.  Where one differs, the
 * frame is walked on.
 */
#include <string.h>
#include <sys/uio.h>

#include "rules.h"
#include "system.h"
#include "thread.h"

/* Of the kernel's struct ucontext on x86-64. */
#define UC_BP 120
#define UC_SP 160
#define UC_PC 168
/* Code that programs make is in one area. */
#define NEAR_BYTES (1ULL << 31)
/* A frame along a chain of frame pointers has no more. */
#define CHAIN_BYTES (1ULL << 20)
/* Of the longest call instruction. */
#define CALL_BYTES 7

static uint64_t load(uint64_t address)
{
	return *(const uint64_t *)address;
}

/* Of memory that may not be there. */
static bool read_safely(uint64_t address, void *to, size_t bytes)
{
	struct iovec ours = { to, bytes }, theirs = { (void *)address, bytes };

	return spt_call6(SYS_process_vm_readv, spt_call(SYS_getpid, 0, 0, 0, 0), (long)&ours, 1,
			 (long)&theirs, 1, 0) == (long)bytes;
}

/* Behind a frame that was found by a guess, what a rule says may be anywhere. */
static inline bool fetch(const struct spt_step *from, uint64_t address, uint64_t *ret)
{
	if (__builtin_expect(from->is_guess, 0))
		return read_safely(address, ret, sizeof(*ret));
	*ret = load(address);
	return true;
}

/* Whether the instruction before @address is a call: to a place, or by a register or memory. */
static bool is_behind_call(uint64_t address)
{
	uint8_t code[CALL_BYTES];

	if (!read_safely(address - CALL_BYTES, code, sizeof(code)))
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

/*
 * The caller's frame pointer and where the way goes on, in code that nothing is known of: a guess.
 * Code without frame pointers has anything there.
 */
static bool step_along_chain(const struct spt_step *from, struct spt_step *to)
{
	uint64_t words[2];
	struct spt_code code;

	if (from->bp - from->sp > CHAIN_BYTES || from->bp % 8 ||
	    !read_safely(from->bp, words, sizeof(words)))
		return false;
	if (words[1] - from->pc + NEAR_BYTES > 2 * NEAR_BYTES && !spt_code_find(words[1], &code))
		return false;
	if (!is_behind_call(words[1]))
		return false;
	*to = (struct spt_step){ .pc = words[1],
				 .sp = from->bp + 16,
				 .bp = words[0],
				 .pc_at = from->bp + 8,
				 .bp_at = from->bp,
				 .is_guess = true };
	return true;
}

static void step_over_signal(const struct spt_step *from, struct spt_step *to)
{
	*to = (struct spt_step){ .pc = (load(from->sp + UC_PC) & SPT_RING_POINTER_MASK) |
				       SPT_NODE_EXACT,
				 .sp = load(from->sp + UC_SP),
				 .bp = load(from->sp + UC_BP),
				 .pc_at = from->sp + UC_PC,
				 .bp_at = from->sp + UC_BP,
				 .sp_at = from->sp + UC_SP };
}

/* False: there is no further frame; @ret_parent is what is there instead. */
static __always_inline bool step(struct spt_step *from, struct spt_step *to, uint32_t *ret_parent)
{
	uint64_t rule = spt_rule_of(from->pc), at = 0, sp;

	from->rule = rule;
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
		if (from->is_guess)
			return false;
		step_over_signal(from, to);
		return true;
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
	to->pc_at = sp - 8;
	to->is_guess = from->is_guess;
	if (!fetch(from, sp - 8, &to->pc))
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

/* Whether the way outwards from a frame depends on its frame pointer. */
static bool needs_bp(uint64_t rule, bool caller_needs)
{
	switch (spt_rule_base(rule)) {
	case SPT_RULE_BP:
	case SPT_RULE_AT_BP:
	case SPT_RULE_CHAIN:
		return true;
	case SPT_RULE_SP:
	case SPT_RULE_AT_SP:
		return caller_needs && spt_rule_bp(rule) != SPT_BP_AT_CFA;
	default:
		return false;
	}
}

/* Nodes. */

static bool was_told(struct spt_thread *thread, uint64_t start)
{
	uint64_t *told = &thread->told_code[start >> 12 & (SPT_TOLD_CODE - 1)];
	bool was = *told == start;

	*told = start;
	return was;
}

static bool is_in_latest(const struct spt_thread *thread, uint64_t address)
{
	for (unsigned i = 0; i < SPT_LATEST_CODE; i++)
		if (address >= thread->latest_code[i][0] && address < thread->latest_code[i][1])
			return true;
	return false;
}

static void remember(struct spt_thread *thread, const struct spt_code *code)
{
	uint64_t *latest = thread->latest_code[thread->n_latest++ % SPT_LATEST_CODE];

	/* A signal handler that comes in between finds nothing here, or all of it. */
	latest[1] = 0;
	__asm__ volatile("" ::: "memory");
	latest[0] = code->start;
	__asm__ volatile("" ::: "memory");
	latest[1] = code->end;
}

/* Of the file that @address is in, so that its meaning can be recorded. */
static void tell_code(struct spt_thread *thread, uint64_t address)
{
	struct spt_code code;
	uint64_t stat[18] = { 0 };	/* of struct stat only device and inode, the first two */
	const char *path;
	char own[SPT_RINGS_PAGE];
	unsigned n, bytes;
	uint32_t at;

	if (is_in_latest(thread, address) || !spt_code_find(address, &code))
		return;
	remember(thread, &code);
	if (was_told(thread, code.start))
		return;
	path = code.name;
	if (!*path) {
		long length = spt_call(SYS_readlink, "/proc/self/exe", own, sizeof(own) - 1, 0);

		own[length > 0 ? length : 0] = '\0';
		path = own;
		spt_call(SYS_stat, "/proc/self/exe", stat, 0, 0);
	} else if (*path == '/') {
		spt_call(SYS_stat, path, stat, 0, 0);
	}
	bytes = (unsigned)strnlen(path, SPT_RING_PATH_WORDS * 8 - 1) + 1;
	n = SPT_RING_OBJECT_WORDS + (bytes + 7) / 8;
	at = spt_ring_take(thread, 1 + n);
	spt_ring_put(thread, at, SPT_RING_OBJECT | (uint64_t)n << SPT_RING_MORE_SHIFT |
				 code.start << SPT_RING_POINTER_SHIFT);
	spt_ring_put(thread, at + 1, code.end);
	spt_ring_put(thread, at + 2, code.offset);
	spt_ring_put(thread, at + 3, stat[0]);
	spt_ring_put(thread, at + 4, stat[1]);
	for (unsigned i = 0; i < n - SPT_RING_OBJECT_WORDS; i++) {
		uint64_t word = 0;
		unsigned left = bytes - 8 * i;

		memcpy(&word, path + 8 * i, left < 8 ? left : 8);
		spt_ring_put(thread, at + 5 + i, word);
	}
}

static uint32_t tell_node(struct spt_thread *thread, uint32_t parent, uint64_t pc)
{
	uint32_t node = thread->n_nodes, at;

	/* One instruction: a signal handler between reading and writing would have the same one. */
	__asm__ volatile("movl $1, %0\n\txaddl %0, %1" : "=&r"(node), "+m"(thread->n_nodes));
	tell_code(thread, (pc & ~SPT_NODE_EXACT) - !(pc & SPT_NODE_EXACT));
	at = spt_ring_take(thread, 2);
	spt_ring_put(thread, at, SPT_RING_NODE | pc << SPT_RING_POINTER_SHIFT);
	spt_ring_put(thread, at + 1, (uint64_t)parent << 32 | node);
	return node;
}

static inline uint32_t child(struct spt_thread *thread, uint32_t parent, uint64_t pc)
{
	struct spt_known_node *known =
		&thread->nodes[((pc ^ (uint64_t)parent << 20) * 0x9e3779b97f4a7c15ULL) >> 50 &
			       (SPT_NODE_CACHE - 1)];

	if (__builtin_expect(known->pc != pc || known->parent != parent, 0)) {
		known->pc = 0;
		known->node = tell_node(thread, parent, pc);
		known->parent = parent;
		known->pc = pc;
	}
	return known->node;
}

/* Nothing is known any more, and the reader gets to know that. */
static void forget(struct spt_thread *thread, uint32_t generation)
{
	spt_ring_put(thread, spt_ring_take(thread, 1), SPT_RING_RESET);
	thread->generation = generation;
	/* Ends every search outwards, whatever the stack pointer. */
	thread->frames[0] = (struct spt_frame){ .sp = UINT64_MAX };
	thread->innermost = thread->frames;
	thread->n_nodes = SPT_NODE_FIRST;
	memset(thread->nodes, 0, sizeof(thread->nodes));
	memset(thread->told_code, 0, sizeof(thread->told_code));
	memset(thread->latest_code, 0, sizeof(thread->latest_code));
}

/* What is kept. */

static void watch(struct spt_thread *thread, uint32_t *n, uint64_t at, uint64_t value)
{
	if (at)
		thread->watches[(*n)++] = (struct spt_watch){ (const uint64_t *)at, value };
}

/* The words by which a frame was found, so that they are read again in the order of the walk. */
static uint32_t watch_step(struct spt_thread *thread, uint32_t n, const struct spt_step *step,
			   bool needs)
{
	watch(thread, &n, needs ? step->bp_at : 0, step->bp);
	if (step->pc_at)
		thread->watches[n++] = (struct spt_watch){ (const uint64_t *)step->pc_at,
							   load(step->pc_at) };
	watch(thread, &n, step->sp_at, step->sp);
	return n;
}

/*
 * Reads the words of the frames outside of @frame again.  Returns the frame whose words differ, or
 * NULL.
 */
static inline struct spt_frame *verify(const struct spt_thread *thread, struct spt_frame *frame)
{
	const struct spt_watch *first = thread->watches, *watch = first + frame->watches;

#pragma GCC unroll 4
	while (watch > first) {
		watch--;
		if (__builtin_expect(*watch->at != watch->value, 0)) {
			while (first + frame->watches > watch)
				frame--;
			return frame;
		}
	}
	return NULL;
}

/* Puts the frames that were walked inside of @frame, from @end inwards to @steps; the innermost. */
static __always_inline struct spt_frame *keep(struct spt_thread *thread, struct spt_frame *frame,
					      const struct spt_step *steps,
					      const struct spt_step *end)
{
	while (end > steps) {
		const struct spt_step *outer = end--;

		frame[1] = (struct spt_frame){
			.pc = end->pc,
			.sp = end->sp,
			.bp = end->bp,
			.node = child(thread, frame->node, end->pc),
			.needs_bp = needs_bp(end->rule, frame->needs_bp),
			.watches = watch_step(thread, frame->watches, outer, frame->needs_bp),
		};
		frame++;
	}
	return frame;
}

static uint32_t walk(struct spt_thread *thread, const struct spt_place *place)
{
	struct spt_step *steps = thread->steps, *at = steps;
	struct spt_frame *frame = thread->innermost;
	uint32_t parent;

	at->pc = place->pc;
	at->sp = place->sp;
	at->bp = place->bp;
	at->is_guess = false;
	for (;;) {
		while (frame->sp < at->sp)
			frame--;
		if (frame->sp == at->sp && frame->pc == at->pc &&
		    (!frame->needs_bp || frame->bp == at->bp)) {
			struct spt_frame *differs = verify(thread, frame);

			if (!differs)
				break;
			frame = differs > thread->frames ? differs - 1 : differs;
		}
		parent = SPT_NODE_INCOMPLETE;
		if (at + 2 == steps + SPT_MOST_FRAMES || !step(at, at + 1, &parent)) {
			/* What led to the end is no word that could change, but code. */
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
		break;
	}
	frame = keep(thread, frame, steps, at);
	thread->innermost = frame;
	return frame->node;
}

uint32_t spt_walk(struct spt_thread *thread, const struct spt_place *place)
{
	uint32_t generation = __atomic_load_n(&spt_generation, __ATOMIC_ACQUIRE);

	if (__builtin_expect(thread->generation != generation ||
				     thread->n_nodes > SPT_NODE_MOST - 2 * SPT_MOST_FRAMES,
			     0))
		forget(thread, generation);
	return walk(thread, place);
}

uint32_t spt_walk_nested(struct spt_thread *thread, const struct spt_place *place)
{
	struct spt_step *steps = thread->nested_steps;
	uint32_t node = SPT_NODE_ROOT;
	unsigned n = 0;

	steps[0] = (struct spt_step){ .pc = place->pc, .sp = place->sp, .bp = place->bp };
	while (n + 1 < SPT_NESTED_FRAMES && step(&steps[n], &steps[n + 1], &node) &&
	       steps[n + 1].pc)
		n++;
	if (n + 1 == SPT_NESTED_FRAMES)
		node = SPT_NODE_INCOMPLETE;
	for (unsigned i = n + 1; i-- > 0;)
		node = tell_node(thread, node, steps[i].pc);
	return node;
}
