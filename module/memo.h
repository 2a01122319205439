/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel stacks that were walked before.  The unwinder takes some four hundred instructions for
 * each frame, and most stacks occur again: memo.c says when they are the same.
 *
 * A walk calls recall() or recall_interrupted() first: that is all for most stacks.  Otherwise it
 * calls begin().  For an interrupted context it calls interrupted(), else find() with the first
 * frame.  If that finds nothing, it repeats: a step, find() with the new frame if none was looked
 * up before, and add() with the result.  At the end it calls keep().  On one CPU, interrupts off;
 * in NMI nothing is known.
 */
#ifndef _SYSPROF_MEMO_H
#define _SYSPROF_MEMO_H

#include <linux/types.h>

#include "steps.h"

struct memo;
struct pt_regs;
struct task_struct;

/**
 * struct sysprof_memo_walk - a walk along a kernel stack
 * @stack: the stack
 * @is_sought: a frame was looked up
 * @is_due: the walk checks what is known: the stack, or else its steps
 * @is_check: the walk checks a known stack: its frames must match
 * @by_steps: it does so by what is known of its steps, if that is enough
 * @is_asked: the unwinder found a step that was not known
 * @is_wrong: it found another step than the one that was known
 * @making: entry for the frames to come; NULL: none
 * @expected: entry that the frames from @expected_at on must match; NULL: none
 * @expected_at: first of these frames
 */
struct sysprof_memo_walk {
	struct sysprof_task_stack stack;
	bool is_sought;
	bool is_due;
	bool is_check;
	bool by_steps;
	bool is_asked;
	bool is_wrong;
	struct memo *making;
	const struct memo *expected;
	const u64 *expected_at;
};

/**
 * struct sysprof_memo_counts - of one CPU, since the module was loaded
 * @known: stacks that were known, at least from their second frame on, or by all of their steps
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
 * does not run.  @site: as in struct sysprof_origin.  Returns their number; -1: they are not known,
 * or have to be checked.
 */
int sysprof_memo_recall(struct task_struct *task, u64 site, unsigned long ip, unsigned long sp,
			u64 *frames, u32 max, u8 *end);
/* The same of @task interrupted at @regs: the frames begin with the caller. */
int sysprof_memo_recall_interrupted(struct task_struct *task, u64 site, const struct pt_regs *regs,
				    u64 *frames, u32 max, u8 *end);
/* Begins a walk of @task, as above. */
void sysprof_memo_begin(struct sysprof_memo_walk *walk, struct task_struct *task, u64 site);
/*
 * The frames after @regs, which were interrupted, to the end of the stack go into @frames, which
 * has room for @max; @n is their number, @end an enum sysprof_end.  @frames begin with the caller.
 * False: the frames are not known, or have to be checked.
 */
bool sysprof_memo_interrupted(struct sysprof_memo_walk *walk, const struct pt_regs *regs,
			      u64 *frames, u32 max, u32 *n, u8 *end);
/* The same from the return address @ip on, which is right below @sp. */
bool sysprof_memo_find(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long sp,
		       u64 *frames, u32 max, u32 *n, u8 *end);
/*
 * Adds the next frame: return address @ip, found on the stack @at (0: nowhere), and reported as
 * @frame.  @is_left_out: it is not reported.
 */
void sysprof_memo_add(struct sysprof_memo_walk *walk, unsigned long ip, unsigned long at, u64 frame,
		      bool is_left_out);
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
