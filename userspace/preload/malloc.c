/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libspt-memory.so: a program's calls of malloc() and the like, each one, or some in proportion to
 * their bytes, with their stacks.  A free is recorded before it is done, an allocation afterwards:
 * so at each time an address belongs to at most one block.  mmap() and the like are recorded on
 * request, as programs and libraries call them: calls inside the C library are not seen.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "check.h"
#include "event.h"
#include "picked.h"
#include "real.h"
#include "script.h"
#include "system.h"
#include "thread.h"
#include "unusual.h"

#define EXPORT __attribute__((visibility("default")))
/* What programs call jumps to these, so that both have the same caller.  At -O0 nothing jumps. */
#ifdef __OPTIMIZE__
#define JUMPED_TO __attribute__((noinline))
#else
#define JUMPED_TO __always_inline
#endif
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

/* The functions that these replace. */
static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*aligned_alloc)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, void *);
} functions;

#define FUNCTION(name) { #name, (void **)&functions.name }

const struct spt_real_function spt_real_functions[] = {
	FUNCTION(calloc),   FUNCTION(realloc),	      FUNCTION(free),	  FUNCTION(aligned_alloc),
	FUNCTION(memalign), FUNCTION(posix_memalign), FUNCTION(valloc),	  FUNCTION(pvalloc),
	FUNCTION(mmap),	    FUNCTION(munmap),	      FUNCTION(mremap),
	FUNCTION(malloc),   { NULL, NULL },
};

/* Where a thread has a ring, they have been found. */
static inline typeof(functions) *real(void)
{
	spt_connect();
	return &functions;
}

/* The realloc() that the program calls, where it has one of its own. */
static void *(*realloc_of_program)(void *, size_t);

/* Announces to the recorder programs and libraries whose calls never come here. */
void spt_program_begun(void)
{
	const char *library = spt_real_library_of("_Znwm", "malloc");

	if (spt_real_is_in_program("malloc")) {
		realloc_of_program = spt_real_find_global("realloc");
		/* With a ring the recorder knows that the library is there. */
		spt_thread_begin();
		spt_program_note(SPT_NOTE_OWN_ALLOCATOR, "");
		spt_link_leave();
	} else if (library && spt_real_find_global("__gxx_personality_v0")) {
		spt_program_note(SPT_NOTE_OWN_NEW, library);
	}
}

const enum spt_rings_library spt_library = SPT_RINGS_MEMORY;

void spt_thread_begun(struct spt_thread *thread)
{
	const struct spt_rings_header *rings = spt_link.rings;

	thread->mean_bytes = rings->mean_bytes;
	thread->random = thread->slot->begin * 0x9e3779b97f4a7c15ULL ^ thread->slot->tid;
	thread->left = thread->mean_bytes ? spt_picked_draw(thread) : 0;
	thread->is_resting = false;
	if (rings->mean_bytes)
		thread->idle_state = SPT_IDLE_PICKED;
	else if (!rings->has_free_stacks)
		thread->idle_state = SPT_IDLE;
}

/* Whether a call is recorded without further questions. */
static inline bool is_plain(const struct spt_thread *thread)
{
	return __builtin_expect(thread && thread->state == SPT_IDLE, 1);
}

/*
 * Whether only some calls are recorded.  The others are passed on in a few instructions; for
 * anything else, the function that the program has called jumps to another one.
 */
static inline bool is_picking(const struct spt_thread *thread)
{
	return thread && (thread->state == SPT_IDLE_PICKED ||
			  thread->state == SPT_IDLE_PICKED_FOREIGN);
}

/* Whether a thread without a ring needs none: nothing is recorded. */
static inline bool is_unrecorded(const struct spt_thread *thread)
{
	return !(thread && thread->state) && spt_is_over();
}

