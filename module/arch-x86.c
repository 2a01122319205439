// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64: kernel stacks by the exported unwinder (ORC or frame pointers, as the kernel was built),
 * user stacks of 64-bit and 32-bit programs by frame pointers.
 */
#include <asm/fsgsbase.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>
#include <asm/unwind.h>
#include <linux/mm.h>
#include <linux/nospec.h>
#include <linux/sched.h>

#include "arch.h"
#include "compat/export.h"
#include "kernel-frame.h"
#include "no-faults.h"
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

#define INTERRUPT_FRAMES 32 /* an interrupt has not more */

struct pt_regs *sysprof_arch_interrupted(void)
{
	struct unwind_state state;
	struct pt_regs *regs;
	int left = INTERRUPT_FRAMES;

	for (unwind_start(&state, current, NULL, NULL); left-- && !unwind_done(&state);
	     unwind_next_frame(&state)) {
		regs = unwind_get_entry_regs(&state, NULL);
		if (regs)
			return regs;
	}
	return NULL;
}
SYSPROF_EXPORT(sysprof_arch_interrupted);

/* Each read of an NMI checks that. */
bool sysprof_arch_reads_current(void)
{
	return true;
}

/*
 * An NMI may find an address space loaded that is not current's; only copy_from_user_nmi() checks.
 */
static noinline bool stack_is_in_place(const struct pt_regs *regs)
{
	u64 word;

	return !copy_from_user_nmi(&word, (void __user *)regs->sp, sizeof(word));
}

void sysprof_arch_walk_user(struct pt_regs *regs, struct sysprof_walk *walk)
{
	bool is_64bit = user_64bit_mode(regs);
	u64 sp = is_64bit ? regs->sp : (u32)regs->sp, fp = is_64bit ? regs->bp : (u32)regs->bp;

	/* A frame pointer of 1 leads nowhere. */
	if (unlikely(in_nmi() && !stack_is_in_place(regs)))
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
	if (!user_64bit_mode(regs) || (in_nmi() && !stack_is_in_place(regs))) {
		to->is_guess = true;
		sysprof_arch_walk_user(regs, to);
	} else {
		walk_tables(regs, to);
	}
}

void sysprof_arch_user_regs(const struct pt_regs *regs, u64 *values)
{
	const u64 order[SYSPROF_ARCH_REGS] = {
		regs->ax,
		regs->bx,
		regs->cx,
		regs->dx,
		regs->si,
		regs->di,
		regs->bp,
		regs->sp,
		regs->ip,
		regs->flags,
		regs->cs,
		regs->ss,
		/* ds es fs gs */
		0,
		0,
		0,
		0,
		regs->r8,
		regs->r9,
		regs->r10,
		regs->r11,
		regs->r12,
		regs->r13,
		regs->r14,
		regs->r15,
	};

	memcpy(values, order, sizeof(order));
}

u32 sysprof_arch_copy_stack(const struct pt_regs *regs, void *to, u32 bytes)
{
	u64 from = user_64bit_mode((struct pt_regs *)regs) ? regs->sp : (u32)regs->sp;
	unsigned long missed;

	if (from >= TASK_SIZE_MAX - PAGE_SIZE)
		return 0;
	bytes = min_t(u64, bytes, TASK_SIZE_MAX - PAGE_SIZE - from);
	/* An NMI may come while another address space is loaded: copy_from_user_nmi() checks. */
	if (in_nmi())
		return bytes - copy_from_user_nmi(to, (void __user *)from, bytes);
	sysprof_no_faults_begin();
	missed = access_ok((void __user *)from, bytes) ?
			 __copy_from_user_inatomic(to, (void __user *)from, bytes) :
			 bytes;
	sysprof_no_faults_end();
	return bytes - missed;
}

bool sysprof_arch_may_read(const struct pt_regs *regs)
{
	return !in_nmi() || stack_is_in_place(regs);
}

bool sysprof_arch_copy_user(void *to, u64 from, u32 bytes)
{
	u64 end = TASK_SIZE_MAX - PAGE_SIZE - bytes;
	unsigned long missed;

	if (from < PAGE_SIZE || from >= end)
		return false;
	/* As in chain_load(): the kernel's copy without checks does not do it here. */
	OPTIMIZER_HIDE_VAR(end);
	from = array_index_nospec(from, end);
	if (in_nmi())
		return !copy_from_user_nmi(to, (void __user *)from, bytes);
	sysprof_no_faults_begin();
	missed = access_ok((void __user *)from, bytes) ?
			 __copy_from_user_inatomic(to, (void __user *)from, bytes) :
			 bytes;
	sysprof_no_faults_end();
	return !missed;
}

u64 sysprof_arch_thread_pointer(void)
{
	return x86_fsbase_read_cpu();
}

unsigned long sysprof_arch_module_area(unsigned long anchor, unsigned long *bytes)
{
	*bytes = MODULES_END - MODULES_VADDR;
	return MODULES_VADDR;
}

bool sysprof_arch_is_call(u32 code)
{
	return (u8)code == CALL_INSN_OPCODE;
}

unsigned long sysprof_arch_vdso(void)
{
	return current->mm ? (unsigned long)current->mm->context.vdso : 0;
}
