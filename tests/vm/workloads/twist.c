// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twist SECONDS THREADS: stacks that nearly equal those before.  What is remembered of a thread's
 * outer frames (module/recall.h) must be wrong wherever only a word differs: other callers below
 * the same frames, frames of any size and at any alignment, saved frame pointers that hold
 * anything, return addresses left in memory that is not used, jumps out of frames, signals on
 * stacks of their own, coroutines, deep recursion, libraries that come and go.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define APART __attribute__((noinline, noclone))
#define STACK_BYTES (256 << 10)
#define COROUTINES 3
/* Something is left to do after a call: it is not the last one. */
#define AFTER() __asm__ volatile("" : : : "memory")

struct dancer {
	uint64_t random;
	jmp_buf *way_out;
	ucontext_t home, guests[COROUTINES];
	int guest; /* -1: at home */
	bool in_signal;
	pthread_t thread;
};

static __thread struct dancer *own;
static time_t end;

static unsigned pick(unsigned n)
{
	own->random = own->random * 6364136223846793005u + 1442695040888963407u;
	return (own->random >> 33) % n;
}

APART static void spin(void)
{
	for (unsigned i = 300 + pick(3000); i; i--)
		__asm__ volatile("" : "+r"(i));
}

APART static void dance(int left);

APART static void left_foot(int left)
{
	dance(left - 1);
	AFTER();
}

APART static void right_foot(int left)
{
	dance(left - 1);
	AFTER();
	spin();
}

/* Two call sites in a frame of the same size. */
APART static void either(int left)
{
	if (pick(2)) {
		dance(left - 1);
		AFTER();
	} else {
		dance(left - 2);
		AFTER();
	}
}

/* A frame of any size, found by the frame pointer; what was there before stays in it. */
APART static void roomy(int left)
{
	char *room = alloca(16 + 16 * pick(40));

	room[0] = 1;
	__asm__ volatile("" : : "r"(room) : "memory");
	dance(left - 1);
	AFTER();
}

APART static void aligned(int left)
{
	char room[64] __attribute__((aligned(64)));

	memset(room, 1, 1 + pick(sizeof(room)));
	__asm__ volatile("" : : "r"(room) : "memory");
	dance(left - 1);
	AFTER();
}

/* All saved registers are in use, the frame pointer, too. */
APART static void full_handed(int left)
{
	uint64_t a = pick(9), b = pick(9), c = pick(9), d = pick(9), e = pick(9), f = pick(9);

	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
	dance(left - 1);
	__asm__ volatile("" : : "r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
}

__attribute__((noinline, noclone, optimize("no-omit-frame-pointer"))) static void
upright(int left)
{
	dance(left - 1);
	AFTER();
}

APART static void jumper(int left)
{
	jmp_buf here, *before = own->way_out;

	own->way_out = &here;
	if (!setjmp(here))
		dance(left - 1);
	own->way_out = before;
}

static int by_chance(const void *a, const void *b)
{
	if (!pick(6))
		dance(2);
	return *(const int *)a - *(const int *)b;
}

APART static void sorter(int left)
{
	int numbers[6];

	(void)left;
	for (unsigned i = 0; i < 6; i++)
		numbers[i] = (int)pick(100);
	qsort(numbers, 6, sizeof(int), by_chance);
}

APART static void signaller(int left)
{
	if (!own->in_signal)
		raise(SIGUSR1);
	dance(left - 1);
	AFTER();
}

/* The stack is another one for a while. */
APART static void visitor(int left)
{
	int from = own->guest, to = (int)pick(COROUTINES);
	jmp_buf *before = own->way_out;

	if (!own->in_signal && from != to) {
		own->guest = from < 0 ? to : -1;
		own->way_out = NULL;
		swapcontext(from < 0 ? &own->home : &own->guests[from],
			    from < 0 ? &own->guests[to] : &own->home);
		own->way_out = before;
		own->guest = from;
	}
	dance(left - 1);
	AFTER();
}

APART static void diver(int left)
{
	if (left % 16 == 0)
		spin();
	if (left > 0)
		diver(left - 1);
	AFTER();
}

static void (*const steps[])(int) = { left_foot, right_foot, either, roomy, aligned, full_handed,
				      upright, jumper, sorter, signaller, visitor, left_foot };

APART static void dance(int left)
{
	if (!pick(3))
		spin();
	if (left > 0)
		steps[pick(sizeof(steps) / sizeof(steps[0]))](left);
	else if (own->way_out && !pick(8))
		longjmp(*own->way_out, 1);
	AFTER();
}

static void on_signal(int signal)
{
	jmp_buf *before = own->way_out;
	bool was_in = own->in_signal;

	(void)signal;
	own->in_signal = true;
	own->way_out = NULL;
	dance((int)pick(8));
	own->way_out = before;
	own->in_signal = was_in;
}

static void be_guest(void)
{
	for (;;)
		dance(4 + (int)pick(12));
}

static void *run(void *arg)
{
	struct dancer *dancer = arg;
	stack_t stack = { .ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES };
	void *library;

	own = dancer;
	own->guest = -1;
	if (!stack.ss_sp || sigaltstack(&stack, NULL))
		err(1, "sigaltstack");
	for (unsigned i = 0; i < COROUTINES; i++) {
		ucontext_t *guest = &own->guests[i];

		getcontext(guest);
		guest->uc_stack = (stack_t){ .ss_sp = malloc(STACK_BYTES), .ss_size = STACK_BYTES };
		makecontext(guest, be_guest, 0);
	}
	while (time(NULL) < end) {
		dance(4 + (int)pick(30));
		if (!pick(8))
			diver(50 + (int)pick(600));
		if (!pick(8)) {
			library = dlopen(pick(2) ? "libm.so.6" : "libz.so.1", RTLD_NOW);
			dance(4);
			if (library)
				dlclose(library);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static struct dancer dancers[16];
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER };
	int threads = argc == 3 ? atoi(argv[2]) : 0;

	if (threads < 1 || threads > 16)
		errx(1, "usage: twist SECONDS THREADS");
	end = time(NULL) + atoi(argv[1]);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < threads; i++) {
		dancers[i].random = 12345u + 77u * i;
		if (pthread_create(&dancers[i].thread, NULL, run, &dancers[i]))
			errx(1, "pthread_create");
	}
	for (int i = 0; i < threads; i++)
		pthread_join(dancers[i].thread, NULL);
	return 0;
}
