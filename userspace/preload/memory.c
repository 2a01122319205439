/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libspt-memory.so: a program's calls of malloc() and the like, each one, or some in proportion to
 * their bytes, with their stacks.  A free is recorded before it is done, an allocation afterwards:
 * by time, whose memory an address is never is in doubt.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "picked.h"
#include "real.h"
#include "rules.h"
#include "system.h"
#include "thread.h"

#define EXPORT __attribute__((visibility("default")))
#define MOST_DEPTH 2

/* The caller of the function that says this, which has a frame pointer. */
#define CALLER()                                                             \
	({                                                                   \
		const uint64_t *fp_ = __builtin_frame_address(0);            \
		(struct spt_place){ fp_[1], (uint64_t)(fp_ + 2), fp_[0] };   \
	})

static inline const struct spt_real *real(void)
{
	if (__builtin_expect(!__atomic_load_n(&spt_real.malloc, __ATOMIC_ACQUIRE), 0))
		spt_real_find();
	return &spt_real;
}

/* A call that was left by longjmp() from a signal handler: what it had not recorded is skipped. */
static void abandon(struct spt_thread *thread)
{
	for (uint32_t at = thread->slot->head; at != thread->reserved; at++)
		spt_ring_put(thread, at, SPT_RING_NOTHING);
	thread->slot->dropped++;
	thread->n_nodes = SPT_NODE_MOST;
	thread->depth = 0;
}

static bool is_on_other_stack(void)
{
	stack_t stack = { .ss_flags = 0 };

	spt_call(SYS_sigaltstack, 0, &stack, 0, 0);
	return stack.ss_flags & SS_ONSTACK;
}

/* False: the call is not recorded. */
static inline bool enter(struct spt_thread *thread, uint64_t sp)
{
	if (__builtin_expect(thread->depth, 0)) {
		if (sp > thread->busy_sp && !is_on_other_stack())
			abandon(thread);
		if (thread->depth == MOST_DEPTH) {
			thread->slot->dropped++;
			return false;
		}
	}
	if (!thread->depth)
		thread->busy_sp = sp;
	thread->depth++;
	__asm__ volatile("" ::: "memory");
	return true;
}

/* The outermost call commits what it has written, and what signal handlers wrote in between. */
static inline void leave(struct spt_thread *thread)
{
	uint32_t reserved;

	__asm__ volatile("" ::: "memory");
	if (thread->depth > 1) {
		thread->depth--;
		return;
	}
	do {
		thread->depth = 1;
		reserved = *(volatile uint32_t *)&thread->reserved;
		/* Pairs with the acquire of the head in spt_ring_reader_begin(). */
		__atomic_store_n(&thread->slot->head, reserved, __ATOMIC_RELEASE);
		*(volatile uint32_t *)&thread->depth = 0;
	} while (__builtin_expect(*(volatile uint32_t *)&thread->reserved != reserved, 0));
}

/* The event of @n words, of which the first one is filled but for the time; where it is. */
static inline uint32_t put_event(struct spt_thread *thread, uint64_t first, unsigned n)
{
	for (;;) {
		uint64_t stamp = spt_stamp(), passed = stamp - thread->last_stamp;
		uint32_t n_events = ++*(volatile uint32_t *)&thread->n_events, at;
		bool needs_time = passed > SPT_RING_MORE_MASK || thread->depth > 1;

		thread->last_stamp = stamp;
		at = spt_ring_take(thread, n + needs_time);
		if (needs_time) {
			spt_ring_put(thread, at++, SPT_RING_TIME | stamp << SPT_RING_MORE_SHIFT);
			passed = 0;
		} else if (*(volatile uint32_t *)&thread->n_events != n_events) {
			/* A handler's event came in between, from which the time counts now. */
			for (unsigned i = 0; i < n; i++)
				spt_ring_put(thread, at + i, SPT_RING_NOTHING);
			continue;
		}
		spt_ring_put(thread, at, first | passed << SPT_RING_MORE_SHIFT);
		return at;
	}
}

static inline uint64_t word_of(unsigned type, const void *pointer)
{
	return type | (uint64_t)pointer << SPT_RING_POINTER_SHIFT;
}

static inline uint32_t stack_of(struct spt_thread *thread, const struct spt_place *caller)
{
	return thread->depth == 1 ? spt_walk(thread, caller) : spt_walk_nested(thread, caller);
}

/* With the stack that frees. */
static __attribute__((noinline)) void put_free_stack(struct spt_thread *thread, const void *pointer,
						     struct spt_place caller, bool is_realloc)
{
	uint32_t node = stack_of(thread, &caller), at;

	at = put_event(thread,
		       word_of(is_realloc ? SPT_RING_REALLOC_FREE_STACK : SPT_RING_FREE_STACK,
			       pointer),
		       2);
	spt_ring_put(thread, at + 1, (uint64_t)node << 32);
}

static inline void tell_free(struct spt_thread *thread, const void *pointer,
			     struct spt_place caller, bool is_realloc)
{
	if (!enter(thread, caller.sp))
		return;
	if (__builtin_expect(spt_link.rings->has_free_stacks, 0))
		put_free_stack(thread, pointer, caller, is_realloc);
	else
		put_event(thread,
			  word_of(is_realloc ? SPT_RING_REALLOC_FREE : SPT_RING_FREE, pointer), 1);
	leave(thread);
}

/* The block that a realloc() was to free is there still. */
static void tell_undo(struct spt_thread *thread, const void *pointer, uint64_t sp)
{
	if (!enter(thread, sp))
		return;
	put_event(thread, word_of(SPT_RING_REALLOC_FAILED, pointer), 1);
	leave(thread);
}

