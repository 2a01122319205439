/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libspt-io.so: where a program's threads wait, for hosts whose kernel does not report that with
 * stacks.  Calls of functions that may wait are timed, as programs and libraries make them: calls
 * inside the C library are not seen.  A call's wait is the time it took less the time for which the
 * thread ran.  Calls that did not wait leave nothing behind.
 *
 * No state is kept while a function runs.  So it may be interrupted, left by longjmp(), or
 * cancelled.  It gets its arguments and returns its value as it would without the library: in
 * registers, all of them.
 */
#include <errno.h>
#include <linux/futex.h>
#include <time.h>

#include "event.h"
#include "io-calls.h"
#include "real.h"
#include "sandbox.h"
#include "system.h"
#include "thread.h"
#include "unusual.h"

#define EXPORT __attribute__((visibility("default")))
/* A thread that leaves its CPU is not back earlier. */
#define LEAST_NS 1000ULL
/* The two clocks may differ by that part: one is steered. */
#define DRIFT_SHIFT 10
#define SECOND_NS 1000000000ULL
#define FUTEX_LOCK_PI2_ 13
#define SYS_futex_waitv_ 449

enum {
#define NUMBER(name) CALL_##name,
#define LOCK_NUMBERS(name, try) CALL_##name, CALL_##try,
	SPT_IO_CALLS(NUMBER) SPT_IO_SEVEN(NUMBER) SPT_IO_LOCKS(LOCK_NUMBERS)
	CALLS,
};

/* Which of the registers it reads is its own business.  The seventh one may be on the stack. */
typedef long (*call_fn)(long, long, long, long, long, long);
typedef long (*seven_fn)(long, long, long, long, long, long, long);

static void *functions[CALLS];

const struct spt_real_function spt_real_functions[] = {
#define PLACE(name) { #name, &functions[CALL_##name] },
#define LOCK_PLACES(name, try) PLACE(name) PLACE(try)
	SPT_IO_CALLS(PLACE) SPT_IO_SEVEN(PLACE) SPT_IO_LOCKS(LOCK_PLACES)
	{ NULL, NULL },
};

const enum spt_rings_library spt_library = SPT_RINGS_IO;

void spt_thread_begun(struct spt_thread *thread)
{
	(void)thread;
}

void spt_program_begun(void)
{
}

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * SECOND_NS + (uint64_t)time->tv_nsec;
}

/* For how long the thread has run. */
static uint64_t ran_ns(void)
{
	struct timespec ran = { 0 };

	spt_call(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &ran, 0, 0);
	return ns_of(&ran);
}

/* Of a library that was not there at the start. */
static __attribute__((noinline)) void *find_late(unsigned call)
{
	spt_connect();
	if (!functions[call])
		functions[call] = spt_real_find_late(spt_real_functions[call].name,
						     spt_functions.iterate);
	return functions[call];
}

static inline void *function_of(unsigned call)
{
	return __builtin_expect(functions[call] != NULL, 1) ? functions[call] : find_late(call);
}

/* The time between the readings of @ran contains that between the others: no wait is made up. */
struct start {
	struct spt_thread *thread;	/* NULL: nothing is recorded */
	uint64_t ran, now, waited_ns;
};

static inline struct start begin(void)
{
	struct spt_thread *thread = spt_thread_get();

	if (!thread || spt_is_over())
		return (struct start){ 0 };
	if (__builtin_expect(!spt_may_call(SPT_MAY_TIME), 0)) {
		spt_thread_unseen(SPT_UNSEEN_SANDBOX);
		return (struct start){ 0 };
	}
	/* In this order. */
	uint64_t waited_ns = thread->waited_ns, ran = ran_ns(), now = spt_now_ns();

	return (struct start){ thread, ran, now, waited_ns };
}

static uint32_t own_number(const struct spt_thread *thread)
{
	return spt_may_call(SPT_MAY_BEGIN) ? (uint32_t)spt_call(SYS_gettid, 0, 0, 0, 0) :
					     thread->own_tid;
}

/*
 * A child of clone() may have its parent's thread-local variables, and run beside it.  Of two calls
 * at a time one is recorded.
 */
static bool begin_telling(struct spt_thread *thread, uint32_t teller)
{
	uint32_t before = 0;

	/* Acquire: pairs with the release below. */
	if (__atomic_compare_exchange_n(&thread->teller, &before, teller, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED) ||
	    before == teller)
		return true;
	spt_thread_unseen(SPT_UNSEEN_SHARED);
	return false;
}

/* Not of a signal handler's call inside of another one. */
static void end_telling(struct spt_thread *thread)
{
	if (thread->state != SPT_BUSY && thread->state != SPT_NESTED)
		__atomic_store_n(&thread->teller, 0, __ATOMIC_RELEASE);
}

