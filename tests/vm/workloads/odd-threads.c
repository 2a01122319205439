/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * More threads than usual, and less memory: HOW, one of
 *
 *   many N    N threads at once.
 *   serial N  N threads, one after the other; says whether memory stays bounded.
 *   forks N   Nine processes, each of them the child of one that has N threads, with N others.
 *   full      A thread's first allocations when the address space is used up; later ones are sure.
 *   beyond N  N threads at once, and what 100,000 allocations cost in one more.
 *   small     A signal handler that prints and allocates on a stack of 8 KiB.
 *   lock      mlockall() by root; says whether what it locks is bounded.
 *   lockable  The same by another user who may lock 64 MiB at most.
 *   daemon    The same, as the first call of a child, and not by the C library's function.
 *   fault     Pages are locked once they are used, and then 20 threads begin.
 *   plain     8 threads that allocate.
 */
#include <malloc.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "odd.h"

#define KIB(n) ((size_t)(n) << 10)

#define N_BEYOND 100000

static pthread_barrier_t begun;
static unsigned n_along;

static unsigned long own_kib(const char *key)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, strlen(key)) == 0)
			kib = strtoul(line + strlen(key) + 1, NULL, 10);
	if (file)
		fclose(file);
	return kib;
}

static void *live_along(void *data)
{
	odd_allocate(10);
	__atomic_fetch_add(&n_along, 1, __ATOMIC_RELEASE);
	pthread_barrier_wait(&begun);
	odd_allocate(10);
	counted_wait();
	return data;
}

static pthread_t *start_many(unsigned n)
{
	pthread_t *threads = calloc(n, sizeof(*threads));
	pthread_attr_t attributes;

	pthread_barrier_init(&begun, NULL, n + 1);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, KIB(64));
	for (unsigned i = 0; i < n; i++) {
		int error = pthread_create(&threads[i], &attributes, live_along, NULL);

		if (error)
			errx(1, "thread %u: %s", i, strerror(error));
	}
	return threads;
}

static void join_many(pthread_t *threads, unsigned n)
{
	pthread_barrier_wait(&begun);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	printf("%u threads\n", n);
}

static void many(unsigned n)
{
	join_many(start_many(n), n);
}

static void forks(unsigned n)
{
	pid_t child = 0;

	for (unsigned i = 0; child == 0 && i < 9; i++) {
		pthread_t *threads = start_many(n);

		while (__atomic_load_n(&n_along, __ATOMIC_ACQUIRE) < n)
			odd_pause(1);
		n_along = 0;
		child = fork();
		if (child == 0)
			continue;
		pthread_barrier_wait(&begun);
		for (unsigned k = 0; k < n; k++)
			pthread_join(threads[k], NULL);
	}
	if (child != 0)
		waitpid(child, NULL, 0);
}

static uint64_t ran_ns(void)
{
	struct timespec ran;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran);
	return (uint64_t)ran.tv_sec * 1000000000 + (uint64_t)ran.tv_nsec;
}

static void *live_beyond(void *data)
{
	uint64_t begin;

	odd_allocate(10);
	begin = ran_ns();
	for (unsigned i = 0; i < N_BEYOND; i++)
		free(odd_reserve(64));
	odd_counts->flags[1] = (ran_ns() - begin) / (N_BEYOND / 1000);
	return data;
}

/* flags[1]: picoseconds of an allocation and its free, in a thread for which nothing is left. */
static void beyond(unsigned n)
{
	pthread_t *threads = start_many(n), one;

	while (__atomic_load_n(&n_along, __ATOMIC_ACQUIRE) < n)
		odd_pause(1);
	odd_start(&one, live_beyond, NULL);
	pthread_join(one, NULL);
	join_many(threads, n);
}

static void *live_shortly(void *data)
{
	odd_allocate(20);
	counted_wait();
	return data;
}

static void serial(unsigned n)
{
	unsigned long kib;

	for (unsigned i = 0; i < n; i++) {
		pthread_t thread;

		odd_start(&thread, live_shortly, NULL);
		pthread_join(thread, NULL);
	}
	kib = own_kib("RssAnon:");
	odd_counts->flags[1] = kib;
	printf("%u threads, resident memory is %s\n", n,
	       kib < 48 * 1024 ? "bounded" : "not bounded");
}

/* As odd_allocate().  Whatever else is missing, these are recorded. */
static COUNTED void sure_allocate(unsigned n)
{
	uint64_t bytes = 24 + 48;

	for (unsigned i = 0; i < n; i++)
		bytes += 16 + i % 64;
	odd_add(&odd_counts->sure_allocations, n + 2);
	odd_add(&odd_counts->sure_bytes, bytes);
	odd_add(&odd_counts->sure_freed, bytes);
	odd_allocate(n);
	/* Not as its last call: the recording has them inside of this function. */
	__asm__ volatile("" ::: "memory");
}

static void *allocate_in_none(void *data)
{
	pthread_barrier_wait(&begun);
	pthread_barrier_wait(&begun);
	for (unsigned i = 0; i < 1000; i++) {
		void *block = counted_malloc(64);

		if (block)
			counted_free(block);
	}
	counted_wait();
	pthread_barrier_wait(&begun);
	pthread_barrier_wait(&begun);
	sure_allocate(500);
	return data;
}

