/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a thread gets a ring, what it does when that is full, and how it gives it back. */
#include "thread.h"

#include <linux/futex.h>
#include <sys/mman.h>
#include <time.h>

#include "sandbox.h"
#include "system.h"

#define WAIT_NS 20000000L
/* A thread looks so often for room in its ring, and whether the recording is over. */
#define LOOK_WORDS 4096u
/* How often a thread looks in a loop before it asks whether there is still a recorder. */
#define LOOKS 4096u
/*
 * The C library asks so often for what a thread has left when it exits (glibc:
 * PTHREAD_DESTRUCTOR_ITERATIONS).  Others free their memory then, too.
 */
#define EXITS 4

/*
 * Memory for threads.  In a child of fork() it is wiped, so none of it seems to be in use; but that
 * of the thread that has forked is still that thread's.
 */
static struct spt_thread *threads[SPT_RINGS_SLOTS];
static bool are_free[SPT_RINGS_SLOTS];
static uint32_t n_threads;
static unsigned exit_key;
static bool has_exit_key;

__thread struct spt_thread *spt_self __attribute__((tls_model("initial-exec")));
/* Its place in threads[]; the child of a fork knows it only from here. */
static __thread uint32_t self_number __attribute__((tls_model("initial-exec")));
/* The thread is between its first call and its ring. */
static __thread bool is_beginning __attribute__((tls_model("initial-exec")));
/* There was no ring when the recorder had freed that many, and one more. */
static __thread uint32_t refused_at __attribute__((tls_model("initial-exec")));

/* Ring. */

/* Everything written so far is visible to the reader. */
static void commit(struct spt_thread *thread, uint32_t head)
{
	/* Pairs with the acquire of the head in spt_ring_reader_begin(). */
	__atomic_store_n(&thread->slot->head, head, __ATOMIC_RELEASE);
}

static bool has_room(const struct spt_ring_slot *slot, uint32_t end)
{
	/* Pairs with the release of the tail in spt_ring_reader_end(). */
	return end - __atomic_load_n(&slot->tail, __ATOMIC_ACQUIRE) <= SPT_RING_WORDS;
}

static void pause_shortly(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#else
	__asm__ volatile("yield");
#endif
}

/* In a sandbox that does not let threads wait. */
static void look_for_room(const struct spt_ring_slot *slot, uint32_t end)
{
	for (unsigned i = 0; i < LOOKS && !has_room(slot, end); i++)
		pause_shortly();
}

static void sleep_for_room(struct spt_ring_slot *slot, uint32_t end)
{
	const struct timespec patience = { .tv_nsec = WAIT_NS };
	uint32_t tail = __atomic_load_n(&slot->tail, __ATOMIC_ACQUIRE);

	__atomic_store_n(&slot->is_waiting, 1, __ATOMIC_SEQ_CST);
	if (!has_room(slot, end))
		spt_call(SYS_futex, &slot->tail, FUTEX_WAIT, tail, &patience);
}

static void wait_for_room(struct spt_thread *thread, uint32_t at, uint32_t end)
{
	struct spt_ring_slot *slot = thread->slot;
	uint64_t begin = spt_stamp_by_call();

	/* All events before are complete, unless they belong to an interrupted call. */
	if (thread->state == SPT_BUSY)
		commit(thread, at);
	slot->waits++;
	while (!has_room(slot, end) && !spt_is_over()) {
		if (spt_may_call(SPT_MAY_WAIT))
			sleep_for_room(slot, end);
		else
			look_for_room(slot, end);
		if (!has_room(slot, end) && !spt_link_check())
			break;
	}
	slot->waited_ns += (spt_stamp_by_call() - begin) << SPT_STAMP_SHIFT;
}

void spt_ring_wait(struct spt_thread *thread, uint32_t at, uint32_t end)
{
	if (!has_room(thread->slot, end) && !spt_is_over())
		wait_for_room(thread, at, end);
	/* Behind the end of the recording words are in vain, and later calls write none. */
	if (spt_is_over() && !spt_state_is_foreign(thread->idle_state))
		thread->idle_state = SPT_IDLE_OTHER;
	thread->limit = end;
	if (has_room(thread->slot, end + LOOK_WORDS))
		thread->limit += LOOK_WORDS;
}

/* Slots. */