/* Whether an allocation is not picked.  It counts either here or in is_passed(). */
static inline bool is_not_picked(size_t bytes)
{
	struct spt_thread *thread = spt_self;

	if (!is_picking(thread) || bytes >= (uint64_t)thread->left)
		return is_unrecorded(thread);
	spt_check_allocation(bytes);
	thread->left -= (int64_t)bytes;
	return true;
}

/* Frees. */

static __always_inline void tell_free(struct spt_thread *thread, const void *pointer,
				      struct spt_place caller, unsigned type)
{
	uint32_t at;

	if (!spt_event_begin(thread, caller.sp))
		return;
	at = spt_event_put(thread, spt_event_word(type, pointer), 1);
	spt_event_end(thread, at + 1);
}

/* With the stack that frees. */
static __attribute__((noinline)) void tell_free_stack(struct spt_thread *thread,
						      const void *pointer, struct spt_place caller,
						      unsigned type)
{
	uint32_t node, at;

	if (!spt_event_begin(thread, caller.sp))
		return;
	node = spt_event_stack(thread, &caller);
	at = spt_event_put(thread, spt_event_word(type, pointer), 2);
	spt_ring_put(thread, at + 1, (uint64_t)node << 32);
	spt_event_end(thread, at + 2);
}

/* Whether that of @pointer is recorded. */
static inline bool is_free_reported(const struct spt_thread *thread, const void *pointer)
{
	return !spt_is_over() && (!thread->mean_bytes || spt_picked_remove(pointer));
}

static __attribute__((noinline)) void free_otherwise(const void *pointer, struct spt_place caller)
{
	struct spt_thread *thread = spt_thread_get();

	if (!thread)
		return;
	spt_check_free();
	if (!is_free_reported(thread, pointer))
		return;
	if (spt_link.rings->has_free_stacks)
		tell_free_stack(thread, pointer, caller, SPT_RING_FREE_STACK);
	else
		tell_free(thread, pointer, caller, SPT_RING_FREE);
}

/* The last step of a free. */
static __always_inline void free_now(void *pointer)
{
	/* Elsewhere it is a jump. */
	if (spt_script_is_mapping(pointer)) {
		spt_script_unmapped();
		functions.free(pointer);
		spt_script_unmapped();
		return;
	}
	functions.free(pointer);
}

static JUMPED_TO void look_at_free(void *pointer)
{
	struct spt_thread *thread = spt_self;

	if (__builtin_expect(!pointer, 0))
		return;
	if (is_plain(thread)) {
		spt_check_free();
		tell_free(thread, pointer, SPT_CALLER(), SPT_RING_FREE);
	} else {
		free_otherwise(pointer, SPT_CALLER());
	}
	spt_connect();
	free_now(pointer);
}

EXPORT void free(void *pointer)
{
	if (is_unrecorded(spt_self)) {
		functions.free(pointer);
		return;
	}
	if (pointer && is_picking(spt_self) && !spt_picked_may_have(pointer)) {
		spt_check_free();
		free_now(pointer);
		return;
	}
	look_at_free(pointer);
}

/* Allocations. */

static __always_inline void tell_allocation(struct spt_thread *thread, const void *pointer,
					    size_t bytes, struct spt_place caller)
{
	uint32_t node, at, n;

	if (!spt_event_begin(thread, caller.sp))
		return;
	node = spt_event_stack(thread, &caller);
	spt_check_stack(thread, caller, node);
	if (__builtin_expect(bytes <= UINT32_MAX, 1)) {
		n = 2;
		at = spt_event_put(thread, spt_event_word(SPT_RING_ALLOC, pointer), 2);
		spt_ring_put(thread, at + 1, bytes | (uint64_t)node << 32);
	} else {
		n = 3;
		at = spt_event_put(thread, spt_event_word(SPT_RING_BIG, pointer), 3);
		spt_ring_put(thread, at + 1, bytes);
		spt_ring_put(thread, at + 2, node);
	}
	spt_event_end(thread, at + n);
}

