// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64: kernel stacks by ORC, the tables by which the kernel itself unwinds, as far as they are
 * not known as a whole (memo.h) or step by step (steps.h).
 *
 * The unwinder is asked for each step that is not known.  It is first given no frame pointer, so
 * that it fails where it needs one; then it is asked again.  Where it needs another register the
 * stack is walked by the unwinder alone.
 */
#include <asm/ptrace.h>
#include <asm/switch_to.h>
#include <asm/unwind.h>
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/sched.h>

#include "arch.h"
#include "kernel-frame.h"
#include "memo.h"
#include "origin.h"
#include "stack.h"
#include "steps.h"
#include "sysprof.h"
#include "trace-points.h"

/* Frames of a walk, the module's own among them: more are no stack. */
#define MAX_STEPS (2 * SYSPROF_MAX_KERNEL_FRAMES)
#define NO_BP	  0x9db7c0de5f3a1eedUL /* that no register has: not an address */

/**
 * struct orc_walk - a walk along a kernel stack
 * @memo: what is known of it
 * @task: whose stack it is
 * @frames: room for @max
 * @n: frames so far
 * @max: see @frames
 * @end: enum sysprof_end
 * @is_own: all frames so far are the module's own, which are removed
 */
struct orc_walk {
	struct sysprof_memo_walk memo;
	struct task_struct *task;
	u64 *frames;
	u32 n;
	u32 max;
	u8 end;
	bool is_own;
};

/**
 * struct place - where a walk is
 * @ip: an instruction that was interrupted, or a return address
 * @sp: the stack pointer there
 * @bp: the frame pointer there
 * @end: the stack may be read up to here; 0: that is not known
 * @regs: what was interrupted; NULL: @ip is a return address
 * @step: that of @ip; 0: not looked up, or not known
 */
struct place {
	unsigned long ip;
	unsigned long sp;
	unsigned long bp;
	unsigned long end;
	struct pt_regs *regs;
	u64 step;
};

enum outcome { MOVED, AT_ROOT, LOST };

static bool is_known(struct orc_walk *walk, unsigned long ip, unsigned long sp)
{
	u32 known;

	if (!sysprof_memo_find(&walk->memo, ip, sp, walk->frames + walk->n, walk->max - walk->n,
			       &known, &walk->end))
		return false;
	walk->n += known;
	return true;
}

static void walk_orc_add(struct orc_walk *walk, unsigned long ip, unsigned long at)
{
	u64 frame = sysprof_kernel_frame_encode(ip);

	walk->is_own = walk->is_own && sysprof_trace_points_own(ip);
	sysprof_memo_add(&walk->memo, ip, at, frame, walk->is_own);
	if (!walk->is_own)
		walk->frames[walk->n++] = frame;
}

/* Where the unwinder found a return address; 0: it is what another interrupt interrupted. */
static unsigned long walk_orc_place_of(const struct unwind_state *state)
{
	return state->regs ? 0 : state->sp - sizeof(long);
}

static void learn(const struct place *place, enum sysprof_step kind, unsigned long words, u32 saved)
{
	sysprof_step_learn(place->ip, place->regs, sysprof_kernel_frame_encode(place->ip), kind,
			   words, saved);
}

static bool is_on_task_stack(const struct orc_walk *walk, unsigned long sp)
{
	return sysprof_task_stack_has(&walk->memo.stack, sp);
}

static unsigned long words_between(unsigned long from, unsigned long to)
{
	return (to - from) / sizeof(long);
}

static void walk_orc_move(const struct orc_walk *walk, struct place *place,
			  const struct unwind_state *state)
{
	place->ip = state->ip;
	place->sp = state->sp;
	if (state->bp != NO_BP)
		place->bp = state->bp;
	/* What was interrupted may have had any stack pointer. */
	place->end = is_on_task_stack(walk, state->sp) ? walk->memo.stack.entry :
		     state->regs		       ? 0 :
							 (unsigned long)state->stack_info.end;
	place->regs = state->regs;
	place->step = 0;
}

