/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls inside of calls: of signal handlers, or after one that a handler has left. */
#include "event.h"

#include <signal.h>

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

static bool is_on_other_stack(void)
{
	stack_t stack = { .ss_flags = 0 };

	spt_call(SYS_sigaltstack, 0, &stack, 0, 0);
	return stack.ss_flags & SS_ONSTACK;
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

bool spt_event_begin_nested(struct spt_thread *thread, uint64_t sp)
{
	/* A signal handler has forked, and this is the child. */
	if (thread->state == SPT_NO_RING)
		return false;
	/* A handler's frames are further in than the call that it has interrupted. */
	if (sp >= thread->busy_sp && !is_on_other_stack())
		abandon(thread);
	if (thread->state == SPT_NESTED || is_stuck(thread)) {
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
