// SPDX-License-Identifier: GPL-2.0-only
/* arm64: registers, user memory, and where the kernel keeps what others need of both. */
#include <asm/irq_regs.h>
#include <asm/mmu.h>
#include <asm/pgtable.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>
#include <linux/io.h>
#include <linux/mm_types.h>
#include <linux/sched.h>

#include "arch.h"
#include "compat/export.h"
#include "no-faults.h"
#include "sysprof.h"

struct pt_regs *sysprof_arch_interrupted(void)
{
	return get_irq_regs();
}
SYSPROF_EXPORT(sysprof_arch_interrupted);

/*
 * Where PAN is emulated no user's tables are loaded in the kernel, and such an NMI gets no user
 * part.
 */
bool sysprof_arch_reads_current(void)
{
	u64 loaded = read_sysreg(ttbr0_el1) & ~(TTBR_ASID_MASK | TTBR_CNP_BIT);

	return current->mm && loaded == phys_to_ttbr(virt_to_phys(current->mm->pgd));
}

void sysprof_arch_user_regs(const struct pt_regs *regs, u64 *values)
{
	memcpy(values, regs->regs, sizeof(regs->regs));
	values[31] = regs->sp;
	values[32] = regs->pc;
}

u32 sysprof_arch_copy_stack(const struct pt_regs *regs, void *to, u32 bytes)
{
	u64 from = sysprof_arch_strip(compat_user_mode(regs) ? regs->compat_sp : regs->sp);
	unsigned long missed;

	if (from >= TASK_SIZE_64 - PAGE_SIZE)
		return 0;
	bytes = min_t(u64, bytes, TASK_SIZE_64 - PAGE_SIZE - from);
	sysprof_no_faults_begin();
	missed = access_ok((void __user *)from, bytes) ?
			 __copy_from_user_inatomic(to, (void __user *)from, bytes) :
			 bytes;
	sysprof_no_faults_end();
	return bytes - missed;
}

bool sysprof_arch_may_read(const struct pt_regs *regs)
{
	/* sysprof_arch_reads_current() was asked before. */
	return true;
}

bool sysprof_arch_copy_user(void *to, u64 from, u32 bytes)
{
	unsigned long missed;

	if (from < PAGE_SIZE || from >= TASK_SIZE_64 - PAGE_SIZE - bytes)
		return false;
	sysprof_no_faults_begin();
	missed = access_ok((void __user *)from, bytes) ?
			 __copy_from_user_inatomic(to, (void __user *)from, bytes) :
			 bytes;
	sysprof_no_faults_end();
	return !missed;
}

u64 sysprof_arch_thread_pointer(void)
{
	return read_sysreg(tpidr_el0);
}

/*
 * Modules are within 2 GiB of the image, and so is other generated code, above them: half of the
 * range of an offset.  The rest is outside.
 */
unsigned long sysprof_arch_module_area(unsigned long anchor, unsigned long *bytes)
{
	*bytes = 1UL << (SYSPROF_FRAME_OBJECT_SHIFT - 1);
	return anchor - *bytes / 2;
}

bool sysprof_arch_is_call(u32 code)
{
	return false;
}

unsigned long sysprof_arch_vdso(void)
{
	return current->mm ? (unsigned long)current->mm->context.vdso : 0;
}
