/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel stacks that were walked before.  The unwinder takes some four hundred instructions for
 * each frame, and most stacks occur again: memo.c says when they are the same.
 *
 * A walk calls recall() or recall_interrupted() first: that is all for most stacks.  Otherwise it
 * calls begin().  For an interrupted context it calls interrupted(), else find() with the first
 * frame.  If that finds nothing, it repeats: a step of the unwinder, find() with the new frame if
 * none was looked up before, and add() with the result.  At the end it calls keep().  On one CPU,
 * interrupts off; in NMI nothing is known.
 */
#ifndef _SYSPROF_MEMO_H
#define _SYSPROF_MEMO_H

#include <linux/types.h>

struct memo;
struct task_struct;

/**
 * struct sysprof_memo_stack - a kernel stack, before a walk
 * @low: lowest possible start of the stack
 * @entry: end of the stack, where the kernel saved the registers on entry
 * @context: distinguishes stacks with the same frames: number of the system call, kernel thread,
 *	site
 * @is_system_call: not an interrupt, an exception or a kernel thread
 */
struct sysprof_memo_stack {
	unsigned long low;
	unsigned long entry;
	u32 context;
	bool is_system_call;
};

/**
 * struct sysprof_memo_walk - a walk along a kernel stack
 * @stack: the stack
 * @is_sought: a frame was looked up
 * @is_check: the walk checks a known stack: its frames must match
 * @making: entry for the frames to come; NULL: none
 * @expected: entry that the frames from @expected_at on must match; NULL: none
 * @expected_at: first of these frames
 */
struct sysprof_memo_walk {
	struct sysprof_memo_stack stack;
	bool is_sought;
	bool is_check;
	struct memo *making;
	const struct memo *expected;
	const u64 *expected_at;
};

/**
 * struct sysprof_memo_counts - of one CPU, since the module was loaded
 * @known: stacks that were known, at least from their second frame on
 * @walked: stacks that were not known and could have been
 * @checked: of @known, those that were walked all the same and compared
 * @wrong: of @checked, those that differed
 */
struct sysprof_memo_counts {
	u64 known;
	u64 walked;
	u64 checked;
	u64 wrong;
};

#ifdef CONFIG_UNWINDER_ORC

/* Process context: init() once, exit() with no tick any more. */
int sysprof_memo_init(void);
void sysprof_memo_exit(void);
void sysprof_memo_counts(int cpu, struct sysprof_memo_counts *counts);

/*
 * The frames of @task from the return address @ip on, which is right below @sp, to the end of the
 * stack go into @frames, which has room for @max; @end is an enum sysprof_end.  @task is current or
 * does not run.  @site: as in struct sysprof_stack.  Returns their number; -1: they are not known,
 * or have to be checked.
 */
int sysprof_memo_recall(struct task_struct *task, u64 site, unsigned long ip, unsigned long sp,
			u64 *frames, u32 max, u8 *end);
/*
 * The same of @task interrupted at @ip, which is reported as @frame, with stack pointer @sp.  The
 * frames begin with its caller.
 */
int sysprof_memo_recall_interrupted(struct task_struct *task, u64 site, unsigned long ip,
				    unsigned long sp, u64 frame, u64 *frames, u32 max, u8 *end);
/* Begins a walk of @task, as above. */
void sysprof_memo_begin(struct sysprof_memo_walk *walk, struct task_struct *task, u64 site);
/*
 * The frames after @ip, to the end of the stack, go into @frames, which has room for @max; @n is
 * their number, @end an enum sysprof_end.  @ip, which is reported as @frame, was interrupted with
 * stack pointer @sp; @frames begin with its caller.  False: the frames are not known, or have to be
 * checked.
 */
bool sysprof_memo_interrupted(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long sp,
			      u64 frame, u64 *frames, u32 max, u32 *n, u8 *end);
/* The same from the return address @ip on, which is right below @sp. */
bool sysprof_memo_find(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long sp,
		       u64 *frames, u32 max, u32 *n, u8 *end);
/*
 * Adds the next frame: return address @ip, found on the stack @at (0: nowhere), and reported as
 * @frame.  @is_left_out: it is not reported.
 */
void sysprof_memo_add(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long at,
		      u64 frame, bool is_left_out);
/*
 * Adds the caller of the context that interrupted() looked up: its return address is @at.  0: it
 * had no caller, and the stack ends there.
 */
void sysprof_memo_add_caller(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long sp,
			     u64 frame, unsigned long at);
/* Ends the walk: the last of its frames is before @frames_end, with enum sysprof_end @end. */
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
