/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Steps from a place in the kernel's code to its caller, as the unwinder found them before.  It
 * takes some four hundred instructions for each; steps.c says which steps are always the same.
 *
 * Any context: a step is one word, read and written at once.
 */
#ifndef _SYSPROF_STEPS_H
#define _SYSPROF_STEPS_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/types.h>

/**
 * struct sysprof_task_stack - the kernel stack of a task, before a walk
 * @low: lowest possible start of the stack
 * @entry: end of the stack, where the kernel saved the registers on entry
 * @context: distinguishes stacks with the same frames: number of the system call, kernel thread,
 *	site
 * @is_system_call: not an interrupt, an exception or a kernel thread
 */
struct sysprof_task_stack {
	unsigned long low;
	unsigned long entry;
	u32 context;
	bool is_system_call;
};

static __always_inline bool sysprof_task_stack_has(const struct sysprof_task_stack *stack,
						   unsigned long sp)
{
	return sp >= stack->low && sp <= stack->entry && sp % sizeof(long) == 0;
}

/**
 * enum sysprof_step - where the caller of a place in the code is found
 * @SYSPROF_STEP_UNKNOWN: not known
 * @SYSPROF_STEP_BY_SP: its return address is a number of words from the stack pointer
 * @SYSPROF_STEP_BY_BP: the same, from where the frame pointer points
 * @SYSPROF_STEP_LAST: there is none; the registers are a number of words from the stack pointer
 * @SYSPROF_STEP_OTHER: that depends on other registers
 */
enum sysprof_step {
	SYSPROF_STEP_UNKNOWN,
	SYSPROF_STEP_BY_SP,
	SYSPROF_STEP_BY_BP,
	SYSPROF_STEP_LAST,
	SYSPROF_STEP_OTHER,
};

/*
 * A step is {kind:3, saved:4, words:9, stamp:16, key:32}.  The caller's frame pointer is @saved
 * words below the caller's end of the stack, where the return address is the first one; 0: the
 * register has it.
 */
#define SYSPROF_STEP_KIND_SHIFT	 61
#define SYSPROF_STEP_SAVED_SHIFT 57
#define SYSPROF_STEP_SAVED_MAX	 15U
#define SYSPROF_STEP_WORDS_SHIFT 48
#define SYSPROF_STEP_WORDS_MAX	 0x1ffUL
#define SYSPROF_STEP_STAMP_SHIFT 32

#define SYSPROF_STEP_SETS_BITS 12
#define SYSPROF_STEP_WAYS      2
extern u64 sysprof_steps[1 << SYSPROF_STEP_SETS_BITS][SYSPROF_STEP_WAYS];

#define SYSPROF_STEPS_KEPT (10UL * HZ) /* those of code that may go */
extern atomic_t sysprof_steps_generation;

/* Changes when code may have changed.  That of the image stays. */
static inline u32 sysprof_code_stamp(bool is_image)
{
	return is_image ? 0 :
			  1 + (u32)atomic_read(&sysprof_steps_generation) +
				  (u32)(jiffies / SYSPROF_STEPS_KEPT);
}

static inline u16 sysprof_step_stamp(bool is_image)
{
	return is_image ? 0 : 0x8000 | sysprof_code_stamp(false);
}

/* All code is in the last 2 GiB.  An instruction is another place than a return address. */
static __always_inline u32 sysprof_step_key(unsigned long ip, bool is_exact)
{
	return ((u32)ip & ~(1U << 31)) | (u32)is_exact << 31;
}

/*
 * The step of @ip, which is a return address, or an instruction that was interrupted (@is_exact).
 * 0: it is not known.
 */
static __always_inline u64 sysprof_step_of(unsigned long ip, bool is_exact)
{
	u32 key = sysprof_step_key(ip, is_exact);
	const u64 *set = sysprof_steps[hash_32(key, SYSPROF_STEP_SETS_BITS)];
	u64 step = READ_ONCE(set[0]);
	u16 stamp;

	if ((u32)step != key)
		step = READ_ONCE(set[1]);
	if ((u32)step != key || (long)ip >> 31 != -1)
		return 0;
	stamp = step >> SYSPROF_STEP_STAMP_SHIFT;
	return likely(!stamp) || stamp == sysprof_step_stamp(false) ? step : 0;
}

static __always_inline enum sysprof_step sysprof_step_kind(u64 step)
{
	return step >> SYSPROF_STEP_KIND_SHIFT;
}

static __always_inline unsigned long sysprof_stack_word(unsigned long at)
{
	return READ_ONCE_NOCHECK(*(const unsigned long *)at);
}

/*
 * Goes to the caller: sets @sp behind the return address, 0 if there is none, and @bp to the
 * caller's frame pointer.  False: @step leads nowhere on this stack.  @end: of the memory that may
 * be read.
 */
static __always_inline bool sysprof_step_go(const struct sysprof_task_stack *stack, u64 step,
					    unsigned long end, unsigned long *sp, unsigned long *bp)
{
	unsigned long words = step >> SYSPROF_STEP_WORDS_SHIFT & SYSPROF_STEP_WORDS_MAX;
	unsigned long saved = step >> SYSPROF_STEP_SAVED_SHIFT & SYSPROF_STEP_SAVED_MAX;
	unsigned long from = *sp, behind;

	switch (sysprof_step_kind(step)) {
	case SYSPROF_STEP_BY_BP:
		from = *bp;
		if (from < *sp || from > end || from % sizeof(long))
			return false;
		fallthrough;
	case SYSPROF_STEP_BY_SP:
		behind = from + (words + 1) * sizeof(long);
		if (behind > end)
			return false;
		*sp = behind;
		if (saved)
			*bp = sysprof_stack_word(behind - saved * sizeof(long));
		return true;
	case SYSPROF_STEP_LAST:
		if (from + words * sizeof(long) != stack->entry)
			return false;
		*sp = 0;
		return true;
	default:
		return false;
	}
}

/* Process context: init() before the first step, exit() after the last. */
int sysprof_steps_init(void);
void sysprof_steps_exit(void);

/* The code at @ip is reported as @frame; @words and @saved, up to @words + 1: as @kind needs it. */
void sysprof_step_learn(unsigned long ip, bool is_exact, u64 frame, enum sysprof_step kind,
			unsigned long words, u32 saved);
void sysprof_steps_forget(void);
/* Whether the code of @frame stays. */
bool sysprof_steps_is_image(u64 frame);

#endif /* _SYSPROF_STEPS_H */
