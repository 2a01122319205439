// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * N MS: two processes, and a mutex of the kernel's whose holder is known.  The first one, "keeper",
 * writes a page to a pipe that is not in memory, and gets it after MS milliseconds: it has the
 * pipe's mutex until then.  The second one, "waiter", writes to the same pipe meanwhile.  This is
 * done N times, once the file /tmp/go is there; the file /tmp/waiter has the waiter's pid.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

#define PAGE 4096

static unsigned long n;
static useconds_t us;
static int faults, data[2], turns[2];

FUNCTION static void wait_for_keeper(void)
{
	if (write(data[1], "", 1) != 1)
		err(1, "write");
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void keep_pipe(const char *page)
{
	if (write(data[1], page, 1) != 1)
		err(1, "write");
	__asm__ volatile("" ::: "memory");
}

static void be_waiter(void)
{
	uint64_t waited = 0;
	char turn;

	prctl(PR_SET_NAME, "waiter");
	while (access("/tmp/go", F_OK))
		usleep(10000);
	for (unsigned long i = 0; i < n; i++) {
		uint64_t begin;

		if (read(turns[0], &turn, 1) != 1)
			err(1, "turn");
		begin = wall_ns();
		wait_for_keeper();
		waited += wall_ns() - begin;
	}
	truth("waited", waited);
	fflush(stdout);
	/* It ends after the last holder's stack has been taken. */
	sleep(1);
	_exit(0);
}

static void *give_pages(void *unused)
{
	static char page[PAGE] __attribute__((aligned(PAGE)));
	struct uffd_msg message;

	(void)unused;
	for (unsigned long i = 0; i < n; i++) {
		struct uffdio_copy copy = { .src = (uintptr_t)page, .len = PAGE };

		if (read(faults, &message, sizeof(message)) != sizeof(message) ||
		    write(turns[1], "", 1) != 1)
			err(1, "userfaultfd");
		usleep(us);
		copy.dst = message.arg.pagefault.address & ~(PAGE - 1ULL);
		if (ioctl(faults, UFFDIO_COPY, &copy))
			err(1, "UFFDIO_COPY");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct uffdio_register whole = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	pthread_t thread;
	char *pages, byte;
	pid_t waiter;
	FILE *file;

	if (argc != 3)
		errx(2, "usage: pipe-lock N MS");
	n = strtoul(argv[1], NULL, 10);
	us = (useconds_t)strtoul(argv[2], NULL, 10) * 1000;
	if (pipe(data) || pipe(turns))
		err(1, "pipe");
	waiter = fork();
	if (!waiter)
		be_waiter();
	prctl(PR_SET_NAME, "keeper");
	pages = mmap(NULL, n * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	whole.range.start = (uintptr_t)pages;
	whole.range.len = n * PAGE;
	if (waiter < 0 || faults < 0 || pages == MAP_FAILED || ioctl(faults, UFFDIO_API, &api) ||
	    ioctl(faults, UFFDIO_REGISTER, &whole) ||
	    pthread_create(&thread, NULL, give_pages, NULL))
		err(1, "userfaultfd");
	file = fopen("/tmp/waiter", "we");
	if (!file || fprintf(file, "%d\n", waiter) < 0 || fclose(file))
		err(1, "/tmp/waiter");
	while (access("/tmp/go", F_OK))
		usleep(10000);
	for (unsigned long i = 0; i < n; i++) {
		keep_pipe(pages + i * PAGE);
		if (read(data[0], &byte, 1) != 1 || read(data[0], &byte, 1) != 1)
			err(1, "read");
	}
	waitpid(waiter, NULL, 0);
	return 0;
}
