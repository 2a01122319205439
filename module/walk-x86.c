// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64: kernel stacks by the exported unwinder (ORC or frame pointers, as the kernel was built),
 * user stacks of 64-bit and 32-bit programs by frame pointers, and of the former by unwind tables.
 */
#include <asm/ptrace.h>
#include <asm/unwind.h>
#include <linux/bits.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "arch.h"
#include "kernel-frame.h"
#include "trace-points.h"

#define USER_END	SYSPROF_ARCH_USER_END
#define strip(pointer)	(pointer)
/*
 * struct ucontext of a signal's frame has 40 bytes, then struct sigcontext; registers in the order
 * of DWARF: ax dx cx bx si di bp sp r8 ... r15.
 */
#define SIGNAL_IP	168
static const u8 signal_registers[] = { 144, 136, 152, 128, 112, 104, 120, 160,
				       40,  48,	 56,  64,  72,	80,  88,  96 };
static const u8 saved_registers[] = { 3, 6, 12, 13, 14, 15 };
static const u64 kept_registers = BIT(3) | BIT(6) | BIT(7) | BIT(12) | BIT(13) | BIT(14) | BIT(15);
#include "walk-table.h"

#ifndef CONFIG_UNWINDER_ORC /* walk-orc.c has the function for kernels with ORC */
u32 sysprof_arch_walk_kernel(struct task_struct *task, struct pt_regs *regs,
			     const struct sysprof_origin *origin, u64 *frames, u32 max, u8 *end)
{
	bool is_own = !regs && task == current;
	struct unwind_state state;
	unsigned long ip;
	u32 n = 0;

	/* The unwinder begins with the caller of what @regs interrupted. */
	if (regs && max)
		frames[n++] = sysprof_kernel_frame_encode(regs->ip);
	for (unwind_start(&state, task, regs, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		ip = unwind_get_return_address(&state);
		if (!ip)
			break;
		if (n == max) {
			*end = SYSPROF_END_LIMIT;
			return n;
		}
		is_own = is_own && sysprof_trace_points_own(ip);
		if (!is_own)
			frames[n++] = sysprof_kernel_frame_encode(ip);
	}
	*end = unwind_error(&state) ? SYSPROF_END_UNRELIABLE : SYSPROF_END_ROOT;
	return n;
}
#endif

void sysprof_arch_walk_user(struct pt_regs *regs, struct sysprof_walk *walk)
{
	bool is_64bit = user_64bit_mode(regs);
	u64 sp = is_64bit ? regs->sp : (u32)regs->sp, fp = is_64bit ? regs->bp : (u32)regs->bp;

	/* A frame pointer of 1 leads nowhere. */
	if (unlikely(in_nmi() && !sysprof_arch_may_read(regs)))
		fp = 1;
	walk_user(walk, regs->ip, sp, fp, is_64bit);
}

static void begin(struct table_walk *walk, const struct pt_regs *regs)
{
	const u64 order[SYSPROF_ARCH_TABLE_REGS] = {
		regs->ax,  regs->dx,  regs->cx,	 regs->bx,  regs->si,  regs->di,
		regs->bp,  regs->sp,  regs->r8,	 regs->r9,  regs->r10, regs->r11,
		regs->r12, regs->r13, regs->r14, regs->r15,
	};

	memcpy(walk->registers, order, sizeof(order));
	walk->ip = regs->ip;
}

static __always_inline void begin_run(struct run *run, const struct pt_regs *regs)
{
	run->sp = regs->sp;
	run->fp = regs->bp;
	run->ip = regs->ip;
}

void sysprof_arch_walk_tables(struct pt_regs *regs, struct sysprof_walk *to)
{
	if (!user_64bit_mode(regs) || (in_nmi() && !sysprof_arch_may_read(regs))) {
		to->is_guess = true;
		sysprof_arch_walk_user(regs, to);
	} else {
		walk_tables(regs, to);
	}
}