/* Bytes after which a thread of a program that waits looks for a recorder. */
#define REST_BYTES 16384

/*
 * Whether what was drawn for the thread does not count: nothing is recorded, or that was for a time
 * before, or for another distance.  Then the thread begins anew from here.
 */
static bool is_resting(struct spt_thread *thread)
{
	uint64_t mean_bytes = spt_link.rings->mean_bytes;

	if (spt_is_over()) {
		thread->is_resting = true;
		thread->left = REST_BYTES;
		return true;
	}
	if (!thread->is_resting && thread->mean_bytes == mean_bytes)
		return false;
	thread->is_resting = false;
	thread->mean_bytes = mean_bytes;
	thread->left = mean_bytes ? spt_picked_draw(thread) : 0;
	return true;
}

/* Whether this one is skipped, where only some are recorded. */
static inline bool is_passed(struct spt_thread *thread, size_t bytes)
{
	if (__builtin_expect(!thread, 0))
		return true;
	spt_check_allocation(bytes);
	if (!thread->mean_bytes)
		return false;
	/* A program may ask for any number of bytes, and get none. */
	thread->left -= (int64_t)(bytes < (uint64_t)thread->left ? bytes : (uint64_t)thread->left);
	return thread->left || is_resting(thread);
}

/* An allocation that is not passed. */
static __attribute__((noinline)) void allocated(const void *pointer, size_t bytes,
						struct spt_place caller)
{
	struct spt_thread *thread = spt_thread_get();

	if (!thread || spt_is_over())
		return;
	if (!pointer) {
		/* Otherwise the next one would be picked in its place. */
		thread->left = thread->mean_bytes ? spt_picked_draw(thread) : 0;
		return;
	}
	if (thread->mean_bytes)
		spt_picked_add(thread, pointer);
	tell_allocation(thread, pointer, bytes, caller);
}

static JUMPED_TO void *look_at_malloc(size_t bytes)
{
	struct spt_thread *thread = spt_self;
	bool is_quick = is_plain(thread);
	void *pointer;

	if (is_quick)
		spt_check_allocation(bytes);
	else if (is_passed(spt_thread_get(), bytes))
		return real()->malloc(bytes);
	pointer = functions.malloc(bytes);
	if (__builtin_expect(is_quick && pointer, 1))
		tell_allocation(thread, pointer, bytes, SPT_CALLER());
	else
		allocated(pointer, bytes, SPT_CALLER());
	return pointer;
}

EXPORT void *malloc(size_t bytes)
{
	return is_not_picked(bytes) ? functions.malloc(bytes) : look_at_malloc(bytes);
}

static JUMPED_TO void *look_at_calloc(size_t n, size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	void *pointer;

	if (is_passed(thread, n * bytes))
		return real()->calloc(n, bytes);
	pointer = real()->calloc(n, bytes);
	allocated(pointer, n * bytes, SPT_CALLER());
	return pointer;
}

EXPORT void *calloc(size_t n, size_t bytes)
{
	return is_not_picked(n * bytes) ? functions.calloc(n, bytes) : look_at_calloc(n, bytes);
}

/* Reallocations: a free and an allocation, even if the block does not move. */

/* The block that was to be freed still exists. */
static void tell_undo(struct spt_thread *thread, const void *pointer, uint64_t sp)
{
	uint32_t at;

	if (!spt_event_begin(thread, sp))
		return;
	at = spt_event_put(thread, spt_event_word(SPT_RING_REALLOC_FAILED, pointer), 1);
	spt_event_end(thread, at + 1);
}

static void tell_change(struct spt_thread *thread, const void *pointer, size_t bytes,
			struct spt_place caller)
{
	uint32_t node, at;

	if (!spt_event_begin(thread, caller.sp))
		return;
	node = spt_event_stack(thread, &caller);
	spt_check_stack(thread, caller, node);
	at = spt_event_put(thread, spt_event_word(SPT_RING_REALLOC_ALLOC, pointer), 3);
	spt_ring_put(thread, at + 1, bytes);
	spt_ring_put(thread, at + 2, node);
	spt_event_end(thread, at + 3);
}

