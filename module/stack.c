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

/* Any exported function of the image will do: distances between its places are the same at every boot. */
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
		return frame(SYSPROF_OBJECT_MODULES, ip - sysprof_arch_module_area() + module_secret);
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
		ip = sysprof_arch_module_area() + ((offset - module_secret) & SYSPROF_FRAME_OFFSET_MASK);
		return sysprof_arch_is_module_area(ip) ? ip : 0;
	default:
		return 0;
	}
}

/* The registers with which current entered the kernel; NULL for tasks that have never been in user mode. */
static struct pt_regs *user_regs(struct pt_regs *regs)
{
	if (regs && user_mode(regs))
		return regs;
	/* In exec the registers are the old program's, the memory may be the new one's. */
	if (!current->mm || (current->flags & PF_KTHREAD) || current->in_execve)
		return NULL;
	regs = task_pt_regs(current);
	/* Workers of io_uring and vhost have registers that mean nothing. */
	return user_mode(regs) && instruction_pointer(regs) ? regs : NULL;
}

static void take_kernel(struct sysprof_stack *stack, struct pt_regs *regs, u32 max)
{
	unsigned long *ips = (unsigned long *)stack->kernel;
	u32 i, n, own = 0;

	BUILD_BUG_ON(sizeof(stack->kernel[0]) != sizeof(*ips));
	n = sysprof_arch_walk_kernel(regs, ips, max, &stack->kernel_end);
	/* Interrupted code begins with its very instruction; a stack from here begins with ourselves. */
	if (regs)
		stack->flags |= SYSPROF_SAMPLE_KERNEL_EXACT;
	else
		while (own < n && sysprof_hooks_own(ips[own]))
			own++;
	for (i = own; i < n; i++)
		stack->kernel[i - own] = encode(ips[i]);
	stack->n_kernel = n - own;
}

static void take_user(struct sysprof_stack *stack, struct pt_regs *regs, bool in_user, const struct sysprof_stack_wish *wish)
{
	struct sysprof_walk walk;

	stack->flags |= SYSPROF_SAMPLE_USER_EXACT;
	if (sysprof_arch_user_is_32bit(regs))
		stack->flags |= SYSPROF_SAMPLE_USER_32BIT;
	if (wish->addresses) {
		walk = (struct sysprof_walk){ .frames = stack->user, .max = wish->max_user };
		sysprof_arch_walk_user(regs, &walk);
		stack->n_user = walk.n;
		stack->user_end = walk.end;
	}
	if (wish->places) {
		walk = (struct sysprof_walk){ .frames = stack->places, .max = wish->max_user };
		sysprof_spaces_walk(regs, in_user, &walk);
		stack->n_places = walk.n;
		stack->places_end = walk.end;
	}
}

void sysprof_stack_by_tables(struct sysprof_stack *stack, const struct sysprof_tables *own)
{
	struct sysprof_walk walk = { .frames = stack->tabled, .max = stack->max_user, .by_tables = true, .tables = own };

	if (stack->is_tabled && stack->tabled_of == own)
		return;
	stack->is_tabled = true;
	stack->tabled_of = own;
	stack->tabled_flags = 0;
	stack->n_tabled = 0;
	stack->tabled_end = SYSPROF_END_NONE;
	if (!stack->user_regs || !stack->max_user)
		return;
	sysprof_spaces_walk(stack->user_regs, stack->in_user, &walk);
	stack->n_tabled = walk.n;
	stack->tabled_end = walk.end;
	stack->tabled_flags = walk.is_guess ? SYSPROF_SAMPLE_NO_TABLE : 0;
}

void sysprof_stack_take(struct sysprof_stack *stack, struct pt_regs *regs, const struct sysprof_stack_wish *wish)
{
	struct pt_regs *user = user_regs(regs);
	const struct mm_struct *mm;

	stack->pid = current->tgid;
	stack->tid = current->pid;
	mm = current->flags & PF_KTHREAD ? NULL : current->mm;
	if (mm != stack->mm_of) {
		stack->mm = sysprof_state_mm_id(mm);
		stack->mm_of = mm;
	}
	stack->flags = 0;
	stack->n_kernel = 0;
	stack->n_user = 0;
	stack->kernel_end = SYSPROF_END_NONE;
	stack->user_end = SYSPROF_END_NONE;
	stack->n_places = 0;
	stack->places_end = SYSPROF_END_NONE;
	stack->is_tabled = false;

	if (in_serving_softirq() || (in_nmi() && hardirq_count()))
		stack->flags |= SYSPROF_SAMPLE_IRQ;
	if (!regs || !user_mode(regs))
		take_kernel(stack, regs, wish->max_kernel);
	/* An NMI may come where the kernel has been entered but its stack does not yet say from where. */
	if (in_nmi() && user != regs && stack->kernel_end != SYSPROF_END_ROOT)
		user = NULL;
	stack->user_regs = user;
	stack->max_user = wish->max_user;
	stack->in_user = user == regs;
	stack->raw = user && wish->raw_bytes ? sysprof_raw_take(user, wish->raw_bytes) : NULL;
	if (user && wish->max_user)
		take_user(stack, user, user == regs, wish);
}
