/* SPDX-License-Identifier: GPL-2.0-only */
/* What stack.c and spaces.c need from each architecture.  The walks run in the sampling context. */
#ifndef _SYSPROF_ARCH_H
#define _SYSPROF_ARCH_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct ranges;
struct sysprof_tables;
struct task_struct;

/**
 * struct sysprof_walk - a walk along a user stack
 * @ranges: the index each frame is looked up in, for {object:24, offset:40}; NULL for addresses
 * @frames: room for @max frames, innermost first
 * @max: at least 1
 * @n: on return, how many
 * @end: on return, enum sysprof_end: why there are no more
 * @by_tables: along unwind tables, with @ranges, instead of frame pointers
 * @tables: with @by_tables, those of a user, beside everybody's; NULL: none
 * @is_coarse: on return: of an address space of which not all mappings are followed
 * @is_guess: on return, with @by_tables: a frame's caller was looked for by its frame pointer
 */
struct sysprof_walk {
	const struct ranges *ranges;
	bool by_tables;
	bool is_coarse;
	bool is_guess;
	const struct sysprof_tables *tables;
	u64 *frames;
	u32 max;
	u32 n;
	u8 end;
};

/*
 * The kernel's frames of @task as stack.h encodes them, innermost first, into @frames; enum
 * sysprof_end into @end.  Of current: of what @regs interrupted, or, if that is NULL, from here,
 * without the module's own.  Of a task that does not run, @regs NULL: where it was switched away
 * from.  Interrupts off, or in NMI.
 */
u32 sysprof_arch_walk_kernel(struct task_struct *task, struct pt_regs *regs, u64 *frames, u32 max,
			     u8 *end);
/*
 * Walks the user context @regs of current along frame pointers; ranges.h has the look-up.  Nothing
 * but frames is stored.
 */
void sysprof_arch_walk_user(struct pt_regs *regs, struct sysprof_walk *walk);
/* The same along unwind tables; 32-bit programs by frame pointers all the same. */
void sysprof_arch_walk_tables(struct pt_regs *regs, struct sysprof_walk *walk);

static inline bool sysprof_arch_user_is_32bit(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return !user_64bit_mode(regs);
#else
	return compat_user_mode(regs);
#endif
}

/* Registers of a user context in the order of <asm/perf_regs.h>, 0 for what was not saved. */
#ifdef CONFIG_X86_64
#define SYSPROF_ARCH_MACHINE	62	/* EM_X86_64 */
#define SYSPROF_ARCH_REGS	24
/* Registers that tables speak of, and how many of them a function has to keep. */
#define SYSPROF_ARCH_TABLE_REGS	16
#define SYSPROF_ARCH_SAVED	6
/* The stack pointer, the frame pointer, and which of those that a function has to keep that is. */
#define SYSPROF_ARCH_SP		7
#define SYSPROF_ARCH_FP		6
#define SYSPROF_ARCH_FP_SLOT	1
#else
#define SYSPROF_ARCH_MACHINE	183	/* EM_AARCH64 */
#define SYSPROF_ARCH_REGS	33
#define SYSPROF_ARCH_TABLE_REGS	32
#define SYSPROF_ARCH_SAVED	11
#define SYSPROF_ARCH_SP		31
#define SYSPROF_ARCH_FP		29
#define SYSPROF_ARCH_FP_SLOT	10
#endif
void sysprof_arch_user_regs(const struct pt_regs *regs, u64 *values);
/*
 * Copies @bytes from the stack pointer of current's @regs up into @to; returns how many could be
 * had without a fault.
 */
u32 sysprof_arch_copy_stack(const struct pt_regs *regs, void *to, u32 bytes);

/*
 * Where modules and other generated code lie, the image at @anchor aside: the start, and the size
 * in @bytes, less than an offset spans.
 */
unsigned long sysprof_arch_module_area(unsigned long anchor, unsigned long *bytes);

/*
 * Whether ftrace has put a call where code begins with this word: false where kprobes do not come
 * by ftrace.
 */
bool sysprof_arch_is_call(u32 code);

/* Address of current's vdso, 0 if it has none. */
unsigned long sysprof_arch_vdso(void);

#endif /* _SYSPROF_ARCH_H */
