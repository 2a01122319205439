/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that looks like CPython 3.11, whose frames are garbage: pretend-python ROUNDS.  In each
 * round all words that an interpreter's frames could be made of are chosen by chance, among them
 * pointers to what is not mapped, or is so no longer.  Then it allocates, also on a signal stack of
 * 8 KiB, as functions that a script calls do.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE   4096u
#define PAGES  64u
#define WORDS  (PAGES * PAGE / 8)
#define KEY_AT 64
#define STACK  8192u

const uint32_t Py_Version = 0x030b07f0;
uint8_t _PyRuntime[1024];
void _PyEval_EvalFrameDefault(void);
static uint64_t *heap, *gone;
static uint64_t seed = 1;
static volatile unsigned n_done;

/* The address of the key is read from this. */
__asm__(".globl PyGILState_GetThisThreadState\n"
	".type PyGILState_GetThisThreadState, @function\n"
	"PyGILState_GetThisThreadState:\n"
	"	movl _PyRuntime+64(%rip), %edi\n"
	"	jmp pthread_getspecific@PLT\n"
	".size PyGILState_GetThisThreadState, . - PyGILState_GetThisThreadState\n");

static uint64_t chance(uint64_t below)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (seed >> 33) % below;
}

void __attribute__((noinline)) _PyEval_EvalFrameDefault(void)
{
	free(malloc(100 + chance(50)));
	n_done++;
}

static void on_signal(int number)
{
	(void)number;
	_PyEval_EvalFrameDefault();
}

static uint64_t any_word(void)
{
	switch (chance(8)) {
	case 0:
		return chance(1000);
	case 1:
		return (uint64_t)gone + chance(WORDS) * 8;
	case 2:
		return seed;
	case 3:
		return (uint64_t)heap + chance(PAGES * PAGE);
	case 4:
		return (uint64_t)&seed;
	default:
		return (uint64_t)heap + chance(WORDS) * 8;
	}
}

/* The latter half is unmapped, and something else is where the former one was. */
static void move(void)
{
	uint64_t *next = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (next == MAP_FAILED)
		abort();
	if (gone)
		munmap(gone, PAGES * PAGE / 2);
	gone = heap;
	if (gone)
		munmap((char *)gone + PAGES * PAGE / 2, PAGES * PAGE / 2);
	heap = next;
}

static void on_small_stack(void)
{
	char *stack = mmap(NULL, PAGE + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	const stack_t signal_stack = { .ss_sp = stack + PAGE, .ss_size = STACK };
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	if (stack == MAP_FAILED || mprotect(stack, PAGE, PROT_NONE) ||
	    sigaltstack(&signal_stack, NULL) || sigaction(SIGUSR1, &action, NULL))
		abort();
}

int main(int argc, char **argv)
{
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 1000;
	pthread_key_t *key = (pthread_key_t *)(_PyRuntime + KEY_AT);

	if (pthread_key_create(key, NULL))
		return 1;
	on_small_stack();
	for (unsigned round = 0; round < rounds; round++) {
		if (round % 50 == 0)
			move();
		for (unsigned i = 0; i < WORDS; i += 1 + chance(4))
			heap[i] = any_word();
		/* The first ones are followed most often. */
		pthread_setspecific(*key, (void *)(chance(20) ? (uint64_t)heap : any_word()));
		heap[7] = chance(20) ? (uint64_t)(heap + 100) : any_word();
		heap[101] = chance(20) ? (uint64_t)(heap + 200) : any_word();
		_PyEval_EvalFrameDefault();
		if (round % 10 == 0)
			raise(SIGUSR1);
	}
	printf("%u\n", n_done);
	return 0;
}