/* The unwinder takes one step from @place, where the frame pointer is taken to be @bp. */
static void unwind_from(const struct orc_walk *walk, const struct place *place, unsigned long bp,
			struct unwind_state *state)
{
	const struct pt_regs *from = place->regs;
	/* No more of them is read. */
	struct pt_regs regs;

	regs.ip = place->ip - !from;
	regs.sp = place->sp;
	regs.cs = __KERNEL_CS;
	regs.bp = bp;
	regs.r10 = from ? from->r10 : 0;
	regs.r13 = from ? from->r13 : 0;
	regs.di = from ? from->di : 0;
	regs.dx = from ? from->dx : 0;
	unwind_start(state, walk->task, &regs, NULL);
	/* The state outlives these. */
	if (state->regs == &regs)
		state->regs = NULL;
}

/*
 * The words in which the caller's frame pointer may be: a bit each, by number as in a step.  0:
 * there is none, or one is too far from the end for a step to name, as where return probes save all
 * registers.
 */
static u32 saved_in(unsigned long sp, const struct unwind_state *state)
{
	unsigned long i, n;
	u32 words = 0;

	if (state->sp < sp)
		return 0;
	n = min((state->sp - sp) / sizeof(long), SYSPROF_STEP_WORDS_MAX + 1);
	/* The first word is the return address. */
	for (i = 2; i <= n; i++) {
		if (sysprof_stack_word(state->sp - i * sizeof(long)) != state->bp)
			continue;
		if (i > SYSPROF_STEP_SAVED_MAX)
			return 0;
		words |= BIT(i);
	}
	return words;
}

/*
 * Of @saved, more than one word, those in which it may be.  From one word higher the unwinder finds
 * another word, as far from the end.
 */
static noinline u32 saved_in_both(const struct orc_walk *walk, const struct place *place, u32 saved)
{
	struct place higher = *place;
	struct unwind_state state;

	higher.sp += sizeof(long);
	unwind_from(walk, &higher, NO_BP, &state);
	return unwind_error(&state) ? 0 : saved & saved_in(higher.sp, &state);
}

/* The unwinder went from @place, without a frame pointer, to @state. */
static void learn_by_sp(const struct orc_walk *walk, const struct place *place,
			const struct unwind_state *state)
{
	u32 saved = 0;

	if (state->regs || state->sp <= place->sp || state->sp > place->end)
		return;
	if (state->bp != NO_BP) {
		saved = saved_in(place->sp, state);
		if (saved && !is_power_of_2(saved))
			saved = saved_in_both(walk, place, saved);
		if (!is_power_of_2(saved))
			return;
		saved = __ffs(saved);
	}
	learn(place, SYSPROF_STEP_BY_SP, words_between(place->sp, state->sp) - 1, saved);
}

/*
 * The unwinder found no caller without a frame pointer.  With it, it finds the caller where
 * functions that have one usually have it, or else the stack is the unwinder's.
 */
static enum outcome ask_by_bp(struct orc_walk *walk, struct place *place)
{
	unsigned long bp = place->bp;
	struct unwind_state state;

	if (bp % sizeof(long) || bp < place->sp || bp >= place->end)
		return LOST;
	unwind_from(walk, place, bp, &state);
	/* In a function that realigns its stack the caller's end is higher. */
	if (unwind_error(&state) || unwind_done(&state) || state.regs ||
	    state.sp != bp + 2 * sizeof(long) || state.sp > place->end ||
	    state.bp != sysprof_stack_word(bp)) {
		learn(place, SYSPROF_STEP_OTHER, 0, 0);
		return LOST;
	}
	if (!unwind_get_return_address(&state))
		return LOST;
	learn(place, SYSPROF_STEP_BY_BP, 1, 2);
	walk_orc_move(walk, place, &state);
	return MOVED;
}

/* The unwinder takes one step. */
static enum outcome walk_orc_ask(struct orc_walk *walk, struct place *place)
{
	struct unwind_state state;

