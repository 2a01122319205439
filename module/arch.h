/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interface of each architecture.  walk-*.c have the walks, for stack.c and spaces.c, which run
 * in the sampling context; arch-*.c have the rest.
 */
#ifndef _SYSPROF_ARCH_H
#define _SYSPROF_ARCH_H

#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/types.h>

struct ranges;
struct recall_entry;
struct sysprof_origin;
struct sysprof_tables;
struct task_struct;

#define SYSPROF_WALK_SLACK 1

/* How many threads' stacks a CPU remembers (recall.h). */
#define SYSPROF_RECALL_BITS	2
#define SYSPROF_RECALL_PLACES	(1 << SYSPROF_RECALL_BITS)

/**
 * struct sysprof_outer - the outermost frames of a walk, which are those of a walk before
 * @frames: where they are, until this CPU walks again
 * @id: on this CPU, only the same frames have it, in the same program
 * @n: number of frames; 0: nothing is known
 * @place: of what is remembered of the thread; there, only @id is known
 */
struct sysprof_outer {
	const u64 *frames;
	u64 id;
	u32 n;
	u32 place;
};

/**
 * struct sysprof_walk - a walk along a user stack
 * @ranges: the index that each frame is looked up in, for frames as {object:24, offset:40}; NULL:
 *	frames are addresses
 * @frames: room for @max frames, innermost first, and for SYSPROF_WALK_SLACK more that mean nothing
 * @max: at least 1
 * @n: on return, number of frames
 * @outer: on return, the last ones of these, which may be missing in @frames: they are there after
 *	sysprof_walk_complete()
 * @end: on return, enum sysprof_end: why the walk ended
 * @mm: id of the address space; with @steps
 * @by_tables: follow unwind tables instead of frame pointers; needs @ranges
 * @tables: with @by_tables, a user's tables, used beside everybody's; NULL: none
 * @is_coarse: on return: the index does not have all mappings of the address space
 * @is_guess: on return, with @by_tables: one frame's caller was found by its frame pointer
 * @sps: with @by_tables, unless NULL: as many stack pointers, one for each frame
 * @by_frames: with @sps, a program of frames gets to know each frame's registers (chain-step.h)
 * @steps: with @by_tables, enum sysprof_steps: whether programs of steps are followed; on return,
 *	whether one was
 * @remembered: what it was or will be compared with (recall.h); NULL: nothing
 * @n_remembered: how many of the last frames are remembered there now
 * @is_wrong: it differs from what it is without
 */
struct sysprof_walk {
	const struct ranges *ranges;
	u64 mm;
	bool by_tables;
	bool is_coarse;
	bool is_guess;
	bool is_wrong;
	bool by_frames;
	struct recall_entry *remembered;
	u32 n_remembered;
	const struct sysprof_tables *tables;
	u64 *frames;
	u64 *sps;
	u32 max;
	u32 n;
	u8 end;
	struct sysprof_outer outer;
	u8 steps;
};

/* Puts all frames into @walk->frames. */
static inline void sysprof_walk_complete(struct sysprof_walk *walk)
{
	u64 *to = walk->frames + walk->n - walk->outer.n;

	if (!walk->outer.n || walk->outer.frames == to)
		return;
	memcpy(to, walk->outer.frames, walk->outer.n * sizeof(*to));
	walk->outer.frames = to;
}

/*
 * Writes the kernel frames of @task into @frames, innermost first, encoded as in kernel-frame.h,
 * and enum sysprof_end into @end.  If @task is current, the walk begins at what @regs interrupted;
 * with @regs NULL it begins at @origin and skips the module's own frames.  If @task does not run,
 * @regs is NULL and the walk begins where the task was switched away.  Interrupts off, or in NMI.
 */
u32 sysprof_arch_walk_kernel(struct task_struct *task, struct pt_regs *regs,
			     const struct sysprof_origin *origin, u64 *frames, u32 max, u8 *end);
