// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recognises kernel stacks that were walked before.
 *
 * A memo has the place of each return address on the stack, relative to the first one, and the word
 * there.  The unwinder finds a caller by the place in the code and the stack pointer.  So if all
 * words at these addresses are the same, each of its steps would be, too.  (The exception is a
 * function that keeps a frame pointer: its frame's address comes from that.  So some of the stacks
 * that are found are also walked and compared, and wrong ones are counted: by their steps, which
 * know frame pointers, and one in UNWOUND_IN by the unwinder.)
 *
 * The kernel may begin a system call at a random distance from the registers that were saved on
 * entry.  The outermost return address is right before those, and is looked for there.  All other
 * entries begin at the same distance each time, and that is compared: a page fault of the kernel
 * itself, inside one of a program, has the same frames, and the same word before the registers.
 *
 * The interrupted instruction may be any one, too many for a memo of each: its caller is found by
 * its own step (steps.h), as all others are where there is no memo.  No memo is made of a stack
 * with an interrupt inside, whose place on the stack depends on what was interrupted.  Nor is one
 * made of a stack with a return address that kretprobes or the function graph tracer have replaced.
 * Memos are dropped as steps are, when code may have changed.
 */
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "memo.h"
#include "steps.h"
#include "sysprof.h"

#define MAX_FRAMES 32U
#define SET_BITS   5
#define SETS	   (1 << SET_BITS)
#define WAYS	   4U
#define WORDS_MAX  0x3fffU
#define UNWOUND_IN 8U /* one of that many checks is the unwinder's */

static uint check_one_in = 64;
module_param(check_one_in, uint, 0644);
MODULE_PARM_DESC(
	check_one_in,
	"kernel stacks that are known are walked and compared all the same once in so many");

/**
 * struct memo - a stack that was walked, from a return address on
 * @ip: it; 0: there is none
 * @context: as in struct sysprof_task_stack
 * @stamp: until when it is kept, see sysprof_code_stamp()
 * @sp: while it is being made: the stack pointer behind @ip
 * @span: words from there on that are looked at, or up to the registers
 * @n: frames
 * @n_left_out: of these, the first frames that are not reported
 * @n_words: frames but the first and, if it @is_at_entry, the last
 * @is_at_entry: the last frame's word is the one right before the registers
 * @is_fixed: @span is up to the registers: of all but system calls, and of a lone frame
 * @is_image: all frames are of the kernel's image or the module itself
 * @is_spoiled: it cannot be kept
 * @at: bytes from the stack pointer to the frame's
 * @ips: addresses of frames
 * @reported: frames as they are reported
 */
struct memo {
	unsigned long ip;
	u32 context;
	u32 stamp;
	unsigned long sp;
	u16 span;
	u8 n;
	u8 n_left_out;
	u8 n_words;
	bool is_at_entry;
	bool is_fixed;
	bool is_image;
	bool is_spoiled;
	u16 at[MAX_FRAMES];
	unsigned long ips[MAX_FRAMES];
	u64 reported[MAX_FRAMES];
};

/**
 * struct memos - of one CPU
 * @counts: how often memos were found, and were right
 * @to_check: number still to be found before one is checked
 * @next_way: way of the set in which the next memo is made
 * @sets: by hash
 */
struct memos {
	struct sysprof_memo_counts counts;
	u32 to_check;
	u32 next_way;
	struct memo sets[SETS][WAYS];
};

static DEFINE_PER_CPU(struct memos *, memos);

static __always_inline struct sysprof_task_stack stack_of(struct task_struct *task, u64 site)
{
	const struct pt_regs *regs = task_pt_regs(task);
	bool is_thread = task->flags & PF_KTHREAD;

	return (struct sysprof_task_stack){
		.low = (unsigned long)task_stack_page(task),
		.entry = (unsigned long)regs,
		/* All of a hook's stacks begin with the same frames. */
		.context =
			(is_thread ? hash_ptr(task, 32) : (u32)regs->orig_ax) ^ hash_64(site, 32),
		.is_system_call = !is_thread && (long)regs->orig_ax >= 0,
	};
}

/* Memos. */

static __always_inline struct memo *set_of(struct memos *own,
					   const struct sysprof_task_stack *stack, unsigned long ip)
{
	return own->sets[hash_64(ip + ((u64)stack->context << 32), SET_BITS)];
}

/* The place that it has is within the stack, and readable. */
static __always_inline bool is_there(const struct sysprof_task_stack *stack, unsigned long sp,
				     const struct memo *memo)
{
	unsigned long room = (stack->entry - sp) / sizeof(long);
	/* The first one is the address that was looked up. */
	u32 i = memo->n_words;

	if (memo->is_fixed ? room != memo->span : room < memo->span)
		return false;
	for (; i; i--)
		if (sysprof_stack_word(sp + memo->at[i]) != memo->ips[i])
			return false;
	return !memo->is_at_entry ||
	       sysprof_stack_word(stack->entry - sizeof(long)) == memo->ips[memo->n - 1];
}

