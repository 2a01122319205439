/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts frames of scripts between those of the native stack, as module/chain-splice.c does it.  A
 * group of them is executed by one native frame of the interpreter's loop, which has something of
 * the group in its own part of the stack: a stack pointer says which frame that is.
 *
 * Native frames are counted from the innermost on, as frames of scripts are.
 */
#include "nodes.h"
#include "script.h"

static inline const struct spt_frame *native(const struct spt_thread *thread, uint32_t i)
{
	return thread->innermost - i;
}

static inline uint32_t n_native(const struct spt_thread *thread)
{
	return (uint32_t)(thread->innermost - thread->frames);
}

/* A call is looked for by the byte before it returns to. */
static inline uint64_t splice_address(const struct spt_frame *frame)
{
	return (frame->pc & ~SPT_NODE_EXACT) - !(frame->pc & SPT_NODE_EXACT);
}

static inline bool splice_is_of(const struct spt_interpreter *interpreter,
				const struct spt_frame *frame)
{
	return splice_address(frame) - interpreter->code->start <
	       interpreter->code->end - interpreter->code->start;
}

bool spt_script_is_here(struct spt_thread *thread)
{
	/* Acquire: pairs with the release by which they are added. */
	uint32_t n = __atomic_load_n(&spt_n_interpreters, __ATOMIC_ACQUIRE);

	for (const struct spt_frame *frame = thread->innermost; frame > thread->frames; frame--)
		for (uint32_t i = 0; i < n; i++)
			if (splice_is_of(&spt_interpreters[i], frame)) {
				thread->script.interpreter = &spt_interpreters[i];
				return true;
			}
	return false;
}

static bool splice_is_loop(const struct spt_thread *thread, uint32_t i)
{
	uint64_t address = splice_address(native(thread, i));

	for (unsigned loop = 0; loop < SYSPROF_CHAIN_MAX_LOOPS; loop++)
		if (address >= thread->script.interpreter->loops[loop].start &&
		    address < thread->script.interpreter->loops[loop].end)
			return true;
	return false;
}

/* The native frame, from @i on, that executes the group with @mark; n_native: none does. */
static uint32_t splice_find(const struct spt_thread *thread, uint32_t i, uint64_t mark)
{
	uint32_t n = n_native(thread);

	if (mark) {
		while (i + 1 < n && native(thread, i + 1)->sp <= mark)
			i++;
		/* How far the last frame reaches is not known. */
		return i + 1 == n && !splice_is_of(thread->script.interpreter, native(thread, i)) ?
			       n :
			       i;
	}
	while (i < n && !splice_is_loop(thread, i))
		i++;
	return i;
}

/*
 * How many groups have no native frame yet, or, negative, how many native frames of the loop no
 * longer have a group.  Known only of whole stacks.
 */
static int32_t splice_over(const struct spt_thread *thread)
{
	const struct spt_script_state *state = &thread->script;
	int32_t over = 0;

	if (state->is_cut || thread->frames[0].node != SPT_NODE_ROOT)
		return 0;
	for (uint32_t i = 0; i < thread->script.n; i++) {
		const struct spt_script_frame *frame = &state->frames[i];

		/* The stack pointer says where it belongs. */
		if (frame->is_last && frame->mark)
			return 0;
		over += frame->is_last + frame->passed;
	}
	for (uint32_t i = 0; i < n_native(thread); i++)
		over -= splice_is_loop(thread, i);
	return over;
}

/* Sets, for each frame of a script, the native frame in front of which it goes. */
static void splice_places(struct spt_thread *thread)
{
	struct spt_script_frame *frames = thread->script.frames;
	int32_t over = splice_over(thread), passed;
	uint32_t first = 0, at = 0, n = n_native(thread);

	for (uint32_t i = 0; i < thread->script.n; i++) {
		passed = frames[i].passed - over;
		for (over = passed < 0 ? -passed : 0; passed > 0 && at < n; passed--) {
			at = splice_find(thread, at, 0) + 1;
			at = at < n ? at : n;
		}
		if (!frames[i].is_last)
			continue;
		if (over) {
			/* All that is native is further out. */
			over--;
			for (; first <= i; first++)
				frames[first].at = 0;
			continue;
		}
		at = splice_find(thread, at, frames[i].mark);
		for (; first <= i; first++)
			frames[first].at = at;
		/* The next group's is further out. */
		at = at < n ? at + 1 : n;
	}
	for (; first < thread->script.n; first++)
		frames[first].at = n;
}

static uint64_t splice_word(const struct spt_script_frame *frame)
{
	uint64_t position = frame->position < SYSPROF_POSITION_NOT_TOLD ? frame->position :
									  SYSPROF_POSITION_NOT_TOLD;

	return SPT_NODE_SCRIPT | (uint64_t)frame->number << SPT_NODE_CODE_SHIFT | position;
}

/* The node of a frame inside of node @parent, which is the stack with @path. */
static uint32_t splice_tell(struct spt_thread *thread, uint32_t parent, uint64_t path, uint64_t pc)
{
	uint32_t node = spt_node_place(thread, path)->node;

	if (node)
		return node;
	if (pc & SPT_NODE_SCRIPT)
		spt_script_tell(thread, (uint32_t)(pc >> SPT_NODE_CODE_SHIFT) & 0x3fffffff);
	node = spt_node_tell(thread, parent, pc);
	spt_node_add(thread, path, node);
	return node;
}

/* The node of the whole stack.  @tells: those outside of scripts have one, and others get it. */
static __attribute__((noinline)) struct spt_known_node *splice_node(struct spt_thread *thread,
								     bool tells)
{
	const struct spt_script_frame *frame = thread->script.frames + thread->script.n;
	/* Outside of that frame, and with it, the stack is as it was. */
	struct spt_frame *native = thread->innermost - frame[-1].at;
	uint64_t path = native->path, pc;
	uint32_t node = native->node;

	for (;;) {
		if (frame > thread->script.frames &&
		    frame[-1].at == (uint32_t)(thread->innermost - native))
			pc = splice_word(--frame);
		else if (native < thread->innermost)
			pc = (++native)->pc;
		else
			break;
		path = spt_path_inside(path, pc);
		if (tells)
			node = splice_tell(thread, node, path, pc);
	}
	return spt_node_place(thread, path);
}

/* Finds the frames of scripts.  Not inlined: telling them takes much of the stack. */
static __attribute__((noinline)) bool splice_run(struct spt_thread *thread)
{
	struct spt_script_state *state = &thread->script;

	spt_script_run(thread);
	splice_places(thread);
	for (uint32_t i = 0; i < state->n; i++)
		state->frames[i].number = spt_script_number(thread, &state->frames[i]);
	return state->n;
}

struct spt_known_node *spt_script_splice(struct spt_thread *thread)
{
	struct spt_frame *outer = thread->innermost;
	struct spt_known_node *known;

	if (splice_run(thread)) {
		known = splice_node(thread, false);
		if (known->node)
			return known;
		outer -= thread->script.frames[thread->script.n - 1].at;
	}
	known = spt_nodes_tell(thread, outer);
	return thread->script.n ? splice_node(thread, true) : known;
}