/*
 * Registers of what the interrupt under way has interrupted; NULL: not found.  x86 has them in
 * get_irq_regs() only for its timer.
 */
struct pt_regs *sysprof_arch_interrupted(void);
/*
 * In an NMI that came in kernel mode: whether reads of user memory are of current's.  While the
 * kernel switches tasks the next one's address space can be loaded already.
 */
bool sysprof_arch_reads_current(void);
/*
 * Walks the user context @regs of current along frame pointers; ranges.h has the look-up.  Stores
 * nothing but frames.
 */
void sysprof_arch_walk_user(struct pt_regs *regs, struct sysprof_walk *walk);
/*
 * The same along unwind tables.  32-bit programs have no tables: frame pointers are followed there.
 */
void sysprof_arch_walk_tables(struct pt_regs *regs, struct sysprof_walk *walk);

static inline bool sysprof_arch_user_is_32bit(struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return !user_64bit_mode(regs);
#else
	return compat_user_mode(regs);
#endif
}

/*
 * Registers of a user context in the order of <asm/perf_regs.h>; 0 for a register that was not
 * saved.
 */
#ifdef CONFIG_X86_64
#define SYSPROF_ARCH_USER_END	TASK_SIZE_MAX	/* first address that is not the user's */
#define SYSPROF_ARCH_MACHINE	62	/* EM_X86_64 */
#define SYSPROF_ARCH_REGS	24
/* Number of registers that tables describe, and of callee-saved registers. */
#define SYSPROF_ARCH_TABLE_REGS	16
#define SYSPROF_ARCH_SAVED	6
/*
 * Numbers of the stack pointer and the frame pointer, and the latter's slot among the callee-saved
 * registers.
 */
#define SYSPROF_ARCH_SP		7
#define SYSPROF_ARCH_FP		6
#define SYSPROF_ARCH_FP_SLOT	1
#else
#define SYSPROF_ARCH_USER_END	TASK_SIZE_64
#define SYSPROF_ARCH_MACHINE	183	/* EM_AARCH64 */
#define SYSPROF_ARCH_REGS	33
#define SYSPROF_ARCH_TABLE_REGS	32
#define SYSPROF_ARCH_SAVED	11
#define SYSPROF_ARCH_SP		31
#define SYSPROF_ARCH_FP		29
#define SYSPROF_ARCH_FP_SLOT	10

/* The address without the bits above it that pointer authentication and tags use. */
static inline u64 sysprof_arch_strip(u64 pointer)
{
	return pointer & BIT_ULL(55) ? U64_MAX : pointer & (SYSPROF_ARCH_USER_END - 1);
}
#endif
void sysprof_arch_user_regs(const struct pt_regs *regs, u64 *values);
/*
 * Copies up to @bytes, from the stack pointer of current's @regs upwards, into @to.  Returns the
 * number of bytes that could be read without a fault.
 */
u32 sysprof_arch_copy_stack(const struct pt_regs *regs, void *to, u32 bytes);

/*
 * Reads of current's user memory, in the sampling context, NMI too.  may_read(): whether they would
 * read current's, which runs in @regs in user mode.  copy_user(): false: it cannot be read without
 * a fault.
 */
bool sysprof_arch_may_read(const struct pt_regs *regs);
bool sysprof_arch_copy_user(void *to, u64 from, u32 bytes);
/* Current's thread pointer in user mode. */
u64 sysprof_arch_thread_pointer(void);

/*
 * Returns the start of the area of modules and other generated code, without the kernel image,
 * which @anchor is in.  Sets @bytes to its size, which is less than an offset can represent.
 */
unsigned long sysprof_arch_module_area(unsigned long anchor, unsigned long *bytes);

/*
 * Whether @code, the first word of a function, is a call that ftrace has put there.  False on
 * architectures whose kprobes do not use ftrace.
 */
bool sysprof_arch_is_call(u32 code);

/* Address of current's vdso; 0: it has none. */
unsigned long sysprof_arch_vdso(void);

#endif /* _SYSPROF_ARCH_H */
