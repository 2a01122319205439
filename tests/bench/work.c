// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * work KIND COUNT: a fixed amount of work, and the nanoseconds it took: "frames20", "frames100" (a
 * loop that deep in a stack), "syscalls", "forks" (fork and exec), "maps" (an executable mapping
 * made, changed twice, removed), "pipes10", "pipes60" (two processes that deep in a stack hand a
 * byte to and fro).
 */
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned long count;

__attribute__((noinline)) static unsigned long descend(int levels)
{
	unsigned long sum = 0;

	if (levels > 1) {
		sum = descend(levels - 1);
	} else {
		for (unsigned long i = 0; i < count; i++)
			__asm__ volatile("" : "+r"(sum));
	}
	__asm__ volatile("" : "+r"(sum));
	return sum;
}

static void frames20(void)
{
	descend(18);
}

static void frames100(void)
{
	descend(98);
}

static void syscalls(void)
{
	int fd = open("/dev/zero", O_RDONLY);
	char byte;

	for (unsigned long i = 0; i < count; i++) {
		getppid();
		if (pread(fd, &byte, 1, 0) != 1)
			err(1, "pread");
	}
}

static void forks(void)
{
	for (unsigned long i = 0; i < count; i++) {
		pid_t pid = fork();

		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			execl("/proc/self/exe", "work", NULL);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
}

static void maps(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	for (unsigned long i = 0; i < count; i++) {
		void *at = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

		if (at == MAP_FAILED || mprotect(at, 4096, PROT_READ) ||
		    mprotect(at, 4096, PROT_READ | PROT_EXEC) || munmap(at, 8192))
			err(1, "mapping");
	}
}

static int there[2], back[2];

static void pass(int from, int to)
{
	char byte;

	for (unsigned long i = 0; i < count; i++)
		if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
			err(1, "the pipes");
}

__attribute__((noinline)) static int pass_deep(int levels, int from, int to)
{
	int sum = 0;

	if (levels > 1)
		sum = pass_deep(levels - 1, from, to);
	else
		pass(from, to);
	__asm__ volatile("" : "+r"(sum));
	return sum;
}

static void pipes(int levels)
{
	pid_t pid;

	if (pipe(there) || pipe(back))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		pass_deep(levels, there[0], back[1]);
		_exit(0);
	}
	if (write(there[1], "", 1) != 1)
		err(1, "write");
	/* The last byte is in a pipe that nobody reads any more. */
	pass_deep(levels, back[0], there[1]);
	waitpid(pid, NULL, 0);
}

static void pipes10(void)
{
	pipes(5);
}

static void pipes60(void)
{
	pipes(55);
}

static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "frames20", frames20 }, { "frames100", frames100 }, { "syscalls", syscalls },
	{ "forks", forks },	  { "maps", maps },	    { "pipes10", pipes10 },
	{ "pipes60", pipes60 },
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

int main(int argc, char **argv)
{
	/* As much of a stack as copies may be of. */
	char room[20480];
	uint64_t begin;

	memset(room, 1, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");

	/* What forks() executes. */
	if (argc == 1)
		return 0;
	if (argc != 3)
		errx(1, "usage: work KIND COUNT");
	count = strtoul(argv[2], NULL, 10);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[1]))
			continue;
		begin = now_ns();
		kinds[i].run();
		printf("%llu\n", (unsigned long long)(now_ns() - begin));
		return 0;
	}
	errx(1, "no work is called %s", argv[1]);
}
