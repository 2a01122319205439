/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Eight threads wait for each other: for a mutex that is a variable, for one on the heap, and
 * hardly ever for one of a hundred others; a ninth waits for a condition.  Prints for each of the
 * two how long all of them waited, in ns.  An argument is after how many seconds they begin.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define ROUNDS	25
#define OTHERS	100

struct account {
	uint64_t ns[THREADS];
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER, other_locks[OTHERS];
static pthread_mutex_t *heap_lock;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_filled = PTHREAD_COND_INITIALIZER;
static int is_filled;
static struct account table, heap;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void take(pthread_mutex_t *lock, struct account *account, int thread)
{
	uint64_t begin = now();

	pthread_mutex_lock(lock);
	account->ns[thread] += now() - begin;
}

static void rest(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

__attribute__((noinline)) static void update_table(int thread)
{
	take(&table_lock, &table, thread);
	rest(3000000);
	pthread_mutex_unlock(&table_lock);
}

__attribute__((noinline)) static void update_heap(int thread)
{
	take(heap_lock, &heap, thread);
	rest(6000000);
	pthread_mutex_unlock(heap_lock);
}

static void *work(void *data)
{
	int thread = (int)(intptr_t)data;

	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_t *other = &other_locks[(i * THREADS + thread) % OTHERS];

		update_table(thread);
		update_heap(thread);
		pthread_mutex_lock(other);
		pthread_mutex_unlock(other);
	}
	return NULL;
}

static void *serve(void *data)
{
	pthread_mutex_lock(&queue_lock);
	while (!is_filled)
		pthread_cond_wait(&queue_filled, &queue_lock);
	pthread_mutex_unlock(&queue_lock);
	return data;
}

static void print(const char *name, const struct account *account)
{
	uint64_t ns = 0;

	for (int i = 0; i < THREADS; i++)
		ns += account->ns[i];
	printf("waited %s %llu\n", name, (unsigned long long)ns);
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS], server;

	if (argc > 1)
		sleep((unsigned)atoi(argv[1]));
	heap_lock = malloc(sizeof(*heap_lock));
	if (!heap_lock)
		return 1;
	pthread_mutex_init(heap_lock, NULL);
	for (int i = 0; i < OTHERS; i++)
		pthread_mutex_init(&other_locks[i], NULL);
	pthread_create(&server, NULL, serve, NULL);
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_lock(&queue_lock);
	is_filled = 1;
	pthread_cond_signal(&queue_filled);
	pthread_mutex_unlock(&queue_lock);
	pthread_join(server, NULL);
	print("table_lock", &table);
	print("heap_lock", &heap);
	free(heap_lock);
	return 0;
}