static __always_inline struct memo *look_up(struct memos *own,
					    const struct sysprof_task_stack *stack,
					    unsigned long ip, unsigned long sp)
{
	struct memo *memo = set_of(own, stack, ip), *end = memo + WAYS;

	for (; memo < end; memo++)
		if (memo->ip == ip && memo->context == stack->context &&
		    memo->stamp == sysprof_code_stamp(memo->is_image) && is_there(stack, sp, memo))
			return memo;
	return NULL;
}

/* Replaces the oldest memo. */
static struct memo *make(struct memos *own, const struct sysprof_memo_walk *walk, unsigned long ip,
			 unsigned long sp)
{
	struct memo *memo = set_of(own, &walk->stack, ip) + own->next_way++ % WAYS;

	memo->ip = 0;
	memo->context = walk->stack.context;
	memo->sp = sp;
	memo->span = 0;
	memo->n = 0;
	memo->n_left_out = 0;
	memo->n_words = 0;
	memo->is_at_entry = false;
	memo->is_fixed = false;
	memo->is_image = true;
	memo->is_spoiled = false;
	return memo;
}

static void add_word(struct memo *memo, const struct sysprof_memo_walk *walk, unsigned long at)
{
	unsigned long bytes = at - memo->sp;

	/* There is no caller behind the outermost one. */
	if (memo->is_at_entry || at < memo->sp || at >= walk->stack.entry || bytes > U16_MAX ||
	    sysprof_stack_word(at) != memo->ips[memo->n]) {
		memo->is_spoiled = true;
	} else if (at == walk->stack.entry - sizeof(long)) {
		memo->is_at_entry = true;
	} else {
		memo->n_words++;
		memo->at[memo->n] = bytes;
		memo->span = max_t(u16, memo->span, bytes / sizeof(long) + 1);
	}
}

void sysprof_memo_add(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long at, u64 frame,
		      bool is_left_out)
{
	struct memo *memo = walk->making;

	if (!memo || memo->is_spoiled)
		return;
	if (memo->n == MAX_FRAMES) {
		memo->is_spoiled = true;
		return;
	}
	memo->ips[memo->n] = ip;
	memo->reported[memo->n] = frame;
	memo->n_left_out += is_left_out;
	/* This module stays as long as its memos; that of sources may be unloaded before. */
	memo->is_image &= sysprof_steps_is_image(frame) || within_module(ip, THIS_MODULE);
	/* The first one is the address that is looked for. */
	if (memo->n)
		add_word(memo, walk, at);
	memo->n++;
}

static void finish(struct memo *memo, const struct sysprof_memo_walk *walk)
{
	unsigned long room = (walk->stack.entry - memo->sp) / sizeof(long);

	if (memo->is_spoiled || !memo->n || room > WORDS_MAX)
		return;
	memo->is_fixed = memo->n == 1 || (memo->is_at_entry && !walk->stack.is_system_call);
	if (memo->is_fixed)
		memo->span = room;
	memo->stamp = sysprof_code_stamp(memo->is_image);
	memo->ip = memo->ips[0];
}

/* Walks. */

void sysprof_memo_begin(struct sysprof_memo_walk *walk, struct task_struct *task, u64 site)
{
	*walk = (struct sysprof_memo_walk){
		.stack = stack_of(task, site),
		.is_sought = in_nmi(),
		.is_due = !in_nmi() && !this_cpu_read(memos)->to_check,
	};
}

static __always_inline u32 take(const struct memo *memo, u64 *frames, u32 max, u8 *end)
{
	u32 found = memo->n - memo->n_left_out, n = min(found, max);

	*end = found > max ? SYSPROF_END_LIMIT : SYSPROF_END_ROOT;
	memcpy(frames, memo->reported + memo->n_left_out, n * sizeof(*frames));
	return n;
}

int sysprof_memo_recall(struct task_struct *task, u64 site, unsigned long ip, unsigned long sp,
			u64 *frames, u32 max, u8 *end)
{
	struct sysprof_task_stack stack = stack_of(task, site);
	struct memos *own = this_cpu_read(memos);
	const struct memo *memo;

	if (in_nmi() || !own->to_check || !sysprof_task_stack_has(&stack, sp))
		return -1;
	memo = look_up(own, &stack, ip, sp);
	if (!memo)
		return -1;
	own->counts.known++;
	own->to_check--;
	return take(memo, frames, max, end);
}

/* The step from @regs: to the end of the caller's stack, 0 if there is none.  False: not known. */
static __always_inline bool go_from(const struct sysprof_task_stack *stack,
				    const struct pt_regs *regs, unsigned long *behind)
{
	unsigned long bp = regs->bp;

	*behind = regs->sp;
	return sysprof_step_go(stack, sysprof_step_of(regs->ip, true), stack->entry, behind, &bp);
}

int sysprof_memo_recall_interrupted(struct task_struct *task, u64 site, const struct pt_regs *regs,
				    u64 *frames, u32 max, u8 *end)
{
	struct sysprof_task_stack stack = stack_of(task, site);
	struct memos *own = this_cpu_read(memos);
	const struct memo *memo = NULL;
	unsigned long behind;

	if (in_nmi() || !own->to_check || !sysprof_task_stack_has(&stack, regs->sp) ||
	    !go_from(&stack, regs, &behind))
		return -1;
	*end = SYSPROF_END_ROOT;
	if (behind) {
		memo = look_up(own, &stack, sysprof_stack_word(behind - sizeof(long)), behind);
		if (!memo)
			return -1;
	}
	own->counts.known++;
	own->to_check--;
	return memo ? take(memo, frames, max, end) : 0;
}

