// SPDX-License-Identifier: GPL-2.0-only
/*
 * Puts the frames of scripts between the native frames of a stack.  A group of them is executed by
 * one native frame of the interpreter's loop, which has something of the group in its own part of
 * the stack: a stack pointer says which frame that is.
 */
#include <linux/ptrace.h>
#include <linux/string.h>

#include "arch.h"
#include "chain.h"
#include "ranges.h"
#include "recall.h"
#include "spaces.h"

/* Most ranges of a space that a tick looks at for a program of threads. */
#define THREAD_RANGES 1024

static u32 splice_object(u64 frame)
{
	return frame >> SYSPROF_FRAME_OBJECT_SHIFT;
}

/* Of a call the byte before it is looked up; the first frame of a stack is exact. */
static u64 splice_place(const u64 *frames, u32 i)
{
	return frames[i] - !!i;
}

/* The program for the innermost interpreter on the stack, and the index of its first frame. */
static const struct sysprof_program *find_program(const struct sysprof_user_part *part,
						  const struct sysprof_tables *own, u32 *ret_at)
{
	u64 objects =
		READ_ONCE(sysprof_chain_objects) & READ_ONCE(part->walk.ranges->objects);
	const struct sysprof_program *program;
	u32 i, last = SYSPROF_OBJECT_UNKNOWN, object;

	for (i = 0; i < part->walk.n; i++) {
		object = splice_object(splice_place(part->frames, i));
		if (object == last)
			continue;
		last = object;
		if (!(objects & sysprof_ranges_bit(object)))
			continue;
		program = sysprof_chain_of(own, object);
		if (program && !program->is_of_steps && !program->is_of_thread) {
			*ret_at = i;
			return program;
		}
	}
	return NULL;
}

/* The address that the first byte of @frame's file would have; 0: not found. */
static u64 start_of_file(const struct ranges *ranges, u64 frame, u32 *hint)
{
	u32 i, n = READ_ONCE(ranges->n), at = *hint;

	for (i = 0; i < n; i++, at++) {
		const struct code_range *range;

		at = at < n ? at : 0;
		range = &ranges->range[at];
		if (READ_ONCE(range->base) &&
		    frame - (READ_ONCE(range->start) + READ_ONCE(range->base)) <
			    READ_ONCE(range->end) - READ_ONCE(range->start)) {
			*hint = at;
			return (frame & ~SYSPROF_FRAME_OFFSET_MASK) - READ_ONCE(range->base);
		}
	}
	return 0;
}

/*
 * The native frame, from @i on, that executes the group with @mark; @part's number of frames if it
 * is none of them.
 */
static u32 find_loop(const struct sysprof_script *script, const struct sysprof_user_part *part,
		     u32 i, u64 mark)
{
	u32 n = part->walk.n;

	if (mark) {
		while (i + 1 < n && script->sps[i + 1] <= mark)
			i++;
		/* How far the last frame reaches is not known. */
		if (i + 1 == n && splice_object(splice_place(part->frames, i)) != script->object)
			return n;
		return i;
	}
	while (i < n && !sysprof_chain_is_in_loop(script, splice_place(part->frames, i)))
		i++;
	return i;
}

/*
 * Merges from the outermost frame on, so that it can be done in place.  @at: for each group, in
 * order, the native frame in front of which it goes.
 */
static void splice_merge(struct sysprof_script *script, struct sysprof_user_part *part,
			 const u16 *at, u32 max)
{
	const struct sysprof_script_frame *frame = script->frame;
	u32 native = part->walk.n, left = script->n, to = native + left, over;
	u64 *frames = part->frames;

	/* What is cut off. */
	for (over = to > max ? to - max : 0; over && left; over--, to--)
		if (native > at[left - 1])
			native--;
		else
			left--;
	while (left) {
		/* Those behind it come first. */
		for (; native > at[left - 1]; to--) {
			frames[to - 1] = frames[native - 1];
			native--;
			/* It is not the first frame any more. */
			frames[to - 1] += !native;
		}
		do {
			left--;
			to--;
			frames[to] = frame[left].name;
		} while (left && native <= at[left - 1]);
	}
	part->walk.n += script->n;
	if (part->walk.n > max) {
		part->walk.n = max;
		part->walk.end = SYSPROF_END_LIMIT;
	}
}

/*
 * How many groups have no native frame yet, or, negative, how many native frames of the loop no
 * longer have a group: the tick came when one was begun or left.  Known only of whole stacks.
 */
