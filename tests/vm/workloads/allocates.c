/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory in known amounts: allocates HOW, one of
 *
 *   known    leaks 100 blocks of 1000 bytes, makes 5000 temporary ones of 64, and has 200 of 10000
 *            at once, which it frees; resizes one block to 100, 200 ... 1000 bytes
 *   resident has 64 MiB for 0.4 s, then 16 MiB for 0.4 s, and touches all of it; then becomes sleep
 *   maps     maps 10 times 1 MiB and unmaps 7; 16 pages but for 4 in the middle; 1 MiB that grows
 *            to 4 and goes; 8 pages, of which 2 are replaced, and all go; a page that cannot grow
 *   kept     leaks as known does, and waits to be killed
 *   threads  32 threads, each of which frees what others have allocated; 20000 times, or N.
 *   tree     forks and runs itself, to a depth of 3
 *   signals  a timer whose handler allocates, while the program does
 *   deep     50000 calls inside each other; behind the 5000th each 200th allocates
 *   left     a signal handler that leaves the recording of a call by longjmp(); then 300000 blocks
 *   guess    code made at run time whose frame pointer is one of memory that disappears
 *   refused  requests of more than there is; then 200000 blocks of 1000 bytes.
 *   fifo     200000 blocks of 1000 bytes, each freed after 100 more.
 *   many     3 million blocks of 16 bytes, which it keeps.
 *   gone     loads FILE, deletes it, and has 8 threads in turn that call its allocate() 200000
 *            times.
 *   exits    threads that allocate in destructors of their own data
 *   reloads  dlopen() and dlclose() of FILE and FILE2 in turn, which have a function of one name
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define KNOWN __attribute__((noinline, noipa))

static void *volatile seen;

static KNOWN void leak(void)
{
	for (unsigned i = 0; i < 100; i++)
		seen = malloc(1000);
}

static KNOWN void churn(void)
{
	void *volatile block;

	for (unsigned i = 0; i < 5000; i++) {
		block = malloc(64);
		free(block);
	}
}

static KNOWN void release(void **blocks, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		free(blocks[i]);
}

static KNOWN void top(void)
{
	void *blocks[200];

	for (unsigned i = 0; i < 200; i++)
		blocks[i] = malloc(10000);
	/* Over more than one flush of the recorder. */
	usleep(1200000);
	release(blocks, 200);
}

static KNOWN void resize(void)
{
	void *block = NULL;

	for (unsigned bytes = 100; bytes <= 1000; bytes += 100)
		block = realloc(block, bytes);
	free(block);
}

static void known(void)
{
	leak();
	churn();
	top();
	resize();
}

static KNOWN void touch(size_t mib)
{
	char *block = malloc(mib << 20);

	memset(block, 1, mib << 20);
	seen = block;
	usleep(400000);
	free(block);
}

static void resident(void)
{
	usleep(400000);
	touch(64);
	touch(16);
	execlp("sleep", "sleep", "0.4", NULL);
}

#define PAGE	 4096ul
#define MAPPED	 PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS
#define MAP(bytes) mmap(NULL, bytes, MAPPED, -1, 0)

static KNOWN void map_keep(void)
{
	for (unsigned i = 0; i < 10; i++) {
		void *at = MAP(1 << 20);

		if (i >= 3)
			munmap(at, 1 << 20);
	}
}

static KNOWN void map_part(void)
{
	char *at = MAP(16 * PAGE - 1);

	munmap(at + 4 * PAGE, 4 * PAGE);
}

static KNOWN void map_grow(void)
{
	void *at = mremap(MAP(1 << 20), 1 << 20, 4 << 20, MREMAP_MAYMOVE);

	munmap(at, 4 << 20);
}

