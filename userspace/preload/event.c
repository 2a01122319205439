/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls inside of calls: of signal handlers, or after one that a handler has left. */
#include "event.h"

#include <signal.h>

#include "sandbox.h"
#include "stack.h"
#include "system.h"

/* A call that a signal handler left by longjmp(): its unrecorded part is skipped. */
static void abandon(struct spt_thread *thread)
{
	for (uint32_t at = thread->slot->head; at != thread->reserved; at++)
		spt_ring_put(thread, at, SPT_RING_NOTHING);
	thread->slot->dropped++;
	thread->generation = SPT_STALE;
	thread->state = thread->idle_state;
}

/* How a call lies to the one that is being recorded. */
enum lies {
	LIES_INSIDE,	/* it is a signal handler's */
	LIES_BEHIND,	/* a signal handler has left the other one by longjmp() */
	LIES_ELSEWHERE,	/* on a stack of its own: the other one may go on at any time */
};

/* A handler's frames are further in than the call that it has interrupted. */
static enum lies event_lies(struct spt_thread *thread, uint64_t sp)
{
	stack_t stack = { .ss_flags = SS_DISABLE };

	if (spt_may_call(SPT_MAY_LOOK))
		spt_call(SYS_sigaltstack, 0, &stack, 0, 0);
	if (stack.ss_flags & SS_ONSTACK)
		return LIES_INSIDE;
	if (thread->busy_sp - (uint64_t)stack.ss_sp < stack.ss_size)
		return LIES_BEHIND;
	if (!spt_stack_is_same(thread, sp, thread->busy_sp))
		return LIES_ELSEWHERE;
	return sp < thread->busy_sp ? LIES_INSIDE : LIES_BEHIND;
}

/*
 * Words behind those of an interrupted call are not read before it ends: a handler that waited for
 * room would wait forever.
 */
static bool is_stuck(const struct spt_thread *thread)
{
	return thread->state == SPT_BUSY &&
	       thread->reserved - thread->slot->head > SPT_RING_WORDS / 2;
}

/*
 * The first look avoids to touch a slot that is somebody else's; the second one is the one that
 * counts.  Pairs with the recorder, which revokes the slot, and then looks whether it is in use.
 */
static bool has_slot(const struct spt_thread *thread)
{
	struct spt_ring_slot *slot = thread->slot;
	uint32_t owner;

	if (__atomic_load_n(&slot->owner, __ATOMIC_RELAXED) != thread->owner)
		return false;
	__atomic_store_n(&slot->is_busy, 1, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	owner = __atomic_load_n(&slot->owner, __ATOMIC_SEQ_CST);
	if (owner == thread->owner)
		return true;
	/* The recorder waits for this before it frees the slot. */
	if (owner == (thread->owner | SPT_SLOT_REVOKED))
		__atomic_store_n(&slot->is_busy, 0, __ATOMIC_RELEASE);
	return false;
}

static bool begin_foreign(struct spt_thread *thread, uint64_t sp)
{
	/* A signal handler must not begin a second ring. */
	thread->busy_sp = sp;
	thread->state = SPT_BUSY;
	__asm__ volatile("" ::: "memory");
	while (!has_slot(thread)) {
		if (spt_thread_claim_again(thread))
			continue;
		thread->state = SPT_NO_RING;
		return false;
	}
	return true;
}

bool spt_event_begin_nested(struct spt_thread *thread, uint64_t sp)
{
	enum lies lies;

	/* A signal handler has forked, and this is the child. */
	if (thread->state == SPT_NO_RING)
		return false;
	if (spt_state_is_foreign(thread->state))
		return begin_foreign(thread, sp);
	lies = event_lies(thread, sp);
	if (lies == LIES_BEHIND)
		abandon(thread);
	if (lies == LIES_ELSEWHERE || thread->state == SPT_NESTED || is_stuck(thread)) {
		thread->slot->dropped++;
		return false;
	}
	if (thread->state == SPT_BUSY) {
		thread->state = SPT_NESTED;
	} else {
		thread->busy_sp = sp;
		thread->state = SPT_BUSY;
	}
	__asm__ volatile("" ::: "memory");
	return true;
}

void spt_event_end_nested(struct spt_thread *thread)
{
	uint32_t reserved;

	if (thread->state == SPT_NESTED) {
		thread->state = SPT_BUSY;
		return;
	}
	do {
		*(volatile uint32_t *)&thread->state = SPT_BUSY;
		reserved = *(volatile uint32_t *)&thread->reserved;
		/* Pairs with the acquire of the head in spt_ring_reader_begin(). */
		__atomic_store_n(&thread->slot->head, reserved, __ATOMIC_RELEASE);
		*(volatile uint32_t *)&thread->state = thread->idle_state;
		if (spt_state_is_foreign(thread->idle_state))
			__atomic_store_n(&thread->slot->is_busy, 0, __ATOMIC_RELEASE);
	} while (*(volatile uint32_t *)&thread->reserved != reserved);
}

uint32_t spt_event_put_timed(struct spt_thread *thread, uint64_t first, unsigned n)
{
	uint64_t stamp = spt_stamp();
	uint32_t at;

	thread->last_stamp = stamp;
	at = spt_ring_take(thread, 1 + n);
	spt_ring_put(thread, at, SPT_RING_TIME | stamp << SPT_RING_MORE_SHIFT);
	spt_ring_put(thread, at + 1, first);
	return at + 1;
}
