/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event in a thread's ring: between spt_event_begin() and spt_event_end() its stack is walked,
 * and its words are written.  A signal handler may do the same in between.
 */
#ifndef SPT_PRELOAD_EVENT_H
#define SPT_PRELOAD_EVENT_H

#include "walk.h"

/* The caller of the function that contains this, which has a frame pointer. */
#define SPT_CALLER()                                                              \
	({                                                                        \
		const uint64_t *fp_ = __builtin_frame_address(0);                 \
		(struct spt_place){ fp_[1], (uint64_t)__builtin_dwarf_cfa(), fp_[0] }; \
	})

/* The same where the thread is not idle. */
bool spt_event_begin_nested(struct spt_thread *thread, uint64_t sp);

/* @sp: the caller's stack pointer.  False: the call is not recorded. */
static inline bool spt_event_begin(struct spt_thread *thread, uint64_t sp)
{
	if (__builtin_expect(thread->state - SPT_IDLE > SPT_IDLE_PICKED - SPT_IDLE, 0))
		return spt_event_begin_nested(thread, sp);
	thread->busy_sp = sp;
	thread->state = SPT_BUSY;
	__asm__ volatile("" ::: "memory");
	return true;
}

/* The same where a signal handler has recorded calls, or is the one. */
void spt_event_end_nested(struct spt_thread *thread);

/*
 * @end: behind the event's words.  The outermost call commits its own records and those of signal
 * handlers in between.
 */
static inline void spt_event_end(struct spt_thread *thread, uint32_t end)
{
	__asm__ volatile("" ::: "memory");
	if (__builtin_expect(thread->state == SPT_BUSY, 1)) {
		/* Pairs with the acquire of the head in spt_ring_reader_begin(). */
		__atomic_store_n(&thread->slot->head, end, __ATOMIC_RELEASE);
		*(volatile uint32_t *)&thread->state = thread->idle_state;
		if (__builtin_expect(*(volatile uint32_t *)&thread->reserved == end &&
				     !spt_state_is_foreign(thread->idle_state), 1))
			return;
	}
	spt_event_end_nested(thread);
}

/* The same as spt_event_put(), with the time of day. */
uint32_t spt_event_put_timed(struct spt_thread *thread, uint64_t first, unsigned n);

/*
 * Writes the event of @n words, of which the first one has all but the time; returns its position.
 */
static inline uint32_t spt_event_put(struct spt_thread *thread, uint64_t first, unsigned n)
{
	uint32_t reserved = *(volatile uint32_t *)&thread->reserved, at;
	uint64_t stamp = spt_stamp(), passed = stamp - thread->last_stamp;

	if (__builtin_expect(passed > SPT_RING_MORE_MASK || thread->state == SPT_NESTED, 0))
		return spt_event_put_timed(thread, first, n);
	thread->last_stamp = stamp;
	at = spt_ring_take(thread, n);
	if (__builtin_expect(at != reserved, 0)) {
		/* A handler's event came in between: the time would be counted from it. */
		for (unsigned i = 0; i < n; i++)
			spt_ring_put(thread, at + i, SPT_RING_NOTHING);
		return spt_event_put_timed(thread, first, n);
	}
	spt_ring_put(thread, at, first | passed << SPT_RING_MORE_SHIFT);
	return at;
}

static inline uint64_t spt_event_word(unsigned type, const void *pointer)
{
	return type | (uint64_t)pointer << SPT_RING_POINTER_SHIFT;
}

static inline uint32_t spt_event_stack(struct spt_thread *thread, const struct spt_place *caller)
{
	return __builtin_expect(thread->state == SPT_BUSY, 1) ? spt_walk(thread, caller) :
								spt_walk_nested(thread, caller);
}

#endif
