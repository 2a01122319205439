// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack of what a tick interrupted, and the encoding that keeps kernel addresses in the kernel.
 *
 * Runs in the timer interrupt: nothing here sleeps, faults, allocates or takes a lock.
 */
#include <linux/kallsyms.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "arch.h"
#include "hooks.h"
#include "raw.h"
#include "spaces.h"
#include "stack.h"
#include "state.h"

/*
 * Any exported function of the image will do: distances between its places are the same at every
 * boot.
 */
#define ANCHOR ((unsigned long)&sprint_symbol)

static u64 module_secret;

void sysprof_stack_init(void)
{
	sysprof_arch_init();
	module_secret = get_random_u64();
}

static u64 frame(u64 object, u64 offset)
{
	return object << SYSPROF_FRAME_OBJECT_SHIFT | (offset & SYSPROF_FRAME_OFFSET_MASK);
}

/* 0 for what is neither kernel image nor module area. */
static u64 encode(unsigned long ip)
{
	if (sysprof_arch_is_image(ip))
		return frame(SYSPROF_OBJECT_KERNEL, ip - ANCHOR);
	if (sysprof_arch_is_module_area(ip))
		return frame(SYSPROF_OBJECT_MODULES,
			     ip - sysprof_arch_module_area() + module_secret);
	return 0;
}

unsigned long sysprof_stack_decode(u64 value)
{
	u64 offset = value & SYSPROF_FRAME_OFFSET_MASK;
	unsigned long ip;

	switch (value >> SYSPROF_FRAME_OBJECT_SHIFT) {
	case SYSPROF_OBJECT_KERNEL:
		ip = ANCHOR + sign_extend64(offset, SYSPROF_FRAME_OBJECT_SHIFT - 1);
		return sysprof_arch_is_image(ip) ? ip : 0;
	case SYSPROF_OBJECT_MODULES:
		ip = sysprof_arch_module_area() +
		     ((offset - module_secret) & SYSPROF_FRAME_OFFSET_MASK);
		return sysprof_arch_is_module_area(ip) ? ip : 0;
	default:
		return 0;
	}
}

/*
 * The registers with which current entered the kernel; NULL for tasks that have never been in user
 * mode.
 */
static struct pt_regs *entry_regs(void)
{
	struct pt_regs *regs;

	/* In exec the registers are the old program's, the memory may be the new one's. */
	if (!current->mm || (current->flags & PF_KTHREAD) || current->in_execve)
		return NULL;
	regs = task_pt_regs(current);
	/* Workers of io_uring and vhost have registers that mean nothing. */
	return user_mode(regs) && instruction_pointer(regs) ? regs : NULL;
}

static void take_frames(struct sysprof_stack *stack, struct pt_regs *regs)
{
	unsigned long *ips = (unsigned long *)stack->kernel;
	u32 i, n, own = 0;

	BUILD_BUG_ON(sizeof(stack->kernel[0]) != sizeof(*ips));
	n = sysprof_arch_walk_kernel(regs, ips, stack->wish.max_kernel, &stack->kernel_end);
	/*
	 * Interrupted code begins with its very instruction; a stack from here begins with
	 * ourselves.
	 */
	if (regs)
		stack->flags |= SYSPROF_SAMPLE_KERNEL_EXACT;
	else
		while (own < n && sysprof_hooks_own(ips[own]))
			own++;
	for (i = own; i < n; i++)
		stack->kernel[i - own] = encode(ips[i]);
	stack->n_kernel = n - own;
}

/*
 * Of what was interrupted in the kernel, or, with no @regs, from here.  Returns the user context
 * behind it, or NULL.
 */
static noinline struct pt_regs *take_kernel(struct sysprof_stack *stack, struct pt_regs *regs)
{
	if (in_serving_softirq() || (in_nmi() && hardirq_count()))
		stack->flags |= SYSPROF_SAMPLE_IRQ;
	take_frames(stack, regs);
	/*
	 * An NMI may come where the kernel has been entered but its stack does not yet say from
	 * where.
	 */
	if (in_nmi() && stack->kernel_end != SYSPROF_END_ROOT)
		return NULL;
	return entry_regs();
}

static void take_part(struct sysprof_stack *stack, enum sysprof_user_kind kind)
{
	struct sysprof_user_part *part = &stack->user[kind];

	part->walk.frames = part->frames;
	part->walk.max = stack->wish.max_user;
	if (kind == SYSPROF_KIND_ADDRESSES)
		sysprof_arch_walk_user(stack->user_regs, &part->walk);
	else
		sysprof_spaces_walk(stack->user_regs, stack->in_user, &part->walk);
	if (part->walk.is_coarse)
		stack->flags |= SYSPROF_SAMPLE_COARSE;
}

static void leave_out_part(struct sysprof_stack *stack, enum sysprof_user_kind kind)
{
	stack->user[kind].walk.n = 0;
	stack->user[kind].walk.end = SYSPROF_END_NONE;
}

static void take_user(struct sysprof_stack *stack)
{
	stack->flags |= SYSPROF_SAMPLE_USER_EXACT;
	if (sysprof_arch_user_is_32bit(stack->user_regs))
		stack->flags |= SYSPROF_SAMPLE_USER_32BIT;
	if (stack->wish.addresses)
		take_part(stack, SYSPROF_KIND_ADDRESSES);
	if (stack->wish.places)
		take_part(stack, SYSPROF_KIND_PLACES);
}

void sysprof_stack_by_tables(struct sysprof_stack *stack, const struct sysprof_tables *own)
{
	struct sysprof_user_part *part = &stack->user[SYSPROF_KIND_TABLED];

	if (stack->is_tabled && part->walk.tables == own)
		return;
	stack->is_tabled = true;
	part->walk.by_tables = true;
	part->walk.is_guess = false;
	part->walk.tables = own;
	if (stack->user_regs && stack->wish.max_user)
		take_part(stack, SYSPROF_KIND_TABLED);
	else
		leave_out_part(stack, SYSPROF_KIND_TABLED);
	part->flags = part->walk.is_guess ? SYSPROF_SAMPLE_NO_TABLE : 0;
}

void sysprof_stack_take(struct sysprof_stack *stack, struct pt_regs *regs)
{
	const struct mm_struct *mm;
	struct pt_regs *user;

	stack->pid = current->tgid;
	stack->tid = current->pid;
	mm = current->flags & PF_KTHREAD ? NULL : current->mm;
	if (mm != stack->mm_of) {
		stack->mm = sysprof_state_mm_id(mm);
		stack->mm_of = mm;
	}
	/* Between entry and exit of a guest; the host takes the interrupt that ended its run. */
	stack->flags = current->flags & PF_VCPU ? SYSPROF_SAMPLE_GUEST : 0;
	stack->n_kernel = 0;
	stack->kernel_end = SYSPROF_END_NONE;
	stack->is_tabled = false;
	stack->user[SYSPROF_KIND_ADDRESSES].flags = SYSPROF_SAMPLE_ADDRESSES;

	stack->in_user = regs && user_mode(regs);
	user = stack->in_user ? regs : take_kernel(stack, regs);
	stack->user_regs = user;
	stack->raw = user && stack->wish.raw_bytes ? sysprof_raw_take(user, stack->wish.raw_bytes) :
						     NULL;
	if (user && stack->wish.max_user) {
		take_user(stack);
	} else {
		leave_out_part(stack, SYSPROF_KIND_ADDRESSES);
		leave_out_part(stack, SYSPROF_KIND_PLACES);
	}
}
