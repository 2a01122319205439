/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a process finds its recorder.  All that the library's functions need is had here, once,
 * before main(): the functions that they replace, the recorder's memory, the code in memory,
 * clocks.
 * Afterwards nothing is looked for by name, and no descriptor is needed: so it does not matter
 * whether the process has changed its user, root or namespaces, or closed all descriptors.
 */
#ifndef SPT_PRELOAD_CONNECT_H
#define SPT_PRELOAD_CONNECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "real.h"
#include "rings/layout.h"

/* The library's connection to its recorder. */
struct spt_recorder_link {
	struct spt_rings_header *rings;	/* NULL: nothing is recorded */
	const uint32_t *is_over;	/* != 0: nothing is recorded, or nothing more */
	bool waits;			/* the rings are the program's own, for recorders to come */
	uint64_t page_bytes;
};
extern struct spt_recorder_link spt_link;

/* Whether the CPU's counter is the clock. */
extern bool spt_has_counter;

/* Functions that both libraries need; NULL where the program has none. */
struct spt_functions {
	int (*dlclose)(void *handle);
	int (*iconv_close)(void *handle);
	int (*prctl)(int option, long a, long b, long c, long d);
	int (*mlockall)(int flags);
	long (*syscall)(long n, long a, long b, long c, long d, long e, long f);
	spt_iterate_fn iterate;
	int (*key_create)(unsigned *key, void (*destroy)(void *));
	int (*set_specific)(unsigned key, const void *value);
	int *(*errno_location)(void);
	void *const *program_break;	/* glibc's variable: where the heap ends */
};
extern struct spt_functions spt_functions;

void spt_connect_now(void);
extern uint32_t spt_connect_state;
#define SPT_CONNECTED 2u

/* Afterwards the members of spt_link and spt_functions do not change. */
static inline void spt_connect(void)
{
	/* Acquire: pairs with the release by the thread that has connected. */
	if (__builtin_expect(__atomic_load_n(&spt_connect_state, __ATOMIC_ACQUIRE) !=
				     SPT_CONNECTED, 0))
		spt_connect_now();
}

static inline bool spt_is_over(void)
{
	return __builtin_expect(__atomic_load_n(
		__atomic_load_n(&spt_link.is_over, __ATOMIC_RELAXED), __ATOMIC_RELAXED), 0);
}

/* Whether the recorder still exists; if not, this process records nothing from now on. */
bool spt_link_check(void);

/* Each of the libraries has its own: looks at the program, once it is connected. */
void spt_program_begun(void);
/* Nothing of this process is recorded. */
void spt_link_leave(void);
/* Nor is the recorder's memory mapped.  No thread may be using it. */
void spt_link_unmap(void);
void spt_program_note(enum spt_program_note note, const char *name);

/* CLOCK_MONOTONIC, as the kernel has it. */
uint64_t spt_now_ns(void);
uint64_t spt_stamp_by_call(void);

/* The time now, in stamps. */
static inline uint64_t spt_stamp(void)
{
#ifdef __x86_64__
	if (__builtin_expect(spt_has_counter, 1))
		return __builtin_ia32_rdtsc() >> SPT_STAMP_SHIFT;
#endif
	return spt_stamp_by_call();
}

void spt_set_errno(int error);

/* A process image: after fork() the child is another one. */
struct spt_process {
	uint32_t image;			/* its number; 0: not begun yet */
	uint32_t pid;
	uint32_t own_pid;		/* what getpid() says */
	bool is_foreign, is_forked;	/* see struct spt_ring_slot */
	bool is_inside;			/* of another PID namespace than the recorder's */
};
/* Of this one; NULL: the system calls that it takes are not allowed any more. */
const struct spt_process *spt_process_begin(void);
/*
 * The recorder's numbers for the calling thread, where the process still sees the recorder's /proc.
 */
bool spt_process_numbers(uint32_t *ret_pid, uint32_t *ret_tid);

/* Memory that is private to the process, and wiped in its children.  NULL: there is none. */
void *spt_allocate(size_t bytes);

/* The rings that are in the process's memory. */
bool spt_rings_has(uint32_t slot);
/* Unmaps those that none of its threads has, but for @spare of them. */
void spt_rings_shrink(unsigned spare);

#endif