static void tell(struct spt_thread *thread, void *function, uint64_t wait_ns,
		 const struct spt_place *caller)
{
	uint32_t cpu = 0, node, at;

	spt_call(SYS_getcpu, &cpu, 0, 0, 0);
	if (!spt_event_begin(thread, caller->sp))
		return;
	node = spt_node_inside(thread, spt_event_stack(thread, caller),
			       (uint64_t)function | SPT_NODE_EXACT);
	at = spt_event_put(thread, spt_event_word(SPT_RING_WAIT, (void *)(uintptr_t)cpu), 3);
	spt_ring_put(thread, at + 1, wait_ns);
	spt_ring_put(thread, at + 2, node);
	spt_event_end(thread, at + 3);
}

/* Waits of signal handlers are their own, and those of another process are not the thread's. */
static uint64_t waited_inside(const struct start *start)
{
	const struct spt_thread *thread = start->thread;
	uint64_t waited_ns = __atomic_load_n(&thread->waited_ns, __ATOMIC_RELAXED) -
			     start->waited_ns;

	return waited_ns && own_number(thread) == thread->own_tid ? waited_ns : 0;
}

static void end(const struct start *start, void *function, struct spt_place caller)
{
	struct spt_thread *thread = start->thread;
	uint64_t took, ran;
	uint32_t number;

	if (!thread || !spt_may_call(SPT_MAY_TIME))
		return;
	took = spt_now_ns() - start->now;
	if (took < LEAST_NS)
		return;
	/* A sleep that was over before the thread had left its CPU was no wait. */
	ran = ran_ns() - start->ran + waited_inside(start);
	if (took <= ran || took - ran < LEAST_NS || took - ran < took >> DRIFT_SHIFT)
		return;
	/* A signal handler may have forked, and this may be the child. */
	if (!thread->state || took - ran < spt_link.rings->least_wait_ns)
		return;
	number = own_number(thread);
	if (!begin_telling(thread, number))
		return;
	tell(thread, function, took - ran, &caller);
	if (number == thread->own_tid)
		__atomic_fetch_add(&thread->waited_ns, took - ran, __ATOMIC_RELAXED);
	end_telling(thread);
}

static long fail(void)
{
	spt_set_errno(ENOSYS);
	return -1;
}

static __always_inline long run(unsigned call, long a, long b, long c, long d, long e, long f,
				struct spt_place caller)
{
	call_fn function = (call_fn)function_of(call);
	struct start start = begin();
	long ret = function ? function(a, b, c, d, e, f) : fail();

	end(&start, (void *)function, caller);
	return ret;
}

#define DEFINE(name)                                                                      \
	EXPORT long spt_io_##name(long a, long b, long c, long d, long e, long f)            \
		__asm__(#name);                                                           \
	long spt_io_##name(long a, long b, long c, long d, long e, long f)                   \
	{                                                                                 \
		return run(CALL_##name, a, b, c, d, e, f, SPT_CALLER());                  \
	}

SPT_IO_CALLS(DEFINE)

#define DEFINE_SEVEN(name)                                                                \
	EXPORT long spt_io_##name(long a, long b, long c, long d, long e, long f, long g)    \
		__asm__(#name);                                                           \
	long spt_io_##name(long a, long b, long c, long d, long e, long f, long g)           \
	{                                                                                 \
		seven_fn function = (seven_fn)function_of(CALL_##name);                    \
		struct start start = begin();                                             \
		long ret = function ? function(a, b, c, d, e, f, g) : fail();              \
                                                                                          \
		end(&start, (void *)function, SPT_CALLER());                              \
		return ret;                                                               \
	}

SPT_IO_SEVEN(DEFINE_SEVEN)

/* A call that gets the lock at once is not timed: most do. */
#define DEFINE_LOCK(name, try)                                                            \
	EXPORT long spt_io_##name(long a, long b, long c, long d, long e, long f)            \
		__asm__(#name);                                                           \
	long spt_io_##name(long a, long b, long c, long d, long e, long f)                   \
	{                                                                                 \
		call_fn function = (call_fn)function_of(CALL_##try);                      \
		long ret = function ? function(a, b, c, d, e, f) : EBUSY;                 \
                                                                                          \
		if ((int)ret != EBUSY)                                                    \
			return ret;                                                       \
		return run(CALL_##name, a, b, c, d, e, f, SPT_CALLER());                  \
	}

SPT_IO_LOCKS(DEFINE_LOCK)

static bool may_wait(long number, int operation)
{
	if (number == SYS_futex_waitv_)
		return true;
	if (number != SYS_futex)
		return false;
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_WAIT_REQUEUE_PI:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2_:
		return true;
	default:
		return false;
	}
}

/* Locks of libraries and languages that do without the C library's. */
EXPORT long spt_io_syscall(long n, long a, long b, long c, long d, long e, long f) __asm__("syscall");
long spt_io_syscall(long n, long a, long b, long c, long d, long e, long f)
{
	struct start start;
	long ret;

	spt_connect();
	if (spt_syscall_is_unusual(n))
		return spt_syscall_unusual(n, a, b, c, d, e, f);
	if (!may_wait(n, (int)b))
		return spt_functions.syscall(n, a, b, c, d, e, f);
	start = begin();
	ret = spt_functions.syscall(n, a, b, c, d, e, f);
	end(&start, (void *)spt_functions.syscall, SPT_CALLER());
	return ret;
}