void spt_thread_unseen(enum spt_unseen reason)
{
	struct spt_rings_programs *programs = spt_rings_programs(spt_link.rings);
	uint64_t place = (uint64_t)&spt_self >> 12 & (SPT_UNSEEN_PLACES - 1);

	__atomic_fetch_add(&programs->unseen[place].calls[reason], 1, __ATOMIC_RELAXED);
}

/* False: somebody else has it, or it is not mapped. */
static bool try_slot(struct spt_thread *thread, uint32_t i, uint32_t owner, uint32_t image)
{
	struct spt_ring_slot *slot = spt_rings_slot(spt_link.rings, i);
	uint32_t before = SPT_SLOT_FREE;

	/* Acquire: pairs with the release by which the recorder frees a slot. */
	if (__atomic_load_n(&slot->owner, __ATOMIC_RELAXED) || !spt_rings_has(i) ||
	    !__atomic_compare_exchange_n(&slot->owner, &before, owner, false, __ATOMIC_SEQ_CST,
					 __ATOMIC_RELAXED))
		return false;
	slot->image = image;
	slot->library = spt_library;
	/* Pairs with spt_rings_shrink(). */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (!spt_rings_has(i)) {
		__atomic_store_n(&slot->owner, SPT_SLOT_FREE, __ATOMIC_RELEASE);
		return false;
	}
	thread->slot = slot;
	thread->words = spt_rings_words(spt_link.rings, i);
	return true;
}

static bool claim_slot(struct spt_thread *thread, uint32_t image)
{
	struct spt_rings_programs *programs = spt_rings_programs(spt_link.rings);
	uint32_t freed = __atomic_load_n(&spt_link.rings->freed, __ATOMIC_RELAXED),
		 first = __atomic_fetch_add(&programs->next_slot, 1, __ATOMIC_RELAXED), owner, i;

	do {
		owner = __atomic_add_fetch(&programs->next_owner, 1, __ATOMIC_RELAXED) &
			~SPT_SLOT_REVOKED;
	} while (!owner);
	for (i = 0; i < SPT_RINGS_SLOTS; i++)
		if (try_slot(thread, (first + i) % SPT_RINGS_SLOTS, owner, image))
			break;
	refused_at = i == SPT_RINGS_SLOTS ? freed + 1 : 0;
	thread->owner = owner;
	return !refused_at;
}

/* The slot is described to the recorder, and the thread begins with an empty ring. */
static void begin_ring(struct spt_thread *thread)
{
	struct spt_ring_slot *slot = thread->slot;

	/* Which clock it is, who records decides. */
	if (spt_link.waits)
		spt_has_counter = spt_link.rings->clock == SPT_RINGS_TSC;
	slot->pid = thread->pid;
	slot->tid = thread->tid;
	slot->begin = spt_stamp();
	slot->waits = slot->waited_ns = slot->dropped = 0;
	slot->is_foreign = thread->is_foreign;
	slot->is_forked = thread->is_forked;
	slot->is_busy = slot->has_exited = 0;
	/* Pairs with the acquire by which the recorder finds the slot. */
	__atomic_store_n(&slot->is_ready, 1, __ATOMIC_RELEASE);
	thread->reserved = thread->limit = slot->head;
	thread->last_stamp = 0;
	/* Begins by reporting that nothing is known. */
	thread->generation = SPT_STALE;
	thread->n_nodes = SPT_NODE_FIRST;
	thread->idle_state = SPT_IDLE_OTHER;
	spt_thread_begun(thread);
	if (thread->is_foreign)
		thread->idle_state = thread->idle_state == SPT_IDLE_PICKED ?
					     SPT_IDLE_PICKED_FOREIGN : SPT_IDLE_FOREIGN;
}

bool spt_thread_claim_again(struct spt_thread *thread)
{
	const struct spt_process *process = spt_process_begin();

	if (!process || !claim_slot(thread, process->image)) {
		spt_thread_unseen(SPT_UNSEEN_SLOTS);
		return false;
	}
	begin_ring(thread);
	return true;
}

/* Memory of threads. */