static __always_inline void tell_allocation(struct spt_thread *thread, const void *pointer,
					    size_t bytes, struct spt_place caller, bool is_realloc)
{
	uint32_t node, at;

	if (!enter(thread, caller.sp))
		return;
	node = stack_of(thread, &caller);
	spt_check_stack(thread, caller);
	if (__builtin_expect(bytes <= UINT32_MAX && !is_realloc, 1)) {
		at = put_event(thread, word_of(SPT_RING_ALLOC, pointer), 2);
		spt_ring_put(thread, at + 1, bytes | (uint64_t)node << 32);
	} else {
		at = put_event(thread,
			       word_of(is_realloc ? SPT_RING_REALLOC_ALLOC : SPT_RING_BIG, pointer),
			       3);
		spt_ring_put(thread, at + 1, bytes);
		spt_ring_put(thread, at + 2, node);
	}
	leave(thread);
}

static inline bool is_over(void)
{
	return __builtin_expect(__atomic_load_n(&spt_link.rings->is_over, __ATOMIC_RELAXED), 0);
}

/* Where only some are recorded: whether this one is not. */
static inline bool is_passed(struct spt_thread *thread, size_t bytes)
{
	if (__builtin_expect(!thread, 0))
		return true;
	spt_check_allocation(bytes);
	if (!thread->mean_bytes)
		return false;
	thread->left -= (int64_t)bytes;
	return thread->left > 0;
}

static inline void allocated(struct spt_thread *thread, const void *pointer, size_t bytes,
			     struct spt_place caller)
{
	if (__builtin_expect(!pointer, 0))
		return;
	if (is_over())
		return;
	if (thread->mean_bytes)
		spt_picked_add(thread, pointer);
	tell_allocation(thread, pointer, bytes, caller, false);
}

EXPORT void *malloc(size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	void *pointer;

	if (is_passed(thread, bytes))
		return real()->malloc(bytes);
	pointer = real()->malloc(bytes);
	allocated(thread, pointer, bytes, CALLER());
	return pointer;
}

EXPORT void *calloc(size_t n, size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	void *pointer;

	if (is_passed(thread, n * bytes))
		return real()->calloc(n, bytes);
	pointer = real()->calloc(n, bytes);
	allocated(thread, pointer, n * bytes, CALLER());
	return pointer;
}

EXPORT void free(void *pointer)
{
	struct spt_thread *thread = spt_thread_get();

	if (thread && pointer) {
		spt_check_free();
		if (!is_over() && (!thread->mean_bytes || spt_picked_remove(pointer)))
			tell_free(thread, pointer, CALLER(), false);
	}
	real()->free(pointer);
}

/* A free and an allocation, also of the block that stays where it is. */
static void *change(struct spt_thread *thread, void *old, size_t bytes, struct spt_place caller)
{
	bool is_told = !is_over() && (!thread->mean_bytes || spt_picked_remove(old));
	void *pointer;

	spt_check_free();
	if (is_told)
		tell_free(thread, old, caller, true);
	pointer = real()->realloc(old, bytes);
	if (!pointer && bytes) {
		spt_check_undo();
		if (is_told)
			tell_undo(thread, old, caller.sp);
		if (is_told && thread->mean_bytes)
			spt_picked_add(thread, old);
		return NULL;
	}
	if (!pointer)
		return NULL;
	if (is_over() || is_passed(thread, bytes))
		return pointer;
	if (thread->mean_bytes)
		spt_picked_add(thread, pointer);
	tell_allocation(thread, pointer, bytes, caller, true);
	return pointer;
}

EXPORT void *realloc(void *old, size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	void *pointer;

	if (thread && old)
		return change(thread, old, bytes, CALLER());
	pointer = real()->realloc(old, bytes);
	if (!old && !is_passed(thread, bytes))
		allocated(thread, pointer, bytes, CALLER());
	return pointer;
}

EXPORT void *reallocarray(void *old, size_t n, size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	void *pointer;
	size_t all;

	if (__builtin_mul_overflow(n, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	if (thread && old)
		return change(thread, old, all, CALLER());
	pointer = real()->realloc(old, all);
	if (!old && !is_passed(thread, all))
		allocated(thread, pointer, all, CALLER());
	return pointer;
}

EXPORT int posix_memalign(void **ret, size_t alignment, size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	int error = real()->posix_memalign(ret, alignment, bytes);

	if (!error && !is_passed(thread, bytes))
		allocated(thread, *ret, bytes, CALLER());
	return error;
}

#define ALIGNED(name)                                                        \
	EXPORT void *name(size_t alignment, size_t bytes)                    \
	{                                                                    \
		struct spt_thread *thread = spt_thread_get();                \
		void *pointer = real()->name(alignment, bytes);              \
                                                                             \
		if (!is_passed(thread, bytes))                               \
			allocated(thread, pointer, bytes, CALLER());         \
		return pointer;                                              \
	}
#define PAGES(name)                                                          \
	EXPORT void *name(size_t bytes)                                      \
	{                                                                    \
		struct spt_thread *thread = spt_thread_get();                \
		void *pointer = real()->name(bytes);                         \
                                                                             \
		if (!is_passed(thread, bytes))                               \
			allocated(thread, pointer, bytes, CALLER());         \
		return pointer;                                              \
	}

void *memalign(size_t alignment, size_t bytes);
void *pvalloc(size_t bytes);

ALIGNED(aligned_alloc)
ALIGNED(memalign)
PAGES(valloc)
PAGES(pvalloc)

int dlclose(void *handle);

/* Other code may be at the same addresses next. */
EXPORT int dlclose(void *handle)
{
	int ret;

	if (!real()->dlclose)
		spt_real_find();
	ret = real()->dlclose(handle);
	spt_rules_forget();
	return ret;
}
