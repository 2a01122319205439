/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that leave their stacks, or a function, in other ways than by returning: HOW, one of
 *
 *   edge      Calls on stacks that end with a mapping, of functions that switch to them by hand.
 *   contexts  4,000 contexts of 16 KiB, whose stacks are unmapped behind their last call.
 *   preempt   Contexts that a signal handler switches, wherever they are.
 *   leave     A signal handler leaves calls that wait by siglongjmp().
 *   cancel    Threads are cancelled while they wait; their cleanup handlers call.
 *   shared    Two processes share memory, thread-local variables as well.
 *   exits     Destructors of keys, atexit() and the like call.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>

#include "odd.h"

#define PAGE 4096UL

/* A stack whose last byte is that of a mapping, with nothing mapped behind it. */
static char *end_of_stack(size_t bytes)
{
	char *at = mmap(NULL, bytes + PAGE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		err(1, "no stack");
	munmap(at + bytes, PAGE);
	return at + bytes;
}

static void calls(void)
{
	odd_allocate(20);
	counted_wait();
}

#ifdef __x86_64__
#define SWITCH(end, function)                                                                      \
	__asm__ volatile("mov %%rsp, %%rbx; mov %0, %%rsp; call *%1; mov %%rbx, %%rsp"             \
			 :                                                                         \
			 : "r"(end), "r"(function)                                                 \
			 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",     \
			   "memory", "cc")
#else
#define SWITCH(end, function)                                                                      \
	__asm__ volatile("mov x19, sp; mov sp, %0; blr %1; mov sp, x19"                            \
			 :                                                                         \
			 : "r"(end), "r"(function)                                                 \
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",      \
			   "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x30",          \
			   "memory", "cc")
#endif

/* Its rules count from the stack pointer, which is that of another stack. */
__attribute__((optimize("omit-frame-pointer"))) static COUNTED void
switch_to(char *end, void (*function)(void))
{
	SWITCH(end, function);
}

/* This one's count from the frame pointer, which is that of the stack before. */
__attribute__((optimize("no-omit-frame-pointer"))) static COUNTED void
switch_with_frame(char *end, void (*function)(void))
{
	SWITCH(end, function);
}

static char *beyond;

/* What is behind the stack is there at first, and then no more. */
static void calls_on_edge(void)
{
	calls();
	munmap(beyond, 16 * PAGE);
	calls();
}

static void edge(void)
{
	for (unsigned i = 0; i < 200; i++) {
		char *end = end_of_stack(16 * PAGE);

		(i % 2 ? switch_with_frame : switch_to)(end, calls);
		munmap(end - 16 * PAGE, 16 * PAGE);
		beyond = end_of_stack(32 * PAGE) - 16 * PAGE;
		(i % 2 ? switch_with_frame : switch_to)(beyond, calls_on_edge);
		munmap(beyond - 16 * PAGE, 16 * PAGE);
	}
}

static ucontext_t back, context, other;

static COUNTED void deeper(unsigned n)
{
	volatile char room[100];

	room[0] = 1;
	if (n)
		deeper(n - 1);
	else
		odd_allocate(3);
	room[1] = room[0];
}

static void in_context(void)
{
	odd_allocate(10);
	swapcontext(&context, &back);
	deeper(20);
	swapcontext(&context, &back);
	counted_wait();
	deeper(5);
}

static void contexts(void)
{
	for (unsigned i = 0; i < 4000; i++) {
		char *stack = mmap(NULL, 16384, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		getcontext(&context);
		context.uc_stack.ss_sp = stack;
		context.uc_stack.ss_size = 16384;
		context.uc_link = &back;
		makecontext(&context, in_context, 0);
		for (unsigned j = 0; j < 3; j++) {
			swapcontext(&back, &context);
			odd_allocate(2);
		}
		munmap(stack, 16384);
	}
}

static volatile sig_atomic_t is_second, is_at_end;
static unsigned n_switches;

static void preempt_now(int signal)
{
	int error = errno;

	(void)signal;
	n_switches++;
	if (is_second) {
		is_second = 0;
		swapcontext(&other, &context);
	} else if (!is_at_end) {
		is_second = 1;
		swapcontext(&context, &other);
	}
	errno = error;
}

static void sleep_shortly(void)
{
	struct timespec time = { 0, 1000 };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void for_ever(void)
{
	for (;;)
		sleep_shortly();
}

static void preempt(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = preempt_now, .sa_flags = SA_RESTART };
	struct timespec begin, now;

	getcontext(&other);
	other.uc_stack.ss_sp = end_of_stack(1 << 16) - (1 << 16);
	other.uc_stack.ss_size = 1 << 16;
	makecontext(&other, for_ever, 0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		sleep_shortly();
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec < 3);
	is_at_end = 1;
	setitimer(ITIMER_REAL, &never, NULL);
	for (unsigned i = 0; i < 50; i++)
		counted_wait();
	if (n_switches < 100)
		errx(1, "%u switches", n_switches);
}

static sigjmp_buf away;

static void leave_now(int signal)
{
	(void)signal;
	siglongjmp(away, 1);
}

static void leave(void)
{
	struct itimerval often = { { 0, 700 }, { 0, 700 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = leave_now };
	volatile unsigned n = 0;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (n < 3000) {
		if (sigsetjmp(away, 1)) {
			n++;
			continue;
		}
		for (;;)
			sleep_shortly();
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	for (unsigned i = 0; i < 50; i++)
		counted_wait();
	odd_allocate(1000);
}

static void clean_up(void *data)
{
	(void)data;
	odd_allocate(5);
	counted_wait();
}

static int ends[2];

static void *wait_for_ever(void *data)
{
	char byte;

	pthread_cleanup_push(clean_up, NULL);
	odd_allocate(5);
	if (data)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	if (read(ends[0], &byte, 1) < 0)
		err(1, "read");
	pthread_cleanup_pop(0);
	return NULL;
}

static void cancel(void)
{
	if (pipe(ends))
		err(1, "pipe");
	for (unsigned i = 0; i < 400; i++) {
		pthread_t thread;
		void *ret;

		odd_start(&thread, wait_for_ever, i % 2 ? &thread : NULL);
		usleep(200);
		pthread_cancel(thread);
		pthread_join(thread, &ret);
		if (ret != PTHREAD_CANCELED)
			errx(1, "a thread was not cancelled");
	}
}

static int share(void *data)
{
	(void)data;
	for (unsigned i = 0; i < 3000; i++)
		counted_wait();
	_exit(0);
}

static void shared(void)
{
	pid_t child = clone(share, end_of_stack(1 << 16), CLONE_VM | SIGCHLD, NULL);

	for (unsigned i = 0; i < 3000; i++)
		counted_wait();
	odd_await(child, "child");
}

static pthread_key_t keys[3];

static void destroy(void *data)
{
	int n = (int)(intptr_t)data;

	odd_allocate(7);
	counted_wait();
	if (n < 4)
		pthread_setspecific(keys[0], (void *)(intptr_t)(n + 1));
}

static void *exits_of_thread(void *data)
{
	for (unsigned i = 0; i < 3; i++)
		pthread_setspecific(keys[i], (void *)(intptr_t)(i ? 4 : 1));
	odd_allocate(7);
	return data;
}

static void at_exit(void)
{
	odd_allocate(9);
	counted_wait();
}

__attribute__((destructor)) static void destructor(void)
{
	if (odd_counts)
		at_exit();
}

static void exits(void)
{
	atexit(at_exit);
	for (unsigned i = 0; i < 3; i++)
		pthread_key_create(&keys[i], destroy);
	for (unsigned i = 0; i < 300; i++) {
		pthread_t thread;

		odd_start(&thread, exits_of_thread, NULL);
		pthread_join(thread, NULL);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{ "edge", edge },     { "contexts", contexts }, { "preempt", preempt }, { "leave", leave },
	{ "cancel", cancel }, { "shared", shared },	{ "exits", exits },
};

int main(int argc, char **argv)
{
	odd_begin();
	for (unsigned i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(argv[1], ways[i].name) != 0)
			continue;
		ways[i].run();
		printf("%s: done\n", argv[1]);
		return 0;
	}
	errx(1, "which way?");
}
