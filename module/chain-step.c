// SPDX-License-Identifier: GPL-2.0-only
/*
 * Follows programs of steps while a stack is walked.  They and the memory that they read may be a
 * stranger's: each step leads outwards, to code, and all steps of a stack share its fuel.  Programs
 * of frames that need registers run here, too.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "arch.h"
#include "chain.h"
#include "ranges.h"

/* An address space may have any number of ranges; the object is mapped at most some times. */
#define RANGES_MAX 1024

static u32 step_object(const struct code_range *range)
{
	return (READ_ONCE(range->start) + READ_ONCE(range->base)) >> SYSPROF_FRAME_OBJECT_SHIFT;
}

/* The program for the object of @range; NULL: there is none. */
static const struct sysprof_program *step_program(const struct sysprof_walk *walk, u64 objects,
						  const struct code_range *range)
{
	const struct sysprof_program *program;
	u32 object = step_object(range);

	if (!(objects & sysprof_ranges_bit(object)) || !READ_ONCE(range->base))
		return NULL;
	program = sysprof_chain_of(walk->tables, object);
	return program && program->is_of_steps ? program : NULL;
}

/* Its range, of those of the address space; NULL: none has a program. */
static const struct code_range *step_range(const struct sysprof_walk *walk, u64 objects)
{
	struct sysprof_script *script = sysprof_chain_script();
	const struct ranges *ranges = walk->ranges;
	u32 n = min_t(u32, READ_ONCE(ranges->n), RANGES_MAX), i, at;

	if (!script)
		return NULL;
	for (i = 0, at = script->step_hint; i < n; i++, at++) {
		at = at < n ? at : 0;
		if (!step_program(walk, objects, &ranges->range[at]))
			continue;
		script->step_hint = at;
		return &ranges->range[at];
	}
	return NULL;
}

static void step_begin(struct sysprof_walk *walk)
{
	u64 objects = sysprof_chain_step_objects() & READ_ONCE(walk->ranges->objects), offset;
	const struct code_range *range = unlikely(objects) ? step_range(walk, objects) : NULL;
	const struct sysprof_program *program = range ? step_program(walk, objects, range) : NULL;
	struct sysprof_script *script;

	walk->steps = SYSPROF_STEPS_NONE;
	if (!program)
		return;
	walk->steps = SYSPROF_STEPS_RUN;
	script = sysprof_chain_script();
	offset = (READ_ONCE(range->start) + READ_ONCE(range->base)) & SYSPROF_FRAME_OFFSET_MASK;
	script->program = program;
	script->object = step_object(range);
	script->mm = walk->mm;
	script->bias = READ_ONCE(range->start) - offset - program->address_minus_offset;
	script->thread = sysprof_arch_thread_pointer();
	sysprof_script_begin(script);
	script->is_cut = false;
	script->fuel = SYSPROF_CHAIN_FUEL;
	memset(script->registers, 0, sizeof(script->registers));
}

u8 sysprof_chain_step(struct sysprof_walk *walk, struct sysprof_caller *step)
{
	if (walk->steps == SYSPROF_STEPS_ASK)
		step_begin(walk);
	if (walk->steps != SYSPROF_STEPS_RUN)
		return SYSPROF_END_NO_INFO;
	return sysprof_chain_run_step(sysprof_chain_script(), walk->n - 1, step);
}

void sysprof_chain_frame(struct sysprof_walk *walk, u64 place, const u64 *registers, u64 known)
{
	struct sysprof_script *script = sysprof_chain_script();
	struct sysprof_inner_frame *inner = &script->inner;
	u64 sp = registers[SYSPROF_ARCH_SP];

	/* A walk may be made once more. */
	if (walk->n == 1) {
		sysprof_script_begin(script);
		script->is_cut = false;
		script->fuel = SYSPROF_CHAIN_FUEL;
		inner->is_there = false;
	}
	if (inner->is_there)
		sysprof_chain_run_frame(script, sp);
	inner->is_there = sysprof_chain_is_of_frames(script, place);
	if (!inner->is_there)
		return;
	inner->native = walk->n - 1;
	inner->sp = sp;
	inner->known = known;
	memcpy(inner->registers, registers, sizeof(inner->registers));
}