	walk->memo.is_asked = true;
	unwind_from(walk, place, NO_BP, &state);
	if (unwind_error(&state))
		return ask_by_bp(walk, place);
	if (unwind_done(&state) || (state.regs && user_mode(state.regs))) {
		if (is_on_task_stack(walk, place->sp))
			learn(place, SYSPROF_STEP_LAST,
			      words_between(place->sp, walk->memo.stack.entry), 0);
		return AT_ROOT;
	}
	if (!unwind_get_return_address(&state) || (state.regs && !state.full_regs))
		return LOST;
	learn_by_sp(walk, place, &state);
	walk_orc_move(walk, place, &state);
	return MOVED;
}

/* Goes to the caller. */
static enum outcome walk_orc_step(struct orc_walk *walk, struct place *place)
{
	u64 own = place->step ?: sysprof_step_of(place->ip, place->regs), next;
	unsigned long behind = place->sp, bp = place->bp, ip;

	if (unlikely(sysprof_step_kind(own) == SYSPROF_STEP_OTHER)) {
		walk->memo.is_asked = true;
		return LOST;
	}
	if (!sysprof_step_go(&walk->memo.stack, own, place->end, &behind, &bp))
		return walk_orc_ask(walk, place);
	if (!behind)
		return AT_ROOT;
	ip = sysprof_stack_word(behind - sizeof(long));
	next = sysprof_step_of(ip, false);
	/* The unwinder knows return addresses that were replaced; no step leads from those. */
	if (!next)
		return walk_orc_ask(walk, place);
	place->ip = ip;
	place->sp = behind;
	place->bp = bp;
	place->regs = NULL;
	place->step = next;
	return MOVED;
}

/* Appends the frames from @place on.  False: the unwinder has to. */
static bool walk_by_steps(struct orc_walk *walk, struct place place)
{
	enum outcome outcome = LOST;
	unsigned long at;
	u32 left;

	if (!place.regs)
		walk_orc_add(walk, place.ip, place.sp - sizeof(long));
	for (left = MAX_STEPS; left; left--) {
		outcome = walk_orc_step(walk, &place);
		if (outcome != MOVED)
			break;
		if (walk->n == walk->max) {
			walk->end = SYSPROF_END_LIMIT;
			break;
		}
		at = place.regs ? 0 : place.sp - sizeof(long);
		if (at && is_known(walk, place.ip, place.sp))
			return true;
		walk_orc_add(walk, place.ip, at);
	}
	if (outcome == LOST)
		return false;
	if (!left)
		walk->end = SYSPROF_END_UNRELIABLE;
	sysprof_memo_keep(&walk->memo, walk->frames + walk->n, walk->end);
	return true;
}

/* The unwinder went from @place to @state: a step from there must lead to the same place. */
static void walk_orc_compare(struct orc_walk *walk, struct place place, struct unwind_state *state)
{
	enum outcome outcome;

	if (unwind_error(state))
		return;
	outcome = walk_orc_step(walk, &place);
	if (outcome == LOST)
		return;
	if (outcome == AT_ROOT)
		walk->memo.is_wrong |=
			!unwind_done(state) && !(state->regs && user_mode(state->regs));
	else
		walk->memo.is_wrong |= place.ip != state->ip || place.sp != state->sp ||
				       place.bp != state->bp;
}

/* The same by the unwinder alone.  Without registers the first frame is at @first or above. */
static void walk_on(struct orc_walk *walk, struct place place, unsigned long *first)
{
	bool is_first = !place.regs;
	struct unwind_state state;
	unsigned long ip, at;

	for (unwind_start(&state, walk->task, place.regs, first);; unwind_next_frame(&state)) {
		at = unwind_done(&state) ? 0 : walk_orc_place_of(&state);
		if (!is_first && walk->memo.is_due && !walk->memo.is_check)
			walk_orc_compare(walk, place, &state);
		is_first = false;
		if (unwind_done(&state))
			break;
		ip = unwind_get_return_address(&state);
		if (!ip) {
			/* An address that is neither user mode's nor code of the kernel's. */
			if (!state.regs || !user_mode(state.regs))
				walk->end = SYSPROF_END_UNRELIABLE;
			break;
		}
		if (walk->n == walk->max) {
			walk->end = SYSPROF_END_LIMIT;
			break;
		}
		if (at && is_known(walk, ip, state.sp))
			return;
		walk_orc_add(walk, ip, at);
		walk_orc_move(walk, &place, &state);
	}
	if (unwind_error(&state))
		walk->end = SYSPROF_END_UNRELIABLE;
	sysprof_memo_keep(&walk->memo, walk->frames + walk->n, walk->end);
}

