/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack.h"

#include <errno.h>
#include <sys/uio.h>

#include "code.h"
#include "sandbox.h"
#include "system.h"

/* The kernel leaves that much below the end of the first thread's stack free of mappings. */
#define MAIN_BYTES (128ULL << 20)
/* A call is no further from what was seen before of its thread's own stack. */
#define OWN_BYTES (1ULL << 20)
#define PAGE	  4096ULL
/* Pages that the kernel is asked for at once. */
#define PAGES_AT_ONCE 8u

struct bounds {
	uint64_t begin, end;
};

static bool stack_is_main(uint64_t sp)
{
	return spt_main_stack_end && spt_main_stack_end - sp < MAIN_BYTES;
}

/* Empty if they are not known. */
static struct bounds find_bounds(uint64_t sp)
{
	uint64_t end = spt_main_stack_end, self = (uint64_t)__builtin_thread_pointer();
	struct bounds bounds = { 0, 0 };

	if (stack_is_main(sp))
		return (struct bounds){ end - MAIN_BYTES, end };
	if (!spt_code_mapping(sp, &bounds.begin, &bounds.end))
		return bounds;
	/* The C library's description of another thread is at the end of its stack. */
	if (self > sp && self < bounds.end)
		bounds.end = self;
	return bounds;
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

/* What the system call returned. */
static long stack_read(const struct iovec *ours, const struct iovec *theirs, unsigned n)
{
	return spt_call6(SYS_process_vm_readv, spt_call(SYS_getpid, 0, 0, 0, 0), (long)ours, 1,
			 (long)theirs, n, 0);
}

bool spt_read_safely(uint64_t address, void *to, size_t bytes)
{
	struct iovec ours = { to, bytes }, theirs = { (void *)address, bytes };

	return spt_may_call(SPT_MAY_LOOK) && stack_read(&ours, &theirs, 1) == (long)bytes;
}

/* Whether all pages are there, and true where nobody may be asked. */
static bool stack_is_whole(uint64_t begin, uint64_t end)
{
	struct iovec pages[PAGES_AT_ONCE];
	char bytes[PAGES_AT_ONCE];

	if (!spt_may_call(SPT_MAY_LOOK))
		return true;
	for (uint64_t page = begin & -PAGE; page < end;) {
		struct iovec ours = { bytes, 0 };
		long got;

		for (; page < end && ours.iov_len < PAGES_AT_ONCE; page += PAGE)
			pages[ours.iov_len++] = (struct iovec){ (void *)page, 1 };
		got = stack_read(&ours, pages, (unsigned)ours.iov_len);
		if (got < 0 && got != -EFAULT)
			return true;
		if (got != (long)ours.iov_len)
			return false;
	}
	return true;
}

/*
 * Whether @sp is on the thread's own stack, at whose end is the C library's description of the
 * thread.
 */
static bool stack_is_own(struct spt_thread *thread, uint64_t sp)
{
	uint64_t self = (uint64_t)__builtin_thread_pointer(),
		 begin = thread->own_begin ? thread->own_begin : self;

	if (sp >= self)
		return false;
	if (sp >= begin)
		return true;
	if (begin - sp > OWN_BYTES || sp / PAGE == thread->not_own)
		return false;
	if (stack_is_whole(sp, begin))
		thread->own_begin = sp & -PAGE;
	else
		thread->not_own = sp / PAGE;
	return thread->own_begin && sp >= thread->own_begin;
}

bool spt_stack_is_same(struct spt_thread *thread, uint64_t sp, uint64_t other)
{
	return (stack_is_main(sp) && stack_is_main(other)) ||
	       (stack_is_own(thread, sp - 8) && stack_is_own(thread, other - 8));
}

bool spt_stack_has(struct spt_thread *thread, uint64_t sp, uint64_t address)
{
	uint64_t word;

	if (address >= sp - 8 && address % 8 == 0) {
		if (stack_is_main(sp) && address < spt_main_stack_end)
			return true;
		if (stack_is_own(thread, sp - 8) &&
		    address < (uint64_t)__builtin_thread_pointer())
			return true;
	}
	thread->has_left = true;
	return spt_read_safely(address, &word, sizeof(word));
}
