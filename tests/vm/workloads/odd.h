/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the odd-* programs share: they do what few programs do, and count their own calls.  The
 * counts are in the file $ODD_COUNTS, which all processes of a run map, or in memory that forks
 * share.  So they outlive whatever happens to a process, and what it prints is always the same.
 *
 * The functions by which they call are named counted_*: a recording has to have as many calls of
 * these.
 */
#ifndef ODD_H
#define ODD_H

#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* noipa: the compiler knows nothing of what the function does, and keeps it as it is. */
#ifdef __cplusplus
#define COUNTED __attribute__((noinline, noclone, unused))
#else
#define COUNTED __attribute__((noipa, unused))
#endif
#define ODD_MS 1000000L

struct odd_counts {
	uint64_t allocations, bytes, frees, freed_bytes, waits;
	uint64_t unsure;   /* so much may be recorded more or less */
	uint64_t flags[4]; /* the programs' own */
	/* Of these the calls inside of sure_*(): whatever else is missing, they are not. */
	uint64_t sure_allocations, sure_bytes, sure_freed;
};

static struct odd_counts *odd_counts;

/* Maps the counts; before this nothing is counted. */
static void odd_begin(void)
{
	const char *path = getenv("ODD_COUNTS");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	if (at == MAP_FAILED)
		err(1, "cannot map the counts");
	if (fd >= 0)
		close(fd);
	odd_counts = (struct odd_counts *)at;
	setvbuf(stdout, NULL, _IONBF, 0);
}

static inline void odd_add(uint64_t *count, uint64_t n)
{
	__atomic_fetch_add(count, n, __ATOMIC_RELAXED);
}

static inline void *odd_count(void *block, size_t bytes)
{
	if (!block)
		return NULL;
	/* What a free counts. */
	memcpy(block, &bytes, sizeof(bytes));
	odd_add(&odd_counts->allocations, 1);
	odd_add(&odd_counts->bytes, bytes);
	return block;
}

static inline void odd_count_free(void *block)
{
	size_t bytes;

	memcpy(&bytes, block, sizeof(bytes));
	odd_add(&odd_counts->frees, 1);
	odd_add(&odd_counts->freed_bytes, bytes);
}

/* Of at least 8 bytes. */
static COUNTED void *counted_malloc(size_t bytes)
{
	return odd_count(malloc(bytes), bytes);
}

static COUNTED void *counted_calloc(size_t bytes)
{
	return odd_count(calloc(1, bytes), bytes);
}

static COUNTED void *counted_realloc(void *old, size_t bytes)
{
	if (old)
		odd_count_free(old);
	return odd_count(realloc(old, bytes), bytes);
}

static COUNTED void counted_free(void *block)
{
	odd_count_free(block);
	free(block);
}

static COUNTED void counted_wait(void)
{
	struct timespec time = { 0, 200000 };

	odd_add(&odd_counts->waits, 1);
	nanosleep(&time, NULL);
}

/* A byte that is not there yet. */
static COUNTED long counted_read(int fd)
{
	char byte;

	odd_add(&odd_counts->waits, 1);
	return read(fd, &byte, 1);
}

/* One call of each kind, and @n more. */
static inline void odd_allocate(unsigned n)
{
	void *block = counted_realloc(counted_calloc(24), 48);

	while (n-- > 0)
		counted_free(counted_malloc(16 + n % 64));
	counted_free(block);
}

/* A block that the compiler does not leave out. */
static inline void *odd_reserve(size_t bytes)
{
	void *block = malloc(bytes);

	__asm__ volatile("" : "+r"(block) : : "memory");
	return block;
}

static inline void odd_pause(unsigned ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * ODD_MS };

	nanosleep(&time, NULL);
}

/* Ends with one line if the child does not end well; @what names it. */
static inline void odd_await(pid_t child, const char *what)
{
	int status = 0;

	if (child < 0)
		err(1, "%s: no child", what);
	if (waitpid(child, &status, 0) != child)
		err(1, "%s: cannot wait", what);
	if (WIFSIGNALED(status))
		errx(1, "%s: ended by signal %d", what, WTERMSIG(status));
	if (WEXITSTATUS(status))
		errx(1, "%s: ended with status %d", what, WEXITSTATUS(status));
}

static inline void odd_start(pthread_t *thread, void *(*function)(void *), void *data)
{
	int error = pthread_create(thread, NULL, function, data);

	if (error)
		errx(1, "cannot start a thread: %s", strerror(error));
}

static inline unsigned odd_number(int argc, char **argv, int i, unsigned fallback)
{
	return argc > i ? (unsigned)atoi(argv[i]) : fallback;
}

#endif