static KNOWN void map_over(void)
{
	char *at = MAP(8 * PAGE);

	if (mmap(at + 2 * PAGE, 2 * PAGE, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at + 2 * PAGE)
		abort();
	munmap(at, 8 * PAGE);
}

static KNOWN void map_fail(void)
{
	void *at = MAP(PAGE);

	if (mremap(at, PAGE, 1ul << 46, 0) != MAP_FAILED || munmap((char *)at + 1, PAGE) == 0)
		abort();
}

static void maps(void)
{
	map_keep();
	map_part();
	map_grow();
	map_over();
	map_fail();
}

#define SHARED 1024
static void *shared[SHARED];
static unsigned n_exchanges = 20000;

static void *exchange(void *data)
{
	uint64_t random = (uint64_t)(uintptr_t)data * 0x9e3779b97f4a7c15ULL + 1;

	for (unsigned i = 0; i < n_exchanges; i++) {
		void *mine;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		mine = malloc(random % 500 + 1);
		free(__atomic_exchange_n(&shared[random >> 20 & (SHARED - 1)], mine,
					 __ATOMIC_ACQ_REL));
	}
	return NULL;
}

static void run_threads(unsigned n, void *(*function)(void *))
{
	pthread_t threads[32];

	for (unsigned i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, function, (void *)(uintptr_t)(i + 1));
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static void tree(const char *self, unsigned depth)
{
	char next[8];

	churn();
	for (unsigned i = 0; depth && i < 3; i++) {
		pid_t child = i == 1 ? vfork() : fork();

		snprintf(next, sizeof(next), "%u", depth - 1);
		if (child == 0 && i < 2) {
			execl(self, self, "tree", next, NULL);
			_exit(1);
		}
		/* One goes on as it is. */
		if (child == 0) {
			churn();
			exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static volatile unsigned n_signals;

static void on_signal(int number)
{
	void *block = malloc(48);

	(void)number;
	free(block);
	n_signals++;
}

static KNOWN unsigned work_beside(unsigned depth)
{
	void *block = malloc(depth + 1);
	unsigned sum = depth > 20 ? 0 : work_beside(depth + 1);

	free(block);
	return sum + 1;
}

/*
 * The C library's functions are not for handlers: its lock would be held.  The library's own code
 * is interrupted all the same, since the handler runs in a thread that only it disturbs there.
 */
static void signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct itimerval timer = { { 0, 100 }, { 0, 100 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	while (n_signals < 2000)
		work_beside(0);
	timer = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &timer, NULL);
}

static KNOWN unsigned deep(unsigned left)
{
	void *block = left % 200 || left > 45000 ? NULL : malloc(left + 1);
	unsigned sum = left ? deep(left - 1) : 0;

	free(block);
	return sum + 1;
}

static void blocks(unsigned n, size_t bytes)
{
	while (n-- > 0)
		free(seen = malloc(bytes));
}

/* The code of libspt-memory.so. */
static uintptr_t ours, ours_end;
static sigjmp_buf before_call;
static volatile sig_atomic_t is_malloc, is_left;

static void leave(int number, siginfo_t *info, void *data)
{
	const ucontext_t *context = data;
#ifdef __x86_64__
	uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
	uintptr_t pc = context->uc_mcontext.pc;
#endif

	(void)number;
	(void)info;
	if (!is_malloc || pc < ours || pc >= ours_end)
		return;
	is_left = true;
	siglongjmp(before_call, 1);
}

static void left(void)
{
	struct itimerval timer = { .it_interval.tv_usec = 300, .it_value.tv_usec = 300 };
	struct sigaction action = { .sa_sigaction = leave, .sa_flags = SA_SIGINFO };
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "libspt-memory") && strstr(line, " r-xp "))
			sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &ours, &ours_end);
	if (maps)
		fclose(maps);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	sigsetjmp(before_call, 1);
	while (ours && !is_left) {
		is_malloc = true;
		seen = malloc(64);
		is_malloc = false;
		free(seen);
	}
	is_malloc = false;
	timer = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &timer, NULL);
	blocks(300000, 64);
}

#ifdef __x86_64__
#define STACK_BYTES (512UL << 10)
static char *behind_stack;

static KNOWN void allocate_thrice(void)
{
	blocks(2, 64);
	munmap(behind_stack, STACK_BYTES);
	blocks(1, 64);
}

/* push %rbp; mov %rdi, %rbp; call *%rsi; pop %rbp; ret */
static const uint8_t caller[] = { 0x55, 0x48, 0x89, 0xfd, 0xff, 0xd6, 0x5d, 0xc3 };
#define BEHIND_CALL 6

static void *run_made_code(void *data)
{
	uint8_t *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t *frame = (uint64_t *)behind_stack;

	memcpy(code, caller, sizeof(caller));
	frame[1] = (uint64_t)code + BEHIND_CALL;
	((void (*)(void *, void (*)(void)))code)(frame, allocate_thrice);
	return data;
}

static void guess(void)
{
	char *memory = mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	behind_stack = memory + STACK_BYTES;
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, memory, STACK_BYTES);
	pthread_create(&thread, &attributes, run_made_code, NULL);
	pthread_join(thread, NULL);
}
#else
static void guess(void)
{
	blocks(3, 64);
}
#endif

