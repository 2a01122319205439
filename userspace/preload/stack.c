/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack.h"

#include <fcntl.h>

#include "code.h"
#include "sandbox.h"
#include "system.h"

/* The kernel leaves that much below the end of the first thread's stack free of mappings. */
#define MAIN_BYTES (128ULL << 20)

struct bounds {
	uint64_t begin, end;
};

static bool digit_of(char c, uint64_t *ret)
{
	if (c >= '0' && c <= '9')
		*ret = (uint64_t)(c - '0');
	else if (c >= 'a' && c <= 'f')
		*ret = (uint64_t)(c - 'a') + 10;
	else
		return false;
	return true;
}

/* The mapping around @address in the contents of @fd.  Its lines begin with "begin-end ". */
static bool find_mapping(int fd, uint64_t address, struct bounds *ret)
{
	uint64_t bounds[2] = { 0, 0 }, digit;
	unsigned n = 0;
	char buffer[1024];
	long got;

	while ((got = spt_call(SYS_read, fd, buffer, sizeof(buffer), 0)) > 0) {
		for (long i = 0; i < got; i++) {
			if (buffer[i] == '\n')
				bounds[0] = bounds[1] = n = 0;
			else if (n < 2 && digit_of(buffer[i], &digit))
				bounds[n] = bounds[n] << 4 | digit;
			else if (n < 2 && ++n == 2 && address >= bounds[0] && address < bounds[1]) {
				*ret = (struct bounds){ bounds[0], bounds[1] };
				return true;
			}
		}
	}
	return false;
}

/* Empty if they are not known. */
static struct bounds find_bounds(uint64_t sp)
{
	uint64_t end = spt_main_stack_end, self = (uint64_t)__builtin_thread_pointer();
	struct bounds bounds = { 0, 0 };
	long fd;

	if (end && end - sp < MAIN_BYTES)
		return (struct bounds){ end - MAIN_BYTES, end };
	if (!spt_may_call(SPT_MAY_LOOK))
		return bounds;
	fd = spt_call(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return bounds;
	find_mapping((int)fd, sp, &bounds);
	spt_call(SYS_close, fd, 0, 0, 0);
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