/* It may move a mapping. */
static __attribute__((noinline)) void *realloc_now(void *old, size_t bytes)
{
	bool is_mapping = old && spt_script_is_mapping(old);
	void *pointer;

	if (is_mapping)
		spt_script_unmapped();
	pointer = real()->realloc(old, bytes);
	if (is_mapping)
		spt_script_unmapped();
	return pointer;
}

static void *change(struct spt_thread *thread, void *old, size_t bytes, struct spt_place caller)
{
	bool is_reported = is_free_reported(thread, old);
	void *pointer;

	spt_check_free();
	if (is_reported && spt_link.rings->has_free_stacks)
		tell_free_stack(thread, old, caller, SPT_RING_REALLOC_FREE_STACK);
	else if (is_reported)
		tell_free(thread, old, caller, SPT_RING_REALLOC_FREE);
	pointer = realloc_now(old, bytes);
	if (!pointer && bytes) {
		spt_check_undo();
		if (is_reported)
			tell_undo(thread, old, caller.sp);
		if (is_reported && thread->mean_bytes)
			spt_picked_add(thread, old);
		return NULL;
	}
	if (!pointer)
		return NULL;
	if (spt_is_over() || is_passed(thread, bytes))
		return pointer;
	if (thread->mean_bytes)
		spt_picked_add(thread, pointer);
	tell_change(thread, pointer, bytes, caller);
	return pointer;
}

EXPORT void *realloc(void *old, size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	void *pointer;

	if (thread && old)
		return change(thread, old, bytes, SPT_CALLER());
	pointer = realloc_now(old, bytes);
	if (!old && !is_passed(thread, bytes))
		allocated(pointer, bytes, SPT_CALLER());
	return pointer;
}

EXPORT void *reallocarray(void *old, size_t n, size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	void *pointer;
	size_t all;

	if (__builtin_mul_overflow(n, bytes, &all)) {
		spt_set_errno(ENOMEM);
		return NULL;
	}
	/* As the C library does it, whose own function this replaces in such a program, too. */
	if (__builtin_expect(realloc_of_program != NULL, 0))
		return realloc_of_program(old, all);
	if (thread && old)
		return change(thread, old, all, SPT_CALLER());
	pointer = realloc_now(old, all);
	if (!old && !is_passed(thread, all))
		allocated(pointer, all, SPT_CALLER());
	return pointer;
}

EXPORT int posix_memalign(void **ret, size_t alignment, size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	int error = real()->posix_memalign(ret, alignment, bytes);

	if (!error && !is_passed(thread, bytes))
		allocated(*ret, bytes, SPT_CALLER());
	return error;
}

#define ALIGNED(name)                                                        \
	EXPORT void *name(size_t alignment, size_t bytes)                    \
	{                                                                    \
		struct spt_thread *thread = spt_thread_get();                \
		void *pointer = real()->name(alignment, bytes);              \
                                                                             \
		if (!is_passed(thread, bytes))                               \
			allocated(pointer, bytes, SPT_CALLER());         \
		return pointer;                                              \
	}
#define PAGES(name)                                                          \
	EXPORT void *name(size_t bytes)                                      \
	{                                                                    \
		struct spt_thread *thread = spt_thread_get();                \
		void *pointer = real()->name(bytes);                         \
                                                                             \
		if (!is_passed(thread, bytes))                               \
			allocated(pointer, bytes, SPT_CALLER());         \
		return pointer;                                              \
	}

void *memalign(size_t alignment, size_t bytes);
void *pvalloc(size_t bytes);

ALIGNED(aligned_alloc)
ALIGNED(memalign)
PAGES(valloc)
PAGES(pvalloc)

/* Mappings: whole pages, recorded as the kernel takes and gives them. */

