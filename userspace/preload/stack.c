/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack.h"

#include "code.h"

/* The kernel leaves that much below the end of the first thread's stack free of mappings. */
#define MAIN_BYTES (128ULL << 20)

struct bounds {
	uint64_t begin, end;
};

/* Empty if they are not known. */
static struct bounds find_bounds(uint64_t sp)
{
	uint64_t end = spt_main_stack_end, self = (uint64_t)__builtin_thread_pointer();
	struct bounds bounds = { 0, 0 };

	if (end && end - sp < MAIN_BYTES)
		return (struct bounds){ end - MAIN_BYTES, end };
	if (!spt_code_mapping(sp, &bounds.begin, &bounds.end))
		return bounds;
	/* The C library's description of another thread is at the end of its stack. */
	if (self > sp && self < bounds.end)
		bounds.end = self;
	return bounds;
}

bool spt_stack_is_known(const struct spt_thread *thread, uint64_t sp)
{
	return (spt_main_stack_end && spt_main_stack_end - sp < MAIN_BYTES) ||
	       (sp >= thread->stack_begin && sp < thread->stack_end);
}

uint64_t spt_stack_end(struct spt_thread *thread, uint64_t sp)
{
	struct bounds bounds = { thread->stack_begin, thread->stack_end };

	if (sp >= bounds.begin && sp < bounds.end)
		return bounds.end;
	bounds = find_bounds(sp);
	/* A signal handler's stack is not the one of the walk that it has interrupted. */
	if (thread->state != SPT_NESTED) {
		thread->stack_begin = bounds.begin;
		thread->stack_end = bounds.end;
	}
	return bounds.end;
}