static void refused(void)
{
	volatile size_t huge = 1UL << 62, large = 1UL << 48;

	seen = calloc(huge, 3);
	seen = malloc(3 * huge);
	for (unsigned i = 0; i < 1000; i++) {
		seen = malloc(large);
		free(seen);
		seen = malloc(16);
	}
	blocks(200000, 1000);
}

static pthread_key_t key;

static void destroy(void *data)
{
	/* Once more, until the C library gives up. */
	pthread_setspecific(key, realloc(data, 32));
}

static void fifo(void)
{
	static void *held[100];

	for (unsigned i = 0; i < 200000; i++) {
		free(held[i % 100]);
		held[i % 100] = malloc(1000);
	}
}

static void many(void)
{
	for (unsigned i = 0; i < 3000000; i++)
		seen = malloc(16);
}

static void *live_shortly(void *data)
{
	(void)data;
	pthread_setspecific(key, malloc(16));
	churn();
	return NULL;
}

static void reloads(char **files)
{
	for (unsigned i = 0; i < 40; i++) {
		void *library = dlopen(files[i % 2], RTLD_NOW);
		void *(*allocate)(void) = library ? (void *(*)(void))dlsym(library, "allocate") : 0;

		if (!allocate)
			abort();
		free(allocate());
		dlclose(library);
	}
}

static void *call_allocate(void *allocate)
{
	for (unsigned i = 0; i < 200000; i++)
		free(((void *(*)(void))(uintptr_t)allocate)());
	return NULL;
}

static void gone(const char *file)
{
	void *library = dlopen(file, RTLD_NOW), *allocate = library ? dlsym(library, "allocate") : 0;

	if (!allocate || unlink(file) < 0)
		abort();
	for (unsigned i = 0; i < 8; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, call_allocate, allocate);
		pthread_join(thread, NULL);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "known";

	if (strcmp(how, "known") == 0)
		known();
	else if (strcmp(how, "maps") == 0)
		maps();
	else if (strcmp(how, "resident") == 0)
		resident();
	else if (strcmp(how, "kept") == 0) {
		leak();
		pause();
	} else if (strcmp(how, "threads") == 0) {
		n_exchanges = argc > 2 ? (unsigned)atoi(argv[2]) : n_exchanges;
		run_threads(32, exchange);
	} else if (strcmp(how, "tree") == 0)
		tree(argv[0], argc > 2 ? (unsigned)atoi(argv[2]) : 3);
	else if (strcmp(how, "signals") == 0)
		signals();
	else if (strcmp(how, "deep") == 0)
		deep(50000);
	else if (strcmp(how, "left") == 0)
		left();
	else if (strcmp(how, "guess") == 0)
		guess();
	else if (strcmp(how, "refused") == 0)
		refused();
	else if (strcmp(how, "fifo") == 0)
		fifo();
	else if (strcmp(how, "many") == 0)
		many();
	else if (strcmp(how, "gone") == 0 && argc > 2)
		gone(argv[2]);
	else if (strcmp(how, "exits") == 0) {
		pthread_key_create(&key, destroy);
		for (unsigned i = 0; i < 20; i++)
			run_threads(8, live_shortly);
	} else if (argc > 3)
		reloads(argv + 2);
	return 0;
}