static int groups_over(const struct sysprof_script *script, const struct sysprof_user_part *part)
{
	int over = 0;
	u32 i;

	if (script->is_cut || part->walk.end != SYSPROF_END_ROOT)
		return 0;
	/* If the outermost one has a mark, as where all have one, that is known at once. */
	for (i = script->n; i--;) {
		const struct sysprof_script_frame *frame = &script->frame[i];

		/* The stack pointer says where it belongs. */
		if (frame->is_last && frame->mark)
			return 0;
		over += frame->is_last + frame->passed;
	}
	for (i = 0; i < part->walk.n; i++)
		over -= sysprof_chain_is_in_loop(script, splice_place(part->frames, i));
	return over;
}

/* Sets, for each script frame, the native frame in front of which it goes. */
static void find_places(const struct sysprof_script *script, const struct sysprof_user_part *part,
			u16 *at)
{
	int over = groups_over(script, part), passed;
	const struct sysprof_script_frame *frame = script->frame;
	u32 first, i, loop = 0, n = script->n;

	for (first = 0; first < n;) {
		passed = frame[first].passed - over;
		for (over = -min(passed, 0); passed > 0 && loop < part->walk.n; passed--)
			loop = min_t(u32, find_loop(script, part, loop, 0) + 1, part->walk.n);
		/* Only the first frame of a group has passed any. */
		for (i = first; i < n && !frame[i].is_last; i++)
			;
		if (i == n)
			break;
		if (over) {
			/* All that is native is further out. */
			over--;
			for (; first <= i; first++)
				at[first] = 0;
			continue;
		}
		loop = find_loop(script, part, loop, frame[i].mark);
		for (; first <= i; first++)
			at[first] = loop;
		/* The next group's is further out. */
		loop = min_t(u32, loop + 1, part->walk.n);
	}
	for (; first < n; first++)
		at[first] = part->walk.n;
}

/*
 * The walk once more, now with stack pointers.  No program of steps ran in the first one, and none
 * may in this one, should the stack be another meanwhile: @script is not its own.
 */
static void splice_walk_again(struct sysprof_script *script, const struct sysprof_stack *stack,
			      struct sysprof_user_part *part)
{
	part->walk.steps = SYSPROF_STEPS_OFF;
	part->walk.sps = script->sps;
	sysprof_spaces_walk(stack->user_regs, stack->in_user, &part->walk);
	part->walk.sps = NULL;
	sysprof_walk_complete(&part->walk);
}

/* Stack pointers follow from what is remembered of the walk, or take another one. */
static void find_sps(struct sysprof_script *script, const struct sysprof_stack *stack,
		     struct sysprof_user_part *part)
{
	bool is_known = sysprof_recall_find_sps(&part->walk, script->sps);
	struct sysprof_walk before;

	script->sps[0] = user_stack_pointer(stack->user_regs);
	if (likely(is_known && READ_ONCE(sysprof_recall_mode) != SYSPROF_RECALL_CHECKED))
		return;
	before = part->walk;
	splice_walk_again(script, stack, part);
	if (is_known && part->walk.n == before.n)
		sysprof_recall_judge_sps(&before, script->sps);
}

/* The walk once more, with registers, while which the program runs. */
static void splice_by_registers(struct sysprof_script *script, const struct sysprof_stack *stack,
				struct sysprof_user_part *part, u64 bias)
{
	sysprof_script_begin(script);
	script->thread = sysprof_arch_thread_pointer();
	script->bias = bias;
	part->walk.by_frames = true;
	splice_walk_again(script, stack, part);
	part->walk.by_frames = false;
}

/* Each frame of scripts has a native frame that is the interpreter's, or made by it. */
static void splice_by_frames(struct sysprof_script *script, const struct sysprof_stack *stack,
			     struct sysprof_user_part *part, u64 bias)
{
	u64 place;
	u32 i;

	script->n_run = 0;
	script->ip = instruction_pointer(stack->user_regs);
	/* Where the last one ends is not known. */
	for (i = 0; i + 1 < part->walk.n && i < SYSPROF_MAX_USER_FRAMES; i++) {
		place = splice_place(part->frames, i);
		if (sysprof_chain_is_of_frames(script, place))
			script->run[script->n_run++] = i;
	}
	sysprof_chain_run_frames(script->program, bias, script);
}

/* What was found belongs to @stack. */
static void splice_found(struct sysprof_script *script, struct sysprof_stack *stack,
			 struct sysprof_user_part *part)
{
	script->stack = stack;
	script->mm = stack->mm;
	sysprof_codes_number(script);
	splice_merge(script, part, script->at, stack->request.max_user);
	part->flags |= (script->n ? SYSPROF_SAMPLE_SCRIPT : 0) |
		       (script->is_cut ? SYSPROF_SAMPLE_SCRIPT_CUT : 0);
	part->script = script->n ? script : NULL;
}

/* What is mapped in the space with a program of threads, and where its file would begin. */
static const struct sysprof_program *find_of_thread(const struct ranges *ranges,
						    const struct sysprof_tables *own, u64 objects,
						    struct sysprof_script *script, u64 *ret_start)
{
	u32 i, n = READ_ONCE(ranges->n), at = script->thread_hint, object,
	    last = SYSPROF_OBJECT_UNKNOWN;
	const struct sysprof_program *program;

