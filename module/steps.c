// SPDX-License-Identifier: GPL-2.0-only
/*
 * Remembers, for each place in the kernel's code, where the unwinder found the caller.
 *
 * The tables of ORC say of each place how its caller is found.  Nearly everywhere that is at a
 * fixed distance from the stack pointer, or from where the frame pointer points, so that the step
 * is the same each time.  A step also says where the caller's frame pointer was saved.  (A function
 * that realigns its stack has it in another register for its first instructions: those are left to
 * the unwinder.)
 *
 * The image's code stays; modules, BPF programs and ftrace's trampolines come and go.  What depends
 * on them is dropped when a module comes or goes, and also after a while, because the others are
 * not reported.
 */
#include <linux/cache.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>

#include "steps.h"
#include "sysprof.h"

u64 sysprof_steps[1 << SYSPROF_STEP_SETS_BITS][SYSPROF_STEP_WAYS] ____cacheline_aligned;
atomic_t sysprof_steps_generation = ATOMIC_INIT(0);

bool sysprof_steps_is_image(u64 frame)
{
	return frame >> SYSPROF_FRAME_OBJECT_SHIFT == SYSPROF_OBJECT_KERNEL;
}

/* The older one of a set goes. */
void sysprof_step_learn(unsigned long ip, bool is_exact, u64 frame, enum sysprof_step kind,
			unsigned long words, u32 saved)
{
	u32 key = sysprof_step_key(ip, is_exact);
	u64 *set = sysprof_steps[hash_32(key, SYSPROF_STEP_SETS_BITS)];
	u64 first = READ_ONCE(set[0]);

	/* Code that has no frame may be anywhere. */
	if (!frame || words > SYSPROF_STEP_WORDS_MAX)
		return;
	if ((u32)first != key)
		WRITE_ONCE(set[1], first);
	WRITE_ONCE(set[0], (u64)kind << SYSPROF_STEP_KIND_SHIFT |
				   (u64)saved << SYSPROF_STEP_SAVED_SHIFT |
				   (u64)words << SYSPROF_STEP_WORDS_SHIFT |
				   (u64)sysprof_step_stamp(sysprof_steps_is_image(frame))
					   << SYSPROF_STEP_STAMP_SHIFT |
				   key);
}

void sysprof_steps_forget(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sysprof_steps); i++) {
		WRITE_ONCE(sysprof_steps[i][0], 0);
		WRITE_ONCE(sysprof_steps[i][1], 0);
	}
}

/* New code may be at the address of old code. */
static int module_event(struct notifier_block *block, unsigned long event, void *unused)
{
	atomic_inc(&sysprof_steps_generation);
	return NOTIFY_DONE;
}

static struct notifier_block module_notifier = { .notifier_call = module_event };

int sysprof_steps_init(void)
{
	return register_module_notifier(&module_notifier);
}

void sysprof_steps_exit(void)
{
	unregister_module_notifier(&module_notifier);
}
