/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_STACK_H
#define _SYSPROF_STACK_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "arch.h"
#include "stack-wish.h"
#include "sysprof.h"

struct mm_struct;

#define SYSPROF_MAX_KERNEL_FRAMES	128
#define SYSPROF_MAX_USER_FRAMES		1024
#define SYSPROF_DEFAULT_USER_FRAMES	256

/**
 * struct sysprof_user_part - the user frames of a stack, of one kind
 * @walk: how many there are, and why there are no more
 * @flags: SYSPROF_SAMPLE_*, beside the stack's
 * @frames: innermost first
 */
struct sysprof_user_part {
	struct sysprof_walk walk;
	u16 flags;
	u64 frames[SYSPROF_MAX_USER_FRAMES];
};

#define SYSPROF_STACK_SPACES_BITS	4

/**
 * struct sysprof_stack - what a tick found; private to the kernel until it is copied into rings
 * @wish: what is requested of the stack
 * @pid: of the interrupted task
 * @tid: likewise
 * @mm: id of its address space
 * @spaces: ids of some address spaces, by hash: they take longer to make than to find
 * @flags: SYSPROF_SAMPLE_*
 * @n_kernel: frames
 * @kernel_end: enum sysprof_end
 * @raw: registers and stack, for those who may have them; NULL if nobody does or there is no user
 *	context
 * @user_regs: the user context, for sysprof_stack_by_tables(); NULL if there is none
 * @in_user: it was interrupted
 * @is_tabled: there are frames by tables
 * @kernel: encoded frames
 * @user: by enum sysprof_user_kind, those that were wished
 */
struct sysprof_stack {
	struct sysprof_stack_wish wish;
	u32 pid;
	u32 tid;
	u64 mm;
	struct {
		const struct mm_struct *mm;
		u64 id;
	} spaces[1 << SYSPROF_STACK_SPACES_BITS];
	u16 flags;
	u16 n_kernel;
	u8 kernel_end;
	bool in_user;
	bool is_tabled;
	struct pt_regs *user_regs;
	const struct sysprof_raw *raw;
	u64 kernel[SYSPROF_MAX_KERNEL_FRAMES];
	struct sysprof_user_part user[SYSPROF_KINDS];
};

/*
 * Takes what is wished of current's stack: of what @regs interrupted, or, if that is NULL, from
 * here, without the module's own frames.  Interrupts off or in NMI, RCU read side.  No faults, no
 * locks.
 */
void sysprof_stack_take(struct sysprof_stack *stack, struct pt_regs *regs);

/*
 * Fills in @stack's tabled frames, by everybody's tables and @own (NULL: none), unless they are so
 * already.  In the same tick as the above.
 */
void sysprof_stack_by_tables(struct sysprof_stack *stack, const struct sysprof_tables *own);

/* A kernel frame of @ip; 0 for what is neither kernel image nor module area.  Any context. */
u64 sysprof_stack_encode(unsigned long ip);
/*
 * The same of @task, which is about to run here: who it is, and its kernel part alone.  With the
 * run queue locked.
 */
void sysprof_stack_take_kernel(struct sysprof_stack *stack, struct task_struct *task);
/* Whether it has a user part, which can be had once it runs. */
bool sysprof_stack_has_user(struct task_struct *task);
/* In an interrupt of @stack's task before it has done anything: the user part. */
void sysprof_stack_add_user(struct sysprof_stack *stack);

/*
 * The instruction pointer of a kernel frame; 0 for what is neither in the kernel image nor in the
 * module area, and, unless @privileged, for addresses in a part of that area of which no sample had
 * a frame.
 */
unsigned long sysprof_stack_decode(u64 frame, bool privileged);
/* Process context, once, before the first tick. */
void sysprof_stack_init(void);

#endif /* _SYSPROF_STACK_H */
