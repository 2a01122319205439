// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: kernel stacks by stack_trace_save(), the only exported door to the unwinder, which begins
 * at the caller, and those of other tasks by their frame records; user stacks of 64-bit programs by
 * the frame records that x29 points to, and by unwind tables.  32-bit programs have no such
 * convention.
 */
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/stacktrace.h>

#include "arch.h"
#include "kernel-frame.h"
#include "trace-points.h"

#define USER_END	SYSPROF_ARCH_USER_END
#define strip(pointer)	sysprof_arch_strip(pointer)
/*
 * A signal's frame: struct siginfo, 128 bytes, 176 of struct ucontext, the address of a fault, then
 * x0 ... x30 sp pc.
 */
#define SIGNAL_IP	568
static const u16 signal_registers[] = {
	312, 320, 328, 336, 344, 352, 360, 368, 376, 384, 392, 400, 408, 416, 424, 432,
	440, 448, 456, 464, 472, 480, 488, 496, 504, 512, 520, 528, 536, 544, 552, 560,
};
static const u8 saved_registers[] = { 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29 };
static const u64 kept_registers = GENMASK_ULL(29, 19) | BIT_ULL(31);
#include "walk-table.h"

/*
 * Number of frames that stack_trace_save() put before the interrupted code last time: most often it
 * is the same again.
 */
static unsigned int lead_in;
#define LEAD_IN_MAX 64

static u32 walk_kernel(struct pt_regs *regs, unsigned long *ips, u32 max, u8 *end)
{
	unsigned int skip = regs ? READ_ONCE(lead_in) : 0, n, i;
	unsigned long before[LEAD_IN_MAX];

	*end = SYSPROF_END_ROOT;
	if (!max) {
		*end = SYSPROF_END_LIMIT;
		return 0;
	}
	n = stack_trace_save(ips, max, skip);
	if (regs && (!n || ips[0] != regs->pc)) {
		n = stack_trace_save(before, LEAD_IN_MAX, 0);
		for (i = 0; i < n && before[i] != regs->pc; i++)
			;
		if (i == n) {
			ips[0] = regs->pc;
			*end = SYSPROF_END_UNRELIABLE;
			return 1;
		}
		WRITE_ONCE(lead_in, i);
		n = stack_trace_save(ips, max, i);
	}
	if (n == max)
		*end = SYSPROF_END_LIMIT;
	return n;
}

/* All code of the kernel is above, where a signature in a return address may have cleared bits. */
#define KERNEL_CODE (~0UL << 47)

/*
 * Nothing that all kernels export walks another task.  @task does not run, so its stack stays as it
 * is: frame records from the one of the function that switched it away, which begins with where
 * that returns to, up to the last one, which leads nowhere.
 */
static u32 walk_task(struct task_struct *task, unsigned long *ips, u32 max, u8 *end)
{
	unsigned long low = (unsigned long)task_stack_page(task),
		      high = low + THREAD_SIZE - 2 * sizeof(u64), fp = thread_saved_fp(task),
		      next, ip;
	u32 n;

	for (n = 0; n < max; n++) {
		if (n && !fp) {
			*end = SYSPROF_END_ROOT;
			return n;
		}
		if (fp < low || fp > high || fp & (2 * sizeof(u64) - 1)) {
			*end = SYSPROF_END_BAD;
			return n;
		}
		next = READ_ONCE_NOCHECK(*(unsigned long *)fp);
		ip = READ_ONCE_NOCHECK(*((unsigned long *)fp + 1));
		if (!next && !ip) {
			*end = SYSPROF_END_ROOT;
			return n;
		}
		ips[n] = ip | KERNEL_CODE;
		/* Each one is further out, or the walk would go on forever. */
		low = fp + 1;
		fp = next;
	}
	*end = SYSPROF_END_LIMIT;
	return n;
}

u32 sysprof_arch_walk_kernel(struct task_struct *task, struct pt_regs *regs,
			     const struct sysprof_origin *origin, u64 *frames, u32 max, u8 *end)
{
	unsigned long *ips = (unsigned long *)frames;
	u32 n, i, own = 0;

	BUILD_BUG_ON(sizeof(*frames) != sizeof(*ips));
	n = task == current ? walk_kernel(regs, ips, max, end) : walk_task(task, ips, max, end);
	while (!regs && own < n && sysprof_trace_points_own(ips[own]))
		own++;
	for (i = own; i < n; i++)
		frames[i - own] = sysprof_kernel_frame_encode(ips[i]);
	return n - own;
}

void sysprof_arch_walk_user(struct pt_regs *regs, struct sysprof_walk *walk)
{
	/* A frame pointer of 1 leads nowhere: 32-bit programs have none. */
	walk_user(walk, regs->pc, strip(regs->sp),
		  compat_user_mode(regs) ? 1 : strip(regs->regs[29]), true);
}

static void begin(struct table_walk *walk, const struct pt_regs *regs)
{
	BUILD_BUG_ON(sizeof(regs->regs) != SYSPROF_ARCH_SP * sizeof(walk->registers[0]));
	memcpy(walk->registers, regs->regs, sizeof(regs->regs));
	walk->registers[SYSPROF_ARCH_SP] = strip(regs->sp);
	walk->ip = regs->pc;
}

static __always_inline void begin_run(struct run *run, const struct pt_regs *regs)
{
	run->sp = strip(regs->sp);
	run->fp = regs->regs[SYSPROF_ARCH_FP];
	run->ip = regs->pc;
}

void sysprof_arch_walk_tables(struct pt_regs *regs, struct sysprof_walk *to)
{
	if (compat_user_mode(regs)) {
		to->is_guess = true;
		sysprof_arch_walk_user(regs, to);
	} else {
		walk_tables(regs, to);
	}
}