static bool try_thread(struct spt_thread *thread)
{
	uint32_t before = 0;

	return !__atomic_load_n(&thread->is_in_use, __ATOMIC_RELAXED) &&
	       __atomic_compare_exchange_n(&thread->is_in_use, &before, 1, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* That of a thread that has exited, if there is any. */
static struct spt_thread *find_unused(void)
{
	uint32_t n = __atomic_load_n(&n_threads, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < n && i < SPT_RINGS_SLOTS; i++) {
		/* Acquire: pairs with the release in put_memory(). */
		if (!__atomic_load_n(&are_free[i], __ATOMIC_ACQUIRE) || !try_thread(threads[i]))
			continue;
		__atomic_store_n(&are_free[i], false, __ATOMIC_RELAXED);
		/* What was wiped does not say it. */
		threads[i]->number = i;
		return threads[i];
	}
	return NULL;
}

/* Only its own thread takes it, until that has put it back. */
static void put_memory(struct spt_thread *thread)
{
	uint32_t at = thread->number;

	__atomic_store_n(&thread->is_in_use, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&are_free[at], true, __ATOMIC_RELEASE);
}

/* In a child of fork(): that of its parent's other threads, of which none is there. */
static void free_others(uint32_t own)
{
	uint32_t n = __atomic_load_n(&n_threads, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < n && i < SPT_RINGS_SLOTS; i++)
		if (i != own && threads[i])
			__atomic_store_n(&are_free[i], true, __ATOMIC_RELEASE);
}

static bool is_full(void)
{
	return __atomic_load_n(&n_threads, __ATOMIC_RELAXED) >= SPT_RINGS_SLOTS;
}

/* NULL: there is no memory, or there are as many as there are rings. */
static struct spt_thread *add_thread(void)
{
	struct spt_thread *thread = is_full() ? NULL : spt_allocate(sizeof(*thread));
	uint32_t at;

	if (!thread)
		return NULL;
	at = __atomic_fetch_add(&n_threads, 1, __ATOMIC_RELAXED);
	if (at >= SPT_RINGS_SLOTS) {
		__atomic_store_n(&n_threads, SPT_RINGS_SLOTS, __ATOMIC_RELAXED);
		spt_call(SYS_munmap, thread, sizeof(*thread), 0, 0);
		return NULL;
	}
	thread->is_in_use = 1;
	thread->number = at;
	threads[at] = thread;
	return thread;
}

void spt_thread_make_spare(unsigned n)
{
	for (; n > 0; n--) {
		struct spt_thread *thread = add_thread();

		if (!thread)
			return;
		put_memory(thread);
	}
}

static struct spt_thread *get_memory(void)
{
	struct spt_thread *thread = spt_self;

	/* After a fork the thread's own is free, and at hand. */
	if (thread) {
		if (!thread->is_in_use)
			free_others(self_number);
		thread->is_in_use = 1;
		thread->number = self_number;
		return thread;
	}
	thread = find_unused();
	if (!thread && spt_may_call(SPT_MAY_BEGIN))
		thread = add_thread();
	return thread;
}

/* Begin and end. */

/*
 * The numbers of the thread.  In the child of a vfork(), whose memory is its parent's, it does not
 * know its own: what it does there, it does to the parent.
 */
static void name_thread(struct spt_thread *thread, const struct spt_process *process)
{
	uint32_t pid;

	thread->pid = process->pid;
	thread->is_foreign = process->is_foreign;
	thread->is_forked = process->is_forked;
	thread->tid = thread->own_tid = thread->teller = 0;
	if (!spt_may_call(SPT_MAY_BEGIN))
		return;
	thread->own_tid = (uint32_t)spt_call(SYS_gettid, 0, 0, 0, 0);
	if ((uint32_t)spt_call(SYS_getpid, 0, 0, 0, 0) != process->own_pid)
		return;
	if (!process->is_inside || process->is_foreign)
		thread->tid = thread->own_tid;
	else if (!spt_process_numbers(&pid, &thread->tid) || pid != process->pid)
		thread->tid = 0;
}

static struct spt_thread *begin(void)
{
	uint32_t freed = __atomic_load_n(&spt_link.rings->freed, __ATOMIC_RELAXED);
	const struct spt_process *process = spt_process_begin();
	struct spt_thread *thread = process ? get_memory() : NULL;

	if (!thread) {
		enum spt_unseen reason = !spt_may_call(SPT_MAY_BEGIN) ? SPT_UNSEEN_SANDBOX :
					 is_full() ? SPT_UNSEEN_SLOTS : SPT_UNSEEN_MEMORY;

		/* Of one that ends the memory is put back first, then its ring is freed. */
		refused_at = reason == SPT_UNSEEN_SLOTS ? freed + 1 : 0;
		spt_thread_unseen(reason);
		return NULL;
	}
	if (!claim_slot(thread, process->image)) {
		spt_thread_unseen(SPT_UNSEEN_SLOTS);
		spt_self = NULL;
		put_memory(thread);
		return NULL;
	}
	name_thread(thread, process);
	thread->stack_begin = thread->stack_end = 0;
	thread->own_begin = thread->not_own = 0;
	thread->is_stopped = false;
	thread->exits = 0;
	begin_ring(thread);
	spt_self = thread;
	self_number = thread->number;
	__asm__ volatile("" ::: "memory");
	thread->state = thread->idle_state;
	if (has_exit_key)
		spt_functions.set_specific(exit_key, thread);
	return thread;
}

struct spt_thread *spt_thread_begin(void)
{
	struct spt_thread *thread;

	spt_connect();
	if (!spt_link.rings || spt_is_over())
		return NULL;
	if (refused_at && refused_at ==
				  __atomic_load_n(&spt_link.rings->freed, __ATOMIC_RELAXED) + 1) {
		spt_thread_unseen(SPT_UNSEEN_SLOTS);
		return NULL;
	}
	if (spt_counter_is_forbidden) {
		spt_thread_unseen(SPT_UNSEEN_SANDBOX);
		return NULL;
	}
	if (is_beginning) {
		spt_thread_unseen(SPT_UNSEEN_HANDLER);
		return NULL;
	}
	is_beginning = true;
	__asm__ volatile("" ::: "memory");
	thread = spt_self && spt_self->state ? spt_self : begin();
	__asm__ volatile("" ::: "memory");
	is_beginning = false;
	return thread;
}

void spt_thread_stop(bool stops)
{
	struct spt_thread *thread = spt_self;

	if (!thread || !thread->slot || thread->is_stopped == stops)
		return;
	thread->is_stopped = stops;
	thread->state = stops ? SPT_NO_RING : thread->idle_state;
}

/*
 * The thread's last word.  Its memory is put back first: who found none looks again once the
 * recorder has freed a ring.
 */
static void leave_ring(struct spt_thread *thread, bool puts_memory)
{
	struct spt_ring_slot *slot = thread->slot;
	uint32_t owner = thread->owner;

	spt_self = NULL;
	thread->state = SPT_NO_RING;
	thread->slot = NULL;
	if (puts_memory)
		put_memory(thread);
	/* Pairs with the acquire by which the recorder sees it: the head is the last one. */
	if (__atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE) == owner)
		__atomic_store_n(&slot->has_exited, 1, __ATOMIC_RELEASE);
}

bool spt_thread_give_up(void)
{
	uint32_t n = __atomic_load_n(&n_threads, __ATOMIC_RELAXED);

	n = n < SPT_RINGS_SLOTS ? n : SPT_RINGS_SLOTS;
	for (uint32_t i = 0; i < n; i++)
		if (threads[i] && threads[i] != spt_self &&
		    __atomic_load_n(&threads[i]->is_in_use, __ATOMIC_ACQUIRE))
			return false;
	/* None begins from now on. */
	spt_link_leave();
	/* In a child that has recorded nothing yet there is no ring. */
	if (spt_self && spt_self->slot)
		leave_ring(spt_self, false);
	spt_self = NULL;
	for (uint32_t i = 0; i < n; i++) {
		struct spt_thread *thread = threads[i];

		threads[i] = NULL;
		if (thread)
			spt_call(SYS_munmap, thread, sizeof(*thread), 0, 0);
	}
	if (has_exit_key)
		spt_functions.set_specific(exit_key, NULL);
	spt_link_unmap();
	return true;
}

/* The C library calls this several times: others free memory then, too. */
static void end_thread(void *data)
{
	struct spt_thread *thread = data;

	if (thread != spt_self || !thread->slot)
		return;
	if (++thread->exits < EXITS) {
		spt_functions.set_specific(exit_key, thread);
		return;
	}
	leave_ring(thread, true);
}

/*
 * The first thread has its ring before main(), so that the recorder knows of the program, and the
 * child of a vfork() is not the one that begins.
 */
__attribute__((constructor)) static void begin_first_thread(void)
{
	spt_thread_get();
	has_exit_key = spt_link.rings && spt_functions.key_create &&
		       spt_functions.set_specific &&
		       spt_functions.key_create(&exit_key, end_thread) == 0;
}