static void full(void)
{
	struct rlimit before, none;
	pthread_t threads[4];
	void *reserve;
	pid_t child;

	/* All threads allocate where there is some left. */
	mallopt(M_ARENA_MAX, 1);
	pthread_barrier_init(&begun, NULL, 5);
	for (unsigned i = 0; i < 4; i++)
		odd_start(&threads[i], allocate_in_none, NULL);
	/* Of which the threads get their blocks. */
	reserve = odd_reserve(KIB(100));
	pthread_barrier_wait(&begun);
	free(reserve);
	getrlimit(RLIMIT_AS, &before);
	none = (struct rlimit){ KIB(100), before.rlim_max };
	setrlimit(RLIMIT_AS, &none);
	pthread_barrier_wait(&begun);
	pthread_barrier_wait(&begun);
	setrlimit(RLIMIT_AS, &before);
	pthread_barrier_wait(&begun);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	child = fork();
	if (child == 0) {
		sure_allocate(1000);
		_exit(0);
	}
	odd_await(child, "a later child");
	printf("full: done\n");
}

static void on_signal(int number)
{
	char text[1024];
	void *block = counted_malloc(100);
	int length = snprintf(text, sizeof(text), "signal %d, %s, %.3f\n", number, "printed", 1.5);

	counted_free(block);
	counted_wait();
	if (write(STDOUT_FILENO, text, (size_t)length) != length)
		_exit(1);
}

static void small(void)
{
	unsigned long least = getauxval(AT_MINSIGSTKSZ);
	/* What SIGSTKSZ was for decades.  Frames with larger registers have more. */
	size_t bytes = KIB(8) + (least > KIB(4) ? least - KIB(4) : 0);
	size_t whole = (bytes + 4095) & ~(size_t)4095;
	char *memory = mmap(NULL, 4096 + whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack_t stack = { .ss_sp = memory + 4096, .ss_size = bytes };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	if (memory == MAP_FAILED || mprotect(memory + 4096, whole, PROT_READ | PROT_WRITE) ||
	    sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &action, NULL))
		err(1, "no stack");
	memset(memory + 4096, 'p', bytes);
	for (unsigned i = 0; i < 5; i++)
		raise(SIGUSR1);
	while (memory[4096 + odd_counts->flags[1]] == 'p')
		odd_counts->flags[1]++;
	odd_counts->flags[1] = bytes - odd_counts->flags[1];
}

static void lock_all(bool is_limited, bool is_direct)
{
	struct rlimit limit;
	unsigned long kib;
	int ret;

	if (!is_direct)
		odd_allocate(100);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (limit.rlim_max > 64 << 20)
		limit.rlim_max = 64 << 20;
	limit.rlim_cur = limit.rlim_max;
	if (is_limited && (setrlimit(RLIMIT_MEMLOCK, &limit) || setgid(65534) || setuid(65534)))
		err(1, "cannot drop rights");
	ret = is_direct ? (int)syscall(SYS_mlockall, MCL_CURRENT | MCL_FUTURE) :
			  mlockall(MCL_CURRENT | MCL_FUTURE);
	kib = own_kib("VmLck:");
	odd_counts->flags[1] = kib;
	printf("mlockall: %d, what is locked is %s\n", ret,
	       kib < 48 * 1024 ? "bounded" : "not bounded");
	for (unsigned i = 0; i < 3; i++) {
		pthread_attr_t attributes;
		pthread_t thread;

		pthread_attr_init(&attributes);
		pthread_attr_setstacksize(&attributes, KIB(256));
		if (pthread_create(&thread, &attributes, live_shortly, NULL))
			errx(1, "no thread");
		pthread_join(thread, NULL);
	}
	odd_allocate(100);
}

static void lock_in_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		lock_all(true, true);
		_exit(0);
	}
	odd_await(child, "a child");
	odd_allocate(100);
}

static void lock_on_fault(void)
{
	pthread_t threads[20];

	odd_allocate(100);
	printf("mlockall: %d\n", mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT));
	for (unsigned i = 0; i < 20; i++)
		odd_start(&threads[i], live_shortly, NULL);
	for (unsigned i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
}

static void *allocate_much(void *data)
{
	odd_allocate(20000);
	for (unsigned i = 0; i < 10; i++)
		counted_wait();
	return data;
}

static void plain(void)
{
	pthread_t threads[8];

	for (unsigned i = 0; i < 8; i++)
		odd_start(&threads[i], allocate_much, NULL);
	for (unsigned i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	printf("plain: done\n");
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "plain";

	odd_begin();
	if (strcmp(how, "many") == 0)
		many(odd_number(argc, argv, 2, 2100));
	else if (strcmp(how, "beyond") == 0)
		beyond(odd_number(argc, argv, 2, 2100));
	else if (strcmp(how, "forks") == 0)
		forks(odd_number(argc, argv, 2, 300));
	else if (strcmp(how, "serial") == 0)
		serial(odd_number(argc, argv, 2, 3000));
	else if (strcmp(how, "full") == 0)
		full();
	else if (strcmp(how, "small") == 0)
		small();
	else if (strcmp(how, "lock") == 0 || strcmp(how, "lockable") == 0)
		lock_all(strcmp(how, "lockable") == 0, false);
	else if (strcmp(how, "daemon") == 0)
		lock_in_child();
	else if (strcmp(how, "fault") == 0)
		lock_on_fault();
	else
		plain();
	return 0;
}