static void restart_checks(struct memos *own)
{
	own->to_check = max(READ_ONCE(check_one_in), 1U) - 1;
}

/* One in check_one_in known stacks is walked all the same; if all are, then by the unwinder. */
static bool is_to_be_checked(struct memos *own, struct sysprof_memo_walk *walk,
			     const struct memo *expected, const u64 *expected_at)
{
	own->counts.known++;
	if (likely(own->to_check)) {
		own->to_check--;
		return false;
	}
	restart_checks(own);
	walk->is_sought = true;
	walk->is_check = true;
	walk->by_steps = own->to_check && own->counts.checked % UNWOUND_IN;
	walk->expected = expected;
	walk->expected_at = expected_at;
	return true;
}

bool sysprof_memo_interrupted(struct sysprof_memo_walk *walk, const struct pt_regs *regs,
			      u64 *frames, u32 max, u32 *n, u8 *end)
{
	struct memos *own = this_cpu_read(memos);
	const struct memo *memo = NULL;
	unsigned long behind;

	if (walk->is_sought || !sysprof_task_stack_has(&walk->stack, regs->sp) ||
	    !go_from(&walk->stack, regs, &behind))
		return false;
	if (behind) {
		memo = look_up(own, &walk->stack, sysprof_stack_word(behind - sizeof(long)),
			       behind);
		if (!memo)
			return false;
	}
	if (unlikely(is_to_be_checked(own, walk, memo, frames)))
		return false;
	*n = 0;
	*end = SYSPROF_END_ROOT;
	if (memo)
		*n = take(memo, frames, max, end);
	return true;
}

bool sysprof_memo_find(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long sp,
		       u64 *frames, u32 max, u32 *n, u8 *end)
{
	struct memos *own = this_cpu_read(memos);
	const struct memo *memo;

	if (walk->is_sought || !sysprof_task_stack_has(&walk->stack, sp))
		return false;
	memo = look_up(own, &walk->stack, ip, sp);
	if (!memo) {
		walk->is_sought = true;
		walk->making = make(own, walk, ip, sp);
		return false;
	}
	if (unlikely(is_to_be_checked(own, walk, memo, frames)))
		return false;
	*n = take(memo, frames, max, end);
	return true;
}

/* A memo that was wrong once may be wrong from each of its frames on. */
static void forget_all(struct memos *own)
{
	u32 i, way;

	for (i = 0; i < SETS; i++)
		for (way = 0; way < WAYS; way++)
			own->sets[i][way].ip = 0;
	sysprof_steps_forget();
}

static bool is_as_expected(const struct memo *memo, const u64 *frames, u32 n)
{
	if (!memo)
		return !n;
	return n + memo->n_left_out == memo->n &&
	       !memcmp(frames, memo->reported + memo->n_left_out, n * sizeof(*frames));
}

static void count_check(struct memos *own, bool is_right)
{
	own->counts.checked++;
	if (is_right)
		return;
	own->counts.wrong++;
	forget_all(own);
}

/* Counts a stack that was not known as a whole. */
static void count_walk(struct memos *own, const struct sysprof_memo_walk *walk)
{
	if (walk->is_asked && !walk->is_wrong) {
		own->counts.walked++;
		return;
	}
	own->counts.known++;
	if (walk->is_due) {
		restart_checks(own);
		count_check(own, !walk->is_wrong);
	} else {
		own->to_check--;
	}
}

void sysprof_memo_keep(struct sysprof_memo_walk *walk, const u64 *frames_end, u8 end)
{
	struct memos *own = this_cpu_read(memos);

	/* The unwinder stops at code that is about to be freed, as ftrace's trampolines are. */
	if (walk->is_check && end == SYSPROF_END_ROOT)
		count_check(own, is_as_expected(walk->expected, walk->expected_at,
						frames_end - walk->expected_at));
	if (walk->is_check || in_nmi())
		return;
	count_walk(own, walk);
	if (walk->making && end == SYSPROF_END_ROOT)
		finish(walk->making, walk);
}

void sysprof_memo_counts(int cpu, struct sysprof_memo_counts *counts)
{
	*counts = per_cpu(memos, cpu)->counts;
}

static void free_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		kvfree(per_cpu(memos, cpu));
}

int sysprof_memo_init(void)
{
	int cpu, err = 0;

	for_each_possible_cpu(cpu) {
		per_cpu(memos, cpu) =
			kvzalloc_node(sizeof(struct memos), GFP_KERNEL, cpu_to_node(cpu));
		if (!per_cpu(memos, cpu))
			err = -ENOMEM;
	}
	if (!err)
		err = sysprof_steps_init();
	if (err)
		free_all();
	return err;
}

void sysprof_memo_exit(void)
{
	sysprof_steps_exit();
	free_all();
}
