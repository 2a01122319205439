/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that says what its threads are at work for (OTEP 4947): traces MILLISECONDS [LIBRARY].
 * The variable is in a library that it is linked to, or in LIBRARY, or with -DOWN in itself; with
 * -DVARIABLE this is the library.
 *
 * Each of two threads has a trace of its own: the program's name, filled up with '-', and its
 * number.  Of its CPU time three parts are for span "reading-", six for "writing-", and one for
 * none; it sleeps in "sleeping".  Spans have attributes, those of "writing-" two in turn; what
 * their keys are is in the program's own context.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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
	uint16_t bytes;
	char attributes[64];
} __attribute__((packed, aligned(2)));

/* Number of a key, length, and value of each. */
struct attributes {
	uint16_t bytes;
	const char *data;
};

#define ATTRIBUTES(text) { sizeof(text) - 1, text }

static const struct attributes none, get = ATTRIBUTES("\0\3GET"),
					post[] = { ATTRIBUTES("\0\4POST\1\5/a/b1"),
						   ATTRIBUTES("\0\4POST\1\5/a/b2") };

/* A list of "http.method" and "http.route" for the key, in protocol buffers. */
static const char keys[] = "\x12\x3f\n\x1dthreadlocal.attribute_key_map"
			   "\x12\x1e*\x1c\n\r\n\vhttp.method\n\v\n\thttp.path";

static unsigned long ms;
static void **(*slot)(void);
static volatile uint64_t sink;

__attribute__((noinline)) static void traces_work(void)
{
	for (unsigned i = 0; i < 200000; i++)
		sink += i * i;
}

struct header {
	char signature[8];
	uint32_t version, bytes;
	uint64_t time_ns, address;
};

static void publish_keys(void)
{
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);
	struct header *header;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		abort();
	header = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	*header = (struct header){ "OTEL_CTX", 2, sizeof(keys) - 1, 1, (uintptr_t)keys };
	close(fd);
}

/* Thread 0 sets and clears its pointer, thread 1 the byte that says whether the record is valid. */
static void attach(int thread, struct record *record, const char *span,
		   const struct attributes *attributes)
{
	void *volatile *to = (void *volatile *)slot();

	record->valid = 0;
	if (thread == 0)
		*to = NULL;
	if (!span)
		return;
	memcpy(record->span, span, sizeof(record->span));
	record->bytes = attributes->bytes;
	if (attributes->bytes)
		memcpy(record->attributes, attributes->data, attributes->bytes);
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
			attach(thread, &record,
			       part < 3 ? "reading-" : part < 9 ? "writing-" : NULL,
			       part < 3 ? &get : &post[part % 2]);
			traces_work();
		}
		attach(thread, &record, "sleeping", &none);
		usleep(500);
		attach(thread, &record, NULL, &none);
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
	publish_keys();
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

#endif
