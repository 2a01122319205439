/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that says what its threads are at work for (OTEP 4947): traces MILLISECONDS [LIBRARY].
 * The variable is in a library that it is linked to, or in LIBRARY, or with -DOWN in itself; with
 * -DVARIABLE this is the library.
 *
 * Each of two threads has a trace of its own: the program's name, filled up with '-', and its
 * number.  Of its CPU time three parts are for span "reading-", six for "writing-", and one for
 * none; it sleeps in "sleeping".
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void **traces_slot(void);

#if defined(VARIABLE) || defined(OWN)

__thread void *otel_thread_ctx_v1;
#ifdef LARGE
/* More than the loader has room for beside the variables of the program. */
__thread char traces_pad[1 << 16];
#endif

void **traces_slot(void)
{
	return &otel_thread_ctx_v1;
}

#endif

#ifndef VARIABLE

#define PARTS 10

struct record {
	char trace[16], span[8];
	volatile uint8_t valid;
	uint8_t flags;
	uint16_t attributes;
} __attribute__((packed, aligned(2)));

static unsigned long ms;
static void **(*slot)(void);
static volatile uint64_t sink;

__attribute__((noinline)) static void traces_work(void)
{
	for (unsigned i = 0; i < 200000; i++)
		sink += i * i;
}

/* Thread 0 sets and clears its pointer, thread 1 the byte that says whether the record is valid. */
static void attach(int thread, struct record *record, const char *span)
{
	void *volatile *to = (void *volatile *)slot();

	record->valid = 0;
	if (thread == 0)
		*to = NULL;
	if (!span)
		return;
	memcpy(record->span, span, sizeof(record->span));
	record->valid = 1;
	*to = record;
}

static void *work(void *data)
{
	int thread = data != NULL;
	struct record record = { .trace = "---------------" };
	struct timespec begin, now;

	memcpy(record.trace, program_invocation_short_name,
	       strnlen(program_invocation_short_name, sizeof(record.trace) - 1));
	record.trace[15] = (char)('0' + thread);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int part = 0; part < PARTS; part++) {
			attach(thread, &record, part < 3 ? "reading-" : part < 9 ? "writing-" : NULL);
			traces_work();
		}
		attach(thread, &record, "sleeping");
		usleep(500);
		attach(thread, &record, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((unsigned long)((now.tv_sec - begin.tv_sec) * 1000 +
				 (now.tv_nsec - begin.tv_nsec) / 1000000) < ms);
	*slot() = NULL;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	ms = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
#ifdef LOADED
	slot = (void **(*)(void))dlsym(dlopen(argv[2], RTLD_NOW), "traces_slot");
#else
	slot = traces_slot;
#endif
	if (!slot)
		return 1;
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

#endif
