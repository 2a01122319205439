/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _SYSPROF_STACK_H
#define _SYSPROF_STACK_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "sysprof.h"

struct mm_struct;
struct sysprof_tables;

#define SYSPROF_MAX_KERNEL_FRAMES	128
#define SYSPROF_MAX_USER_FRAMES		1024
#define SYSPROF_DEFAULT_USER_FRAMES	256

/**
 * struct sysprof_stack - what a tick found; private to the kernel until it is copied into rings
 * @pid: of the interrupted task
 * @tid: likewise
 * @mm: id of its address space
 * @mm_of: whose id that is; the next tick often finds the same
 * @flags: SYSPROF_SAMPLE_*
 * @n_kernel: frames
 * @n_user: frames
 * @kernel_end: enum sysprof_end
 * @user_end: enum sysprof_end
 * @raw: registers and stack, for those who may have them; NULL if nobody does or there is no user context
 * @kernel: encoded frames
 * @user: addresses
 * @n_places: user frames that were resolved
 * @places_end: why there are no more
 * @places: resolved user frames
 * @user_regs: the user context, for sysprof_stack_by_tables(); NULL if there is none
 * @in_user: it was interrupted
 * @max_user: frames that are wanted of it
 * @tabled_of: whose tables @tabled was found by, unless @is_tabled is false
 * @is_tabled: for this tick
 * @tabled_flags: SYSPROF_SAMPLE_NO_TABLE
 * @n_tabled: user frames that were found by tables
 * @tabled_end: why there are no more
 * @tabled: resolved user frames, by tables
 */
struct sysprof_stack {
	u32 pid;
	u32 tid;
	u64 mm;
	const struct mm_struct *mm_of;
	u16 flags;
	u16 n_kernel;
	u16 n_user;
	u8 kernel_end;
	u8 user_end;
	u16 n_places;
	u8 places_end;
	const struct sysprof_raw *raw;
	u64 kernel[SYSPROF_MAX_KERNEL_FRAMES];
	u64 user[SYSPROF_MAX_USER_FRAMES];
	u64 places[SYSPROF_MAX_USER_FRAMES];
	struct pt_regs *user_regs;
	bool in_user;
	u32 max_user;
	bool is_tabled;
	const struct sysprof_tables *tabled_of;
	u16 tabled_flags;
	u16 n_tabled;
	u8 tabled_end;
	u64 tabled[SYSPROF_MAX_USER_FRAMES];
};

/**
 * struct sysprof_stack_wish - how much of a stack is wanted
 * @max_kernel: frames
 * @max_user: frames
 * @addresses: user frames as they are
 * @places: user frames resolved
 * @raw_bytes: of the user stack, as they are
 */
struct sysprof_stack_wish {
	u32 max_kernel;
	u32 max_user;
	bool addresses;
	bool places;
	u32 raw_bytes;
};

/*
 * Takes current's stack: of what @regs interrupted, or, if that is NULL, from here, without the module's own frames.
 * Interrupts off or in NMI, RCU read side.  No faults, no locks.
 */
void sysprof_stack_take(struct sysprof_stack *stack, struct pt_regs *regs, const struct sysprof_stack_wish *wish);

/* Fills in @stack's tabled frames, by everybody's tables and @own (NULL: none), unless they are so already.  In the same tick as the above. */
void sysprof_stack_by_tables(struct sysprof_stack *stack, const struct sysprof_tables *own);

/* The instruction pointer of a kernel frame; 0 for what is neither in the kernel image nor in the module area. */
unsigned long sysprof_stack_decode(u64 frame);
/* Process context, once, before the first tick. */
void sysprof_stack_init(void);

#endif /* _SYSPROF_STACK_H */
