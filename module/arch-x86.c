// SPDX-License-Identifier: GPL-2.0-only
/* x86-64: registers, user memory, and where the kernel keeps what others need of both. */
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
#include "no-faults.h"

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
