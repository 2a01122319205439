// SPDX-License-Identifier: GPL-2.0-only
/*
 * The stack of what a tick interrupted.
 *
 * Runs in the timer interrupt: nothing here sleeps, faults, allocates or takes a lock.
 */
#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "arch.h"
#include "chain.h"
#include "compat/export.h"
#include "contexts.h"
#include "mm-id.h"
#include "ranges.h"
#include "raw.h"
#include "spaces.h"
#include "stack.h"

/*
 * Frames of scripts are looked for anew for a session that has other rights than the one before it.
 * A user may have many sessions that take turns.
 */
#define SCRIPTED_MAX 4

/*
 * The registers with which @task entered the kernel; NULL for tasks that have never been in user
 * mode.
 */
static struct pt_regs *entry_regs(struct task_struct *task)
{
	struct pt_regs *regs;

	/* In exec the registers are the old program's, the memory may be the new one's. */
	if (!task->mm || (task->flags & PF_KTHREAD) || task->in_execve)
		return NULL;
	regs = task_pt_regs(task);
	/* Workers of io_uring and vhost have registers that mean nothing. */
	return user_mode(regs) && instruction_pointer(regs) ? regs : NULL;
}

/*
 * Walks the kernel stack of the interrupted code, or, with no @regs, from its origin.  Returns the
 * user context behind it, or NULL.
 */
static noinline struct pt_regs *take_kernel(struct sysprof_stack *stack, struct pt_regs *regs)
{
	if (stack->context == SYSPROF_CONTEXT_SOFTIRQ || stack->context == SYSPROF_CONTEXT_IRQ)
		stack->flags |= SYSPROF_SAMPLE_IRQ;
	/*
	 * Interrupted code begins with its very instruction; a stack from here begins with a
	 * caller.
	 */
	if (regs)
		stack->flags |= SYSPROF_SAMPLE_KERNEL_EXACT;
	stack->n_kernel = sysprof_arch_walk_kernel(current, regs, &stack->origin, stack->kernel,
						   stack->request.max_kernel, &stack->kernel_end);
	/*
	 * An NMI may come in kernel mode while the stack does not yet show where the kernel was
	 * entered, or while it switches tasks.
	 */
	if (in_nmi() && (stack->kernel_end != SYSPROF_END_ROOT || !sysprof_arch_reads_current()))
		return NULL;
	return entry_regs(current);
}

static void take_part(struct sysprof_stack *stack, enum sysprof_user_kind kind)
{
	struct sysprof_user_part *part = &stack->user[kind];

	part->flags = kind == SYSPROF_KIND_ADDRESSES ? SYSPROF_SAMPLE_ADDRESSES : 0;
	part->walk.frames = part->frames;
	part->walk.max = stack->request.max_user;
	if (kind == SYSPROF_KIND_ADDRESSES)
		sysprof_arch_walk_user(stack->user_regs, &part->walk);
	else
		sysprof_spaces_walk(stack->user_regs, stack->in_user, &part->walk);
	if (part->walk.is_coarse)
		stack->flags |= SYSPROF_SAMPLE_COARSE;
}

static void leave_out_part(struct sysprof_stack *stack, enum sysprof_user_kind kind)
{
	stack->user[kind].flags = kind == SYSPROF_KIND_ADDRESSES ? SYSPROF_SAMPLE_ADDRESSES : 0;
	stack->user[kind].walk.n = 0;
	stack->user[kind].walk.outer.n = 0;
	stack->user[kind].walk.end = SYSPROF_END_NONE;
}

static __always_inline void take_user(struct sysprof_stack *stack)
{
	stack->flags |= SYSPROF_SAMPLE_USER_EXACT;
	if (sysprof_arch_user_is_32bit(stack->user_regs))
		stack->flags |= SYSPROF_SAMPLE_USER_32BIT;
	if (stack->request.addresses)
		take_part(stack, SYSPROF_KIND_ADDRESSES);
	if (stack->request.places)
		take_part(stack, SYSPROF_KIND_PLACES);
}

/* Some of the frames may be an interpreter's. */
static noinline void add_scripts(struct sysprof_stack *stack, struct sysprof_user_part *part)
{
	if (part->walk.steps == SYSPROF_STEPS_OFF) {
		part->flags |= SYSPROF_SAMPLE_SCRIPT_CUT;
		return;
	}
	stack->n_scripted++;
	sysprof_chain_splice(stack, part, part->walk.tables);
}