	/* It goes on there at the next tick. */
	for (i = 0; i < n && i < THREAD_RANGES; i++, at++) {
		const struct code_range *range;
		u64 base, frame;

		at = at < n ? at : 0;
		range = &ranges->range[at];
		base = READ_ONCE(range->base);
		frame = READ_ONCE(range->start) + base;
		object = splice_object(frame);
		if (!base || object == last || !(objects & sysprof_ranges_bit(object)))
			continue;
		last = object;
		program = sysprof_chain_of(own, object);
		if (program && program->is_of_thread) {
			script->thread_hint = at;
			script->thread_object = object;
			*ret_start = (frame & ~SYSPROF_FRAME_OFFSET_MASK) - base;
			return program;
		}
	}
	script->thread_hint = at;
	return NULL;
}

/* Before frames of scripts are looked for, whose memory it uses.  False: there is nothing. */
static bool splice_find_thread(struct sysprof_stack *stack, const struct sysprof_user_part *part,
			const struct sysprof_tables *own)
{
	u64 objects = sysprof_chain_thread_objects() & READ_ONCE(part->walk.ranges->objects), start;
	const struct sysprof_program *program;
	struct sysprof_script_frame first;
	struct sysprof_script *script;
	bool is_cut, has_thread;
	u32 n, passed;

	if (likely(!objects) || stack->flags & SYSPROF_SAMPLE_USER_32BIT ||
	    !sysprof_arch_may_read(stack->user_regs))
		return false;
	script = sysprof_chain_script();
	program = find_of_thread(part->walk.ranges, own, objects, script, &start);
	if (!program)
		return false;
	script->stack = stack;
	script->mm = stack->mm;
	/* Where steps ran, frames were found while the stack was walked. */
	n = part->walk.steps == SYSPROF_STEPS_RUN ? script->n : 0;
	first = script->own[0];
	passed = script->passed;
	is_cut = script->is_cut;
	sysprof_chain_run(program, start - program->address_minus_offset, script);
	has_thread = script->n;
	if (has_thread) {
		sysprof_codes_number(script);
		script->thread_program = program;
		script->thread_frame = script->own[0];
	}
	script->own[0] = first;
	script->n = n;
	script->passed = passed;
	script->is_cut = is_cut;
	return has_thread;
}

static void splice_put_thread(struct sysprof_user_part *part, u32 max)
{
	struct sysprof_script *script = sysprof_chain_script();

	if (part->walk.n == max) {
		part->walk.n--;
		part->walk.end = SYSPROF_END_LIMIT;
	}
	part->frames[part->walk.n++] = script->thread_frame.name;
	part->flags |= SYSPROF_SAMPLE_THREAD;
	part->script = script;
}

static void splice_scripts(struct sysprof_stack *stack, struct sysprof_user_part *part,
			   const struct sysprof_tables *own)
{
	struct sysprof_script *script;
	const struct sysprof_program *program;
	u64 start, bias;
	u32 at;

	if (unlikely(part->walk.steps == SYSPROF_STEPS_RUN)) {
		splice_found(sysprof_chain_script(), stack, part);
		return;
	}
	program = find_program(part, own, &at);
	if (likely(!program) || stack->flags & SYSPROF_SAMPLE_USER_32BIT ||
	    !sysprof_arch_may_read(stack->user_regs))
		return;
	script = sysprof_chain_script();
	start = start_of_file(part->walk.ranges, splice_place(part->frames, at),
			      &script->place_hint);
	if (!start)
		return;
	script->program = program;
	script->object = splice_object(splice_place(part->frames, at));
	script->mm = stack->mm;
	script->tid = stack->tid;
	bias = start - program->address_minus_offset;
	if (program->has_registers) {
		splice_by_registers(script, stack, part, bias);
	} else if (program->is_of_frames) {
		find_sps(script, stack, part);
		splice_by_frames(script, stack, part, bias);
	} else {
		sysprof_chain_run(program, bias, script);
		if (script->n)
			find_sps(script, stack, part);
		find_places(script, part, script->at);
	}
	splice_found(script, stack, part);
}

void sysprof_chain_splice(struct sysprof_stack *stack, struct sysprof_user_part *part,
			  const struct sysprof_tables *own)
{
	bool has_thread;

	sysprof_walk_complete(&part->walk);
	has_thread = splice_find_thread(stack, part, own);
	splice_scripts(stack, part, own);
	if (part->script)
		part->script->thread_program = has_thread ? part->script->thread_program : NULL;
	if (has_thread)
		splice_put_thread(part, stack->request.max_user);
	/* They are not the walk's any more. */
	if (part->script)
		part->walk.outer.n = 0;
}
