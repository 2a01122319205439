/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page faults, as perf counts them: minor and major ones, each once, where the kernel has served
 * it.  x86's trace points say when a fault began, and what it was; without them a fault takes no
 * time.  Faults of interrupts are not served: walks of user stacks make some.
 */
#include "trace/perf/kernel-hooks.h"

/* Bits of x86's error code. */
#define WAS_THERE (1 << 0)
#define IS_WRITE  (1 << 1)
#define IS_EXEC	  (1 << 4)

enum { CODE };

static void fault_began(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	SptPair *pair;

	if (spt_hit_context(hit) != SYSPROF_CONTEXT_TASK)
		return;
	pair = spt_pairs_add(state->faults, hit->who.tid, 0, hit->who.time);
	if (pair)
		pair->value = spt_hit_number(hit, CODE);
}

static uint16_t fault_flags(uint64_t code)
{
	return (code & IS_WRITE ? SYSPROF_FAULT_WRITE : 0) |
	       (code & IS_EXEC ? SYSPROF_FAULT_EXEC : 0) |
	       (code & IS_WRITE && code & WAS_THERE ? SYSPROF_FAULT_COPY : 0);
}

static void fault_served(SptKernelState *state, const struct spt_kernel_hit *hit)
{
	unsigned mode = hit->sample->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	SptPair pair;
	struct sysprof_part_fault part = {
		.part = { SYSPROF_PART_FAULT, sizeof(part) / 8,
			  (uint16_t)(hit->hook->number |
				     (mode == PERF_RECORD_MISC_KERNEL ? SYSPROF_FAULT_KERNEL : 0)),
			  0 },
	};
	struct spt_kernel_event event = {
		.kind = SYSPROF_SOURCE_FAULT,
		.phase = SYSPROF_PHASE_INSTANT,
		.context = SYSPROF_CONTEXT_TASK,
		.value = 1,
		.weight = hit->weight,
		.part = &part.part,
		.has_stack = true,
	};

	if (spt_pairs_take(state->faults, hit->who.tid, 0, &pair)) {
		event.begin = pair.since;
		event.phase = SYSPROF_PHASE_SPAN;
		part.part.a |= fault_flags(pair.value);
	}
	spt_kernel_tell(state, hit, &event);
}

const struct spt_kernel_hook spt_hooks_faults[] = {
	{
		.name = "major-faults",
		.kind = SYSPROF_SOURCE_FAULT,
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK | SPT_HOOK_THINS,
		.take = fault_served,
		.number = SYSPROF_FAULT_MAJOR,
	},
	{
		.name = "minor-faults",
		.kind = SYSPROF_SOURCE_FAULT,
		.flags = SPT_HOOK_COUNTS | SPT_HOOK_STACK | SPT_HOOK_THINS,
		.take = fault_served,
	},
	{
		.name = "exceptions:page_fault_user",
		.kind = SYSPROF_SOURCE_FAULT,
		.flags = SPT_HOOK_OPTIONAL,
		.take = fault_began,
		.fields = { [CODE] = "error_code" },
	},
	{
		.name = "exceptions:page_fault_kernel",
		.kind = SYSPROF_SOURCE_FAULT,
		.flags = SPT_HOOK_OPTIONAL,
		.take = fault_began,
		.fields = { [CODE] = "error_code" },
	},
	{ 0 },
};