void sysprof_stack_by_tables(struct sysprof_stack *stack, const struct sysprof_tables *own,
			     bool scripts)
{
	struct sysprof_user_part *part = &stack->user[SYSPROF_KIND_TABLED];
	bool has_turn = scripts && stack->n_scripted < SCRIPTED_MAX;
	u64 objects;

	if (stack->is_tabled && part->walk.tables == own && part->has_scripts == scripts)
		return;
	stack->is_tabled = true;
	part->walk.by_tables = true;
	part->walk.is_guess = false;
	part->walk.tables = own;
	part->walk.sps = NULL;
	part->walk.by_frames = false;
	part->walk.mm = stack->mm;
	part->walk.steps = has_turn ? SYSPROF_STEPS_ASK : SYSPROF_STEPS_OFF;
	part->has_scripts = scripts;
	part->script = NULL;
	if (stack->user_regs && stack->request.max_user)
		take_part(stack, SYSPROF_KIND_TABLED);
	else
		leave_out_part(stack, SYSPROF_KIND_TABLED);
	part->flags = part->walk.is_guess ? SYSPROF_SAMPLE_NO_TABLE : 0;
	if (!part->has_scripts || !part->walk.n)
		return;
	/* Pairs with the release in chain_add_link(). */
	objects = smp_load_acquire(&sysprof_chain_objects);
	/* Else each frame of each stack would be looked at. */
	if (unlikely(objects & READ_ONCE(part->walk.ranges->objects)))
		add_scripts(stack, part);
}

bool sysprof_stack_copy_instead(struct sysprof_stack *stack, u32 bytes)
{
	if (!bytes || !stack->may_copy)
		return false;
	if (!stack->raw)
		stack->raw = sysprof_raw_take(stack->user_regs, bytes);
	return true;
}

static u64 space_id(struct sysprof_stack *stack, const struct mm_struct *mm)
{
	struct sysprof_stack_space *ways =
		stack->spaces[hash_ptr(mm, SYSPROF_STACK_SPACES_BITS)];

	if (likely(ways[0].mm == mm))
		return ways[0].id;
	if (likely(ways[1].mm == mm))
		return ways[1].id;
	ways[1] = ways[0];
	ways[0] = (struct sysprof_stack_space){ mm, sysprof_mm_id(mm) };
	return ways[0].id;
}

static void module_stack_begin(struct sysprof_stack *stack, const struct task_struct *task)
{
	stack->pid = task->tgid;
	stack->tid = task->pid;
	stack->mm = space_id(stack, task->flags & PF_KTHREAD ? NULL : task->mm);
	/* Between entry and exit of a guest; the host takes the interrupt that ended its run. */
	stack->flags = task->flags & PF_VCPU ? SYSPROF_SAMPLE_GUEST : 0;
	stack->n_kernel = 0;
	stack->kernel_end = SYSPROF_END_NONE;
	stack->is_tabled = false;
	stack->may_copy = false;
	stack->names_fuel = SYSPROF_CHAIN_FUEL;
	stack->n_scripted = 0;
}

/* Walks the user context @user of current; NULL: it has none. */
static __always_inline void take_user_part(struct sysprof_stack *stack, struct pt_regs *user)
{
	stack->user_regs = user;
	stack->raw = user && stack->request.raw_bytes ?
			     sysprof_raw_take(user, stack->request.raw_bytes) :
			     NULL;
	if (user && stack->request.max_user) {
		take_user(stack);
	} else {
		leave_out_part(stack, SYSPROF_KIND_ADDRESSES);
		leave_out_part(stack, SYSPROF_KIND_PLACES);
	}
}

void sysprof_stack_take_kernel(struct sysprof_stack *stack, struct task_struct *task)
{
	module_stack_begin(stack, task);
	stack->in_user = false;
	if (stack->request.max_kernel)
		stack->n_kernel =
			sysprof_arch_walk_kernel(task, NULL, &stack->origin, stack->kernel,
						 stack->request.max_kernel, &stack->kernel_end);
}
SYSPROF_EXPORT(sysprof_stack_take_kernel);

void sysprof_stack_leave_out_user(struct sysprof_stack *stack)
{
	take_user_part(stack, NULL);
}
SYSPROF_EXPORT(sysprof_stack_leave_out_user);

bool sysprof_stack_has_user(struct task_struct *task)
{
	return entry_regs(task);
}
SYSPROF_EXPORT(sysprof_stack_has_user);

void sysprof_stack_add_user(struct sysprof_stack *stack)
{
	take_user_part(stack, entry_regs(current));
}
SYSPROF_EXPORT(sysprof_stack_add_user);

void sysprof_stack_take(struct sysprof_stack *stack, struct pt_regs *regs)
{
	struct pt_regs *user;

	module_stack_begin(stack, current);
	stack->may_copy = regs;
	stack->in_user = regs && user_mode(regs);
	stack->context = stack->in_user ? SYSPROF_CONTEXT_TASK : sysprof_context_of_tick();
	user = stack->in_user ? regs : take_kernel(stack, regs);
	take_user_part(stack, user);
}
SYSPROF_EXPORT(sysprof_stack_take);