/* Whether all frames are known, but for what was interrupted, which is here. */
static bool walk_orc_is_whole(struct orc_walk *walk, const struct place *place)
{
	u32 known;

	if (!place->regs)
		return is_known(walk, place->ip, place->sp);
	/* Without a check it would have been recalled. */
	if (!walk->memo.is_due ||
	    !sysprof_memo_interrupted(&walk->memo, place->regs, walk->frames + 1,
				      walk->max - 1, &known, &walk->end))
		return false;
	walk->n += known;
	return true;
}

static void go_back(struct orc_walk *walk, const struct place *place)
{
	walk->n = !!place->regs;
	walk->end = SYSPROF_END_ROOT;
	walk->is_own = !place->regs && walk->task == current;
}

static void start(struct orc_walk *walk, struct place *place, u64 site)
{
	go_back(walk, place);
	sysprof_memo_begin(&walk->memo, walk->task, site);
	place->end = is_on_task_stack(walk, place->sp) ? walk->memo.stack.entry : 0;
}

/* Appends the frames from @place on, or those behind it if it was interrupted. */
static void walk_all(struct orc_walk *walk, struct place *place, u64 site, unsigned long *first)
{
	start(walk, place, site);
	if (walk_orc_is_whole(walk, place))
		return;
	if (walk->memo.by_steps) {
		if (walk_by_steps(walk, *place))
			return;
		go_back(walk, place);
	} else if (!walk->memo.is_due) {
		if (walk_by_steps(walk, *place))
			return;
		start(walk, place, site);
		walk->memo.is_asked = true;
		if (walk_orc_is_whole(walk, place))
			return;
	}
	walk_on(walk, *place, first);
}

/*
 * A stack that is not known, or has to be checked.  A function of its own, since the compiler
 * clears all of its structures.
 */
static noinline u32 walk_unknown(struct task_struct *task, struct pt_regs *regs, u64 site,
				 unsigned long ip, unsigned long sp, unsigned long bp,
				 unsigned long *first, u64 *frames, u32 max, u8 *end)
{
	struct orc_walk walk = { .task = task, .frames = frames, .max = max };
	struct place place = { .ip = ip, .sp = sp, .bp = bp, .regs = regs };

	walk_all(&walk, &place, site, first);
	*end = walk.end;
	return walk.n;
}

u32 sysprof_arch_walk_kernel(struct task_struct *task, struct pt_regs *regs,
			     const struct sysprof_origin *origin, u64 *frames, u32 max, u8 *end)
{
	const struct inactive_task_frame *asleep;
	unsigned long *first = NULL, ip, sp, bp;
	int n;

	*end = SYSPROF_END_LIMIT;
	if (!max)
		return 0;
	if (regs) {
		ip = regs->ip;
		sp = regs->sp;
		bp = regs->bp;
		frames[0] = sysprof_kernel_frame_encode(ip);
		n = sysprof_memo_recall_interrupted(task, origin->site, regs, frames + 1, max - 1,
						    end);
		if (likely(n >= 0))
			return 1 + n;
	} else {
		if (task == current) {
			/* A frame has a frame pointer and a return address. */
			first = origin->frame ?: __builtin_frame_address(0);
			bp = first[0];
			ip = first[1];
			sp = (unsigned long)(first + 2);
		} else {
			asleep = (const struct inactive_task_frame *)task->thread.sp;
			bp = READ_ONCE_NOCHECK(asleep->bp);
			ip = READ_ONCE_NOCHECK(asleep->ret_addr);
			sp = (unsigned long)(asleep + 1);
		}
		n = sysprof_memo_recall(task, origin->site, ip, sp, frames, max, end);
		if (likely(n >= 0))
			return n;
	}
	return walk_unknown(task, regs, origin->site, ip, sp, bp, first, frames, max, end);
}
