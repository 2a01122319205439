/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory on demand, for recorders that come while it runs: awaits DIRECTORY THREADS.  Each time
 * that DIRECTORY/go appears it is removed, and the same THREADS threads allocate: each 40000 times
 * 400 bytes, which it frees, and 1000 times 1000 bytes, which it keeps; then DIRECTORY/done is
 * made.  With "forks" a child, whose number is in DIRECTORY/child, does the same as its parent.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_THREADS 64

static pthread_barrier_t barrier;
static const char *directory;

static void *volatile kept;

__attribute__((noinline)) static void passes(void)
{
	void *at = malloc(400);

	__asm__ volatile("" : : "r"(at) : "memory");
	free(at);
}

__attribute__((noinline)) static void stays(void)
{
	kept = malloc(1000);
	__asm__ volatile("" : : : "memory");
}

static void *work(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_barrier_wait(&barrier);
		for (int i = 0; i < 40000; i++) {
			passes();
			if (i % 40 == 0)
				stays();
		}
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void path_of(char *path, size_t bytes, const char *name)
{
	snprintf(path, bytes, "%s/%s", directory, name);
}

static void tell(const char *name, int number)
{
	char path[4096], text[32];
	int fd;

	path_of(path, sizeof(path), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	snprintf(text, sizeof(text), "%d\n", number);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		exit(1);
	close(fd);
}

static void serve(int n_threads, const char *go, const char *done)
{
	char path[4096];
	pthread_t thread;

	path_of(path, sizeof(path), go);
	pthread_barrier_init(&barrier, NULL, (unsigned)n_threads + 1);
	for (int i = 0; i < n_threads; i++)
		if (pthread_create(&thread, NULL, work, NULL))
			exit(1);
	tell(done, getpid());
	for (int rest = 6000; rest > 0; rest--) {
		if (unlink(path) == 0) {
			pthread_barrier_wait(&barrier);
			pthread_barrier_wait(&barrier);
			tell(done, getpid());
		}
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	int n_threads = argc > 2 ? atoi(argv[2]) : 0;
	pid_t child;

	if (n_threads < 1 || n_threads > MOST_THREADS)
		return 2;
	directory = argv[1];
	child = argc > 3 ? fork() : 1;
	if (child < 0)
		return 1;
	if (child)
		serve(n_threads, "go", "done");
	else
		serve(n_threads, "child-go", "child");
	return 0;
}
