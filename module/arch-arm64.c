// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: kernel stacks by stack_trace_save(), the only exported door to the unwinder, which begins
 * at the caller; user stacks of 64-bit programs by the frame records that x29 points to.  32-bit
 * programs have no such convention.
 */
#include <asm/irq_regs.h>
#include <asm/mmu.h>
#include <asm/pgtable.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/sysreg.h>
#include <linux/io.h>
#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>

#include "arch.h"
#include "compat/export.h"
#include "kernel-frame.h"
#include "no-faults.h"
#include "trace-points.h"

/* The address without the bits above it that pointer authentication and tags use. */
static inline u64 strip(u64 pointer)
{
	return pointer & BIT_ULL(55) ? U64_MAX : pointer & (TASK_SIZE_64 - 1);
}

#define USER_END	SYSPROF_ARCH_USER_END
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

/* Nothing that all kernels export walks another task. */
u32 sysprof_arch_walk_kernel(struct task_struct *task, struct pt_regs *regs,
			     const struct sysprof_origin *origin, u64 *frames, u32 max, u8 *end)
{
	unsigned long *ips = (unsigned long *)frames;
	u32 n, i, own = 0;

	BUILD_BUG_ON(sizeof(*frames) != sizeof(*ips));
	if (task != current) {
		*end = SYSPROF_END_NONE;
		return 0;
	}
	n = walk_kernel(regs, ips, max, end);
	while (!regs && own < n && sysprof_trace_points_own(ips[own]))
		own++;
	for (i = own; i < n; i++)
		frames[i - own] = sysprof_kernel_frame_encode(ips[i]);
	return n - own;
}

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

void sysprof_arch_user_regs(const struct pt_regs *regs, u64 *values)
{
	memcpy(values, regs->regs, sizeof(regs->regs));
	values[31] = regs->sp;
	values[32] = regs->pc;
}

u32 sysprof_arch_copy_stack(const struct pt_regs *regs, void *to, u32 bytes)
{
	u64 from = strip(compat_user_mode(regs) ? regs->compat_sp : regs->sp);
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
