/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel stacks that were walked before.  The unwinder takes some four hundred instructions for
 * each frame, and most stacks are the same again: memo.c has when they are.
 *
 * A walk uses it so: begin(); for what was interrupted interrupted(), else find() with the first
 * frame; if those find nothing, a step of the unwinder, find() with the frame it came to, if there
 * was none before, and add() with what it gave, and so on; in the end keep().  On one CPU,
 * interrupts off; in NMI nothing is known.
 */
#ifndef _SYSPROF_MEMO_H
#define _SYSPROF_MEMO_H

#include <linux/types.h>

struct memo;
struct task_struct;

/**
 * struct sysprof_memo_walk - a walk along a kernel stack
 * @low: lowest address at which the stack can begin
 * @entry: end of the stack, where the kernel saved the registers at its entry
 * @context: distinguishes stacks with the same frame: number of the system call, kernel thread
 * @is_system_call: not an interrupt, an exception or a kernel thread
 * @is_sought: one of the frames was looked up
 * @is_check: what is known of it has to come out
 * @making: of the frames to come; NULL: nothing
 * @expected: what the frames from @expected_at on have to be; NULL: there are none
 * @expected_at: see there
 */
struct sysprof_memo_walk {
	unsigned long low;
	unsigned long entry;
	u32 context;
	bool is_system_call;
	bool is_sought;
	bool is_check;
	struct memo *making;
	const struct memo *expected;
	const u64 *expected_at;
};

/**
 * struct sysprof_memo_counts - of one CPU, since the module was loaded
 * @known: stacks that were known, at least from their second frame on
 * @walked: all others that could have been
 * @checked: of @known, walked all the same and compared
 * @wrong: of @checked, those that were another stack
 */
struct sysprof_memo_counts {
	u64 known;
	u64 walked;
	u64 checked;
	u64 wrong;
};

#ifdef CONFIG_UNWINDER_ORC

/* Process context: once, and with no tick any more. */
int sysprof_memo_init(void);
void sysprof_memo_exit(void);
void sysprof_memo_counts(int cpu, struct sysprof_memo_counts *counts);

/* Of @task: current, or one that does not run. */
void sysprof_memo_begin(struct sysprof_memo_walk *walk, struct task_struct *task);
/*
 * The frames that follow, to the end of the stack, into @frames, which has room for @max; @n is
 * their number, @end an enum sysprof_end.  False: they are not known, or are to be checked.  @ip,
 * which is reported as @frame, was interrupted with stack pointer @sp: @frames begin with its
 * caller.
 */
bool sysprof_memo_interrupted(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long sp,
			      u64 frame, u64 *frames, u32 max, u32 *n, u8 *end);
/* The same, from the return address @ip on, that lies right before @sp. */
bool sysprof_memo_find(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long sp,
		       u64 *frames, u32 max, u32 *n, u8 *end);
/*
 * The next frame: return address @ip, found @at an address on the stack (0: nowhere), is told as
 * @frame.  @is_left_out: it is not.
 */
void sysprof_memo_add(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long at,
		      u64 frame, bool is_left_out);
/*
 * The return address of what interrupted() was asked for was found @at; 0: that had no caller, and
 * the stack ends there.
 */
void sysprof_memo_add_caller(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long sp,
			     u64 frame, unsigned long at);
/* The walk is over: the last of its frames lies before @frames_end, enum sysprof_end @end. */
void sysprof_memo_keep(struct sysprof_memo_walk *walk, const u64 *frames_end, u8 end);

#else /* Frame pointers are cheap to follow. */

static inline int sysprof_memo_init(void)
{
	return 0;
}

static inline void sysprof_memo_exit(void)
{
}

static inline void sysprof_memo_counts(int cpu, struct sysprof_memo_counts *counts)
{
	*counts = (struct sysprof_memo_counts){};
}

#endif

#endif /* _SYSPROF_MEMO_H */
