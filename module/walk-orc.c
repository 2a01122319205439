// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64: kernel stacks by ORC, the tables by which the kernel itself unwinds, as far as they are
 * not known (memo.h).
 */
#include <asm/ptrace.h>
#include <asm/switch_to.h>
#include <asm/unwind.h>
#include <linux/sched.h>

#include "arch.h"
#include "hooks.h"
#include "memo.h"
#include "stack.h"
#include "sysprof.h"

/**
 * struct orc_walk - a walk along a kernel stack
 * @memo: what is known of it
 * @frames: room for @max
 * @n: frames so far
 * @max: see @frames
 * @end: enum sysprof_end
 * @is_own: all frames so far are the module's own, which are removed
 */
struct orc_walk {
	struct sysprof_memo_walk memo;
	u64 *frames;
	u32 n;
	u32 max;
	u8 end;
	bool is_own;
};

static bool is_known(struct orc_walk *walk, unsigned long ip, unsigned long sp)
{
	u32 known;

	if (!sysprof_memo_find(&walk->memo, ip, sp, walk->frames + walk->n, walk->max - walk->n,
			       &known, &walk->end))
		return false;
	walk->n += known;
	return true;
}

static void add(struct orc_walk *walk, unsigned long ip, unsigned long at)
{
	u64 frame = sysprof_stack_encode(ip);

	walk->is_own = walk->is_own && sysprof_hooks_own(ip);
	sysprof_memo_add(&walk->memo, ip, at, frame, walk->is_own);
	if (!walk->is_own)
		walk->frames[walk->n++] = frame;
}

/* Where the unwinder found a return address; 0: it is what another interrupt interrupted. */
static unsigned long place_of(const struct unwind_state *state)
{
	return state->regs ? 0 : state->sp - sizeof(long);
}

/* Appends to the existing frames; the first one is at @first or above. */
static void walk_on(struct orc_walk *walk, struct task_struct *task, struct pt_regs *regs,
		    unsigned long *first)
{
	struct unwind_state state;
	unsigned long ip, at;
	bool is_first = regs;

	for (unwind_start(&state, task, regs, first); !unwind_done(&state);
	     unwind_next_frame(&state)) {
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
		at = place_of(&state);
		if (is_first && at)
			sysprof_memo_add_caller(&walk->memo, regs->ip, regs->sp, walk->frames[0],
						at);
		is_first = false;
		if (at && is_known(walk, ip, state.sp))
			return;
		add(walk, ip, at);
	}
	if (unwind_error(&state))
		walk->end = SYSPROF_END_UNRELIABLE;
	else if (is_first && walk->end == SYSPROF_END_ROOT)
		sysprof_memo_add_caller(&walk->memo, regs->ip, regs->sp, walk->frames[0], 0);
	sysprof_memo_keep(&walk->memo, walk->frames + walk->n, walk->end);
}

/* The unwinder begins with the caller of what @regs interrupted. */
static bool begin_interrupted(struct orc_walk *walk, const struct pt_regs *regs)
{
	u64 frame = sysprof_stack_encode(regs->ip);
	u32 known;

	walk->frames[walk->n++] = frame;
	if (!sysprof_memo_interrupted(&walk->memo, regs->ip, regs->sp, frame, walk->frames + 1,
				      walk->max - 1, &known, &walk->end))
		return false;
	walk->n += known;
	return true;
}

/*
 * @ip, which is right below @sp, is the first frame, unless @regs are what was interrupted.
 * @first: as in walk_on().
 */
static noinline u32 walk(struct task_struct *task, struct pt_regs *regs, u64 site, unsigned long ip,
			 unsigned long sp, unsigned long *first, u64 *frames, u32 max, u8 *end)
{
	struct orc_walk walk = {
		.frames = frames,
		.max = max,
		.end = SYSPROF_END_ROOT,
		.is_own = !regs && task == current,
	};
	bool is_whole;

	sysprof_memo_begin(&walk.memo, task, site);
	is_whole = regs ? begin_interrupted(&walk, regs) : is_known(&walk, ip, sp);
	if (!is_whole)
		walk_on(&walk, task, regs, first);
	*end = walk.end;
	return walk.n;
}

u32 sysprof_arch_walk_kernel(struct task_struct *task, struct pt_regs *regs, u64 site, u64 *frames,
			     u32 max, u8 *end)
{
	const struct inactive_task_frame *asleep;
	unsigned long *first = NULL, ip, sp;
	int n;

	*end = SYSPROF_END_LIMIT;
	if (!max)
		return 0;
	if (regs) {
		ip = regs->ip;
		sp = regs->sp;
		frames[0] = sysprof_stack_encode(ip);
		n = sysprof_memo_recall_interrupted(task, site, ip, sp, frames[0], frames + 1,
						    max - 1, end);
		if (likely(n >= 0))
			return 1 + n;
	} else {
		if (task == current) {
			/* A frame has a frame pointer and a return address. */
			first = __builtin_frame_address(0);
			ip = (unsigned long)__builtin_return_address(0);
			sp = (unsigned long)(first + 2);
		} else {
			asleep = (const struct inactive_task_frame *)task->thread.sp;
			ip = READ_ONCE_NOCHECK(asleep->ret_addr);
			sp = (unsigned long)(asleep + 1);
		}
		n = sysprof_memo_recall(task, site, ip, sp, frames, max, end);
		if (likely(n >= 0))
			return n;
	}
	return walk(task, regs, site, ip, sp, first, frames, max, end);
}