static void tell_mapping(struct spt_thread *thread, enum spt_ring_type type, const void *pointer,
			 size_t bytes, struct spt_place caller)
{
	uint64_t page = spt_link.page_bytes;
	uint32_t node, at, n;

	if (!spt_event_begin(thread, caller.sp))
		return;
	node = type == SPT_RING_MAP ? spt_event_stack(thread, &caller) : SPT_NODE_ROOT;
	n = type == SPT_RING_UNMAP_FAILED ? 1 : 3;
	at = spt_event_put(thread, spt_event_word(type, pointer), n);
	if (n == 3) {
		spt_ring_put(thread, at + 1, (bytes + page - 1) & -page);
		spt_ring_put(thread, at + 2, node);
	}
	spt_event_end(thread, at + n);
}

static inline bool are_mappings_reported(const struct spt_thread *thread)
{
	return thread && spt_link.rings->has_mappings && !spt_is_over();
}

EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	struct spt_thread *thread = spt_thread_get();
	bool is_reported = are_mappings_reported(thread),
	     replaces = is_reported && flags & MAP_FIXED;
	void *pointer;

	if (replaces)
		tell_mapping(thread, SPT_RING_UNMAP, address, bytes, SPT_CALLER());
	if (flags & MAP_FIXED)
		spt_script_unmapped();
	pointer = real()->mmap(address, bytes, protection, flags, fd, offset);
	if (flags & MAP_FIXED)
		spt_script_unmapped();
	if (is_reported && pointer != MAP_FAILED)
		tell_mapping(thread, SPT_RING_MAP, pointer, bytes, SPT_CALLER());
	else if (replaces)
		tell_mapping(thread, SPT_RING_UNMAP_FAILED, address, bytes, SPT_CALLER());
	return pointer;
}

/* The same function where an off_t has 64 bits. */
EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

EXPORT int munmap(void *address, size_t bytes)
{
	struct spt_thread *thread = spt_thread_get();
	bool is_reported = are_mappings_reported(thread);
	int ret;

	if (is_reported)
		tell_mapping(thread, SPT_RING_UNMAP, address, bytes, SPT_CALLER());
	spt_script_unmapped();
	ret = real()->munmap(address, bytes);
	spt_script_unmapped();
	if (is_reported && ret)
		tell_mapping(thread, SPT_RING_UNMAP_FAILED, address, bytes, SPT_CALLER());
	return ret;
}

/* The old one is unmapped, and the new one mapped, also where it stays. */
EXPORT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	struct spt_thread *thread = spt_thread_get();
	bool is_reported = are_mappings_reported(thread),
	     moves = is_reported && old_bytes && !(flags & MREMAP_DONTUNMAP);
	void *pointer, *wanted = NULL;
	va_list rest;

	if (flags & MREMAP_FIXED) {
		va_start(rest, flags);
		wanted = va_arg(rest, void *);
		va_end(rest);
	}
	if (moves)
		tell_mapping(thread, SPT_RING_UNMAP, old, old_bytes, SPT_CALLER());
	spt_script_unmapped();
	pointer = real()->mremap(old, old_bytes, bytes, flags, wanted);
	spt_script_unmapped();
	if (is_reported && pointer != MAP_FAILED)
		tell_mapping(thread, SPT_RING_MAP, pointer, bytes, SPT_CALLER());
	else if (moves)
		tell_mapping(thread, SPT_RING_UNMAP_FAILED, old, old_bytes, SPT_CALLER());
	return pointer;
}

EXPORT long spt_memory_syscall(long n, long a, long b, long c, long d, long e, long f)
	__asm__("syscall");
long spt_memory_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	spt_connect();
	if (__builtin_expect(spt_syscall_is_unusual(n), 0))
		return spt_syscall_unusual(n, a, b, c, d, e, f);
	return spt_functions.syscall(n, a, b, c, d, e, f);
}
