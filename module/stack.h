/* SPDX-License-Identifier: GPL-2.0-only */
/* Takes the stack of what a tick interrupted. */
#ifndef _SYSPROF_STACK_H
#define _SYSPROF_STACK_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "arch.h"
#include "origin.h"
#include "stack-request.h"
#include "sysprof.h"

struct mm_struct;
struct sysprof_script;

#define SYSPROF_MAX_KERNEL_FRAMES	128
#define SYSPROF_MAX_USER_FRAMES		1024
#define SYSPROF_DEFAULT_USER_FRAMES	256

/**
 * struct sysprof_user_part - the user frames of a stack, of one kind
 * @walk: number of frames, and why the walk ended
 * @flags: SYSPROF_SAMPLE_*, in addition to the stack's
 * @has_scripts: frames of scripts were looked for
 * @script: what was found of them; NULL: nothing
 * @frames: innermost first
 */
struct sysprof_user_part {
	struct sysprof_walk walk;
	u16 flags;
	bool has_scripts;
	struct sysprof_script *script;
	u64 frames[SYSPROF_MAX_USER_FRAMES + SYSPROF_WALK_SLACK];
};

/*
 * What the thread is at work for is behind all frames: of a session that gets only the first @n of
 * @part's into @frames it is the last one of these.
 */
static __always_inline void sysprof_user_part_put_thread(const struct sysprof_user_part *part,
							 u64 *frames, u32 n)
{
	if (unlikely(part->flags & SYSPROF_SAMPLE_THREAD) && n && n < part->walk.n)
		*(frames + n - 1) = *(part->frames + part->walk.n - 1);
}

#define SYSPROF_STACK_SPACES_BITS	4
#define SYSPROF_STACK_SPACES_SETS	(1 << SYSPROF_STACK_SPACES_BITS)
#define SYSPROF_STACK_SPACES_WAYS	2

/* An address space and its id. */
struct sysprof_stack_space {
	const struct mm_struct *mm;
	u64 id;
};

/**
 * struct sysprof_stack - what a tick found; private to the kernel until it is copied into rings
 * @request: what is requested of the stack
 * @pid: process of the interrupted task
 * @tid: thread id of the interrupted task
 * @mm: id of its address space
 * @spaces: cache of ids of address spaces, by hash, since making an id takes longer
 * @origin: of the next stack that a hook takes; empty: it begins where it is taken
 * @flags: SYSPROF_SAMPLE_*
 * @n_kernel: number of kernel frames
 * @kernel_end: enum sysprof_end of the kernel part
 * @context: enum sysprof_context that a tick came in
 * @raw: copy of registers and stack, for sessions that may have it; NULL if no session does, if
 *	there is no user context, or until
 *	sysprof_stack_copy_instead()
 * @user_regs: the user context, for sysprof_stack_by_tables(); NULL if there is none
 * @in_user: the task was interrupted in user mode
 * @is_tabled: the frames by tables are filled in
 * @may_copy: there is time for a copy of the stack: no run queue is locked
 * @names_fuel: what programs of names have left, of all sessions together (chain-code.c)
 * @n_scripted: how often frames of scripts were looked for
 * @kernel: frames, as in kernel-frame.h
 * @user: by enum sysprof_user_kind: the user parts that were requested
 */
struct sysprof_stack {
	struct sysprof_stack_request request;
	u32 pid;
	u32 tid;
	u64 mm;
	struct sysprof_stack_space spaces[SYSPROF_STACK_SPACES_SETS][SYSPROF_STACK_SPACES_WAYS];
	struct sysprof_origin origin;
	u16 flags;
	u16 n_kernel;
	u8 kernel_end;
	u8 context;
	bool in_user;
	bool is_tabled;
	bool may_copy;
	s32 names_fuel;
	u8 n_scripted;
	struct pt_regs *user_regs;
	const struct sysprof_raw *raw;
	u64 kernel[SYSPROF_MAX_KERNEL_FRAMES];
	struct sysprof_user_part user[SYSPROF_KINDS];
};

/*
 * Takes what is requested of current's stack: of the context @regs; with @regs NULL from
 * @stack->origin on, without the module's own frames.  Interrupts off or in NMI, RCU read side.
 * No faults, no locks.
 */
void sysprof_stack_take(struct sysprof_stack *stack, struct pt_regs *regs);

/*
 * Fills in @stack's frames by tables, unless they are there: by everybody's tables and @own (NULL:
 * none).  @scripts: with frames of scripts.  In the same tick as sysprof_stack_take().
 */
void sysprof_stack_by_tables(struct sysprof_stack *stack, const struct sysprof_tables *own,
			     bool scripts);
/* Whether @stack's frames by tables stop, or may be wrong, where a table is missing. */
static inline bool sysprof_stack_misses_table(const struct sysprof_stack *stack)
{
	return stack->user[SYSPROF_KIND_TABLED].flags & SYSPROF_SAMPLE_NO_TABLE;
}

/*
 * Then only a copy of @bytes (0: not wanted) helps, and is made unless there is one.  Whether there
 * is.  As sysprof_stack_by_tables(), and after it.
 */
bool sysprof_stack_copy_instead(struct sysprof_stack *stack, u32 bytes);

/*
 * Fills in the ids and the kernel part of @task, which is about to run here.  With the run queue
 * locked.
 */
void sysprof_stack_take_kernel(struct sysprof_stack *stack, struct task_struct *task);
/* Whether @task has a user part, which can be read once it runs. */
bool sysprof_stack_has_user(struct task_struct *task);
/*
 * One of these completes it.  add_user() adds the user part, where @stack's task runs and has not
 * done anything yet.
 */
void sysprof_stack_add_user(struct sysprof_stack *stack);
void sysprof_stack_leave_out_user(struct sysprof_stack *stack);

#endif /* _SYSPROF_STACK_H */
