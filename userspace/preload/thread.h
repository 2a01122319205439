/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library's state of each thread: its ring, the frames of its last call, and the nodes that it
 * has written.  All of it is in memory that the kernel zeroes in the child of a fork.  There @slot
 * is NULL, however the child was made, and the thread begins anew.
 */
#ifndef SPT_PRELOAD_THREAD_H
#define SPT_PRELOAD_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "rings/layout.h"

#define SPT_MOST_FRAMES	 16384u
#define SPT_MOST_WATCHES (3u * SPT_MOST_FRAMES)
#define SPT_NODE_CACHE	 (1u << 14)
#define SPT_TOLD_CODE	 256u
#define SPT_LATEST_CODE	 8u
/* Frames of a call in a signal handler that has interrupted the library itself. */
#define SPT_NESTED_FRAMES 512u

/* A word of the stack that a walk has read. */
struct spt_watch {
	const uint64_t *at;
	uint64_t value;
};

/*
 * A frame of the last call.  They are stored from the outermost on; [0] is no frame, and represents
 * the end.
 */
struct spt_frame {
	uint64_t pc, sp, bp;
	uint32_t node;
	uint32_t needs_bp;		/* the walk outwards from here uses bp */
	uint32_t watches;		/* the first of the words by which the frame was found */
	uint32_t unused;
};

/* A step outwards, with the places of the words that led there; 0: no such word. */
struct spt_step {
	uint64_t pc, sp, bp, rule;
	uint64_t pc_at, bp_at, sp_at;
	bool is_guess;			/* found by frame pointers, or beyond such a frame */
};

struct spt_known_node {
	uint64_t pc;
	uint32_t parent, node;
};

struct spt_thread {
	struct spt_ring_slot *slot;	/* NULL: not ready */
	uint64_t *words;
	uint32_t reserved;		/* words of the ring that are taken */
	/* calls that are being recorded: more than 1 with signal handlers */
	uint32_t depth;
	uint64_t busy_sp;		/* stack pointer of the outermost one */
	uint64_t last_stamp;
	uint32_t n_events;		/* recorded so far, to notice others in between */
	uint32_t n_nodes;
	uint32_t generation;
	struct spt_frame *innermost;	/* of those that are kept */
	uint64_t mean_bytes;		/* 0: every call is recorded */
	int64_t left;			/* bytes until the next one that is picked */
	uint64_t random;
	struct spt_frame frames[SPT_MOST_FRAMES + 1];
	struct spt_watch watches[SPT_MOST_WATCHES];
	struct spt_step steps[SPT_MOST_FRAMES];
	struct spt_step nested_steps[SPT_NESTED_FRAMES];
	struct spt_known_node nodes[SPT_NODE_CACHE];
	/* Starts of code that was described, and start and end of the latest. */
	uint64_t told_code[SPT_TOLD_CODE];
	uint64_t latest_code[SPT_LATEST_CODE][2];
	uint32_t n_latest;
};

extern __thread struct spt_thread *spt_self __attribute__((tls_model("initial-exec")));

/* The thread's state, if its calls are recorded; else NULL. */
struct spt_thread *spt_thread_begin(void);

static inline struct spt_thread *spt_thread_get(void)
{
	struct spt_thread *thread = spt_self;

	return __builtin_expect(thread && thread->slot, 1) ? thread : spt_thread_begin();
}

/* The place of a frame: what malloc() knows of its caller. */
struct spt_place {
	uint64_t pc, sp, bp;
};

/* The node of the stack from @place on. */
uint32_t spt_walk(struct spt_thread *thread, const struct spt_place *place);
/* The same without the kept frames, in a signal handler that has interrupted spt_walk(). */
uint32_t spt_walk_nested(struct spt_thread *thread, const struct spt_place *place);

/* Ring. */

void spt_ring_wait(struct spt_thread *thread, uint32_t at, uint32_t end);

static inline bool spt_ring_has_room(const struct spt_thread *thread, uint32_t end)
{
	/* Pairs with the release of the tail in spt_ring_reader_end(). */
	return end - __atomic_load_n(&thread->slot->tail, __ATOMIC_ACQUIRE) <= SPT_RING_WORDS;
}

/*
 * Reserves @n words, and waits until there is room for them.  Returns the position of the first
 * one.
 */
static inline uint32_t spt_ring_take(struct spt_thread *thread, unsigned n)
{
	uint32_t at = n;

	/* One instruction: a signal handler that comes in between takes what follows. */
	__asm__ volatile("xaddl %0, %1" : "+r"(at), "+m"(thread->reserved));
	if (__builtin_expect(!spt_ring_has_room(thread, at + n), 0))
		spt_ring_wait(thread, at, at + n);
	return at;
}

static inline void spt_ring_put(struct spt_thread *thread, uint32_t at, uint64_t word)
{
	thread->words[at & (SPT_RING_WORDS - 1)] = word;
}

/* The library's connection to its recorder. */
struct spt_recorder_link {
	struct spt_rings_header *rings;	/* NULL: nothing is recorded */
	char path[64];
	uint64_t inode;
};
extern struct spt_recorder_link spt_link;

uint64_t spt_stamp_by_call(void);

/* The time now, in stamps. */
static inline uint64_t spt_stamp(void)
{
	if (__builtin_expect(spt_link.rings->clock == SPT_RINGS_TSC, 1))
		return __builtin_ia32_rdtsc() >> SPT_STAMP_SHIFT;
	return spt_stamp_by_call();
}

/* Whether the recorder still exists; if not, nothing is recorded from now on. */
bool spt_link_check(void);

#endif
