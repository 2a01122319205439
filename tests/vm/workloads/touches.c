// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * N [FILE]: touches N fresh pages of memory, has a child write to them all, and reads N pages of a
 * mapped file, one fault each.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

#define PAGE 4096

FUNCTION static void touch_fresh(volatile char *pages, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		pages[i * PAGE] = 1;
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void touch_shared(volatile char *pages, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		pages[i * PAGE] = 2;
	__asm__ volatile("" ::: "memory");
}

FUNCTION static int touch_file(const volatile char *pages, uint64_t n)
{
	int sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += pages[i * PAGE];
	__asm__ volatile("" ::: "memory");
	return sum;
}

static char *map(uint64_t n, int fd)
{
	char *pages = mmap(NULL, n * PAGE, fd < 0 ? PROT_READ | PROT_WRITE : PROT_READ,
			   fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (pages == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	madvise(pages, n * PAGE, fd < 0 ? MADV_NOHUGEPAGE : MADV_RANDOM);
	return pages;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	char *pages = map(n, -1);
	pid_t child;
	int fd;

	touch_fresh(pages, n);
	child = fork();
	if (!child) {
		touch_shared(pages, n);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	if (argc > 2) {
		fd = open(argv[2], O_RDONLY);
		if (fd < 0) {
			perror(argv[2]);
			return 1;
		}
		touch_file(map(n, fd), n);
	}
	truth("faults", n);
	return 0;
}
