/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library's state of each thread: its ring, the frames of its last call, and the nodes that it
 * has written.  All of it is in memory that the kernel zeroes in the child of a fork.  There @state
 * is SPT_NO_RING, however the child was made, and the thread begins anew.
 */
#ifndef SPT_PRELOAD_THREAD_H
#define SPT_PRELOAD_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "code.h"
#include "connect.h"
#include "machine.h"
#include "rings/layout.h"
#include "script-state.h"

#define SPT_MOST_FRAMES	 32768u
/* Of one walk: it leaves room for frames inside of those that it finds. */
#define SPT_MOST_STEPS	 (SPT_MOST_FRAMES / 2)
#define SPT_MOST_WATCHES (3u * SPT_MOST_FRAMES)
/* The most nodes that a thread writes; then it begins anew.  Also the most places for them. */
#define SPT_NODES	 (1u << 19)
#define SPT_LEAST_NODES	 (1u << 12)
#define SPT_OWN_RULES	 4096u
/* Walks from a place to a kept frame, and the words that one may have read. */
#define SPT_MEMOS	 (1u << 14)
#define SPT_MEMO_WORDS	 10u
#define SPT_MEMO_PLACES	 (1u << 9)
#define SPT_STALE	 UINT64_MAX
#define SPT_WRITTEN_CODE 256u
#define SPT_LATEST_CODE	 8u
/* Frames of a call in a signal handler that has interrupted the library itself. */
#define SPT_NESTED_FRAMES 512u

/*
 * A word of the stack that a walk has read.  Arrays of them begin with one that always differs: it
 * ends a comparison.
 */
struct spt_watch {
	const uint64_t *at;
	uint64_t value;
};

/*
 * A frame of the last call.  They are stored from the outermost on; [0] is no frame, and represents
 * the end.
 */
struct spt_frame {
	uint64_t pc, sp;
	uint64_t bp;			/* 0 if the walk outwards from here does not need it */
	uint64_t path;			/* the hash of the stack up to here */
	uint64_t key;			/* the same with sp and bp */
	uint32_t node;			/* if has_node; looked up only where it is needed */
	uint32_t watches;		/* end of the words that were read to walk on from here */
	bool has_node, needs_bp;
	bool is_guess;			/* as in struct spt_step */
};

/* A node that was written.  Its place is in the hash of its stack, or one of the next. */
struct spt_known_node {
	uint64_t path;
	uint32_t node;			/* 0: none */
	uint32_t stack;			/* counted from 1 on; 0: only part of others */
};

/* A step outwards, with the places of the words that led there; 0: no such word. */
struct spt_step {
	uint64_t pc, sp, bp, rule;
	uint64_t pc_at, bp_at, sp_at;
	uint64_t link_at;		/* where a signal frame has the return address; 0: none */
	uint64_t stack_end;		/* of the stack, if it is a guess */
	bool is_guess;			/* found by frame pointers, or beyond such a frame */
	bool is_odd;			/* sp_at and the two above count */
};

/* Rules that the thread has used: few, side by side, where all of them take many cache lines. */
struct spt_own_rule {
	uint64_t pc, rule;		/* pc 0: none */
};

#ifdef SPT_CHECK
struct spt_written_node {
	uint64_t pc;
	uint32_t parent;
};
#endif

/*
 * A walk from a place to a kept frame.  With the same words it would be the same again: it counts
 * whenever such a frame is kept, and all words have been read again.
 */
struct spt_memo {
	uint64_t pc, sp, bp;		/* of the place */
	uint64_t base_key;		/* of the kept frame */
	uint32_t node;
	uint32_t stack;			/* as in struct spt_known_node */
	uint16_t base;			/* the index of the kept frame */
	uint8_t n_words;
	bool needs_bp;			/* whether that of the place matters */
	bool has_script;		/* it counts if what the chain reads is the same, too */
	/* What was read, from the innermost on: its distance from sp in words, and its value. */
	uint64_t words[SPT_MEMO_WORDS];
} __attribute__((aligned(128)));

enum spt_state {
	SPT_NO_RING = 0,
	SPT_IDLE,			/* every call is recorded, in the plainest way */
	SPT_IDLE_OTHER,			/* there are more questions to ask */
	SPT_IDLE_PICKED,		/* only some are recorded */
	/* Likewise, and whether the ring is still the thread's has to be asked. */
	SPT_IDLE_PICKED_FOREIGN,
	SPT_IDLE_FOREIGN,
	SPT_BUSY,			/* a call is being recorded, */
	SPT_NESTED,			/* and inside of it that of a signal handler */
};

/* Whether the ring of a thread that is idle in @state may be given to another one. */
static inline bool spt_state_is_foreign(uint32_t state)
{
	return state - SPT_IDLE_PICKED_FOREIGN <= SPT_IDLE_FOREIGN - SPT_IDLE_PICKED_FOREIGN;
}

struct spt_thread {
	uint32_t state;			/* enum spt_state */
	uint32_t idle_state;		/* the one after each call */
	uint32_t is_in_use;		/* a thread has this */
	uint32_t number;		/* of this, in the table of all */
	uint32_t owner;			/* the slot's, while it is the thread's */
	uint32_t pid, tid;		/* as in the slot */
	bool is_foreign, is_forked, is_stopped;
	uint8_t exits;			/* how often end_thread() was called */
	struct spt_ring_slot *slot;
	uint64_t *words;
	uint32_t reserved;		/* words of the ring that are taken */
	uint32_t limit;			/* the end of those that may be without another look */
	uint64_t busy_sp;		/* stack pointer of the outermost call */
	uint64_t last_stamp;
	uint32_t n_nodes;
	uint32_t n_known;		/* of them */
	uint32_t n_places;		/* for them */
	uint32_t node_shift;		/* of a hash, so that it is a place */
	uint32_t last_stack;		/* of the last call */
	uint32_t n_stacks;
	uint32_t n_forgotten;		/* how often everything known was forgotten */
	uint64_t generation;		/* of the rules; SPT_STALE: begin anew */
	struct spt_frame *innermost;	/* of those that are kept */
	uint64_t stack_begin, stack_end;	/* of the stack, as stack.c has found it */
	/* From here to its end the thread's own stack has been seen whole; 0: nowhere. */
	uint64_t own_begin;
	uint64_t not_own;		/* a page that is not part of it */
	bool has_left;			/* the walk has read words that are not on it */
	/* Of allocations.  0: every call is recorded */
	uint64_t mean_bytes;
	int64_t left;			/* bytes until the next one that is picked; not negative */
	bool is_resting;		/* or until the next look whether something is recorded */
	uint64_t random;
	uint64_t waited_ns;		/* by the recorded waits, of calls */
	uint32_t own_tid;		/* what gettid() says */
	uint32_t teller;		/* who writes a wait: likewise; 0: nobody does */
	struct spt_memo memos[SPT_MEMOS];
	uint32_t memo_at[SPT_MEMO_PLACES];
	struct spt_frame frames[SPT_MOST_FRAMES + 1];
	struct spt_watch watches[1 + SPT_MOST_WATCHES];
	struct spt_step steps[SPT_MOST_STEPS];
	struct spt_step nested_steps[SPT_NESTED_FRAMES];
	struct spt_known_node nodes[2 * SPT_NODES];	/* tables of growing size */
	struct spt_own_rule own_rules[SPT_OWN_RULES];
	/* For the interpreter of unwind information; the second one is for signal handlers. */
	uint64_t scratch[2][160];
	bool has_begun;			/* the tables of walks may have entries */
	/* Code that was described, by its start, and the latest. */
	const struct spt_code *written_code[SPT_WRITTEN_CODE];
	const struct spt_code *latest_code[SPT_LATEST_CODE];
	uint32_t n_latest;
	struct spt_script_state script;
#ifdef SPT_CHECK
	struct spt_written_node written[SPT_NODES]; /* the nodes it has written */
#endif
};

extern __thread struct spt_thread *spt_self __attribute__((tls_model("initial-exec")));

/* The thread's state, if its calls are recorded; else NULL. */
struct spt_thread *spt_thread_begin(void);
/* Claims another ring for a thread whose own was given to another one.  False: there is none. */
bool spt_thread_claim_again(struct spt_thread *thread);
/* Gives all memory of threads back, if no other thread has any.  False: one has. */
bool spt_thread_give_up(void);
/* Prepares memory for @n threads to come. */
void spt_thread_make_spare(unsigned n);
/* Counts a call of the calling thread that is not recorded. */
void spt_thread_unseen(enum spt_unseen reason);
/* Nothing more of the calling thread is recorded, or it is again. */
void spt_thread_stop(bool stops);
/* Each of the libraries has its own of these.  The function is called when a thread has a slot. */
void spt_thread_begun(struct spt_thread *thread);
extern const enum spt_rings_library spt_library;

static inline struct spt_thread *spt_thread_get(void)
{
	struct spt_thread *thread = spt_self;

	return __builtin_expect(thread && thread->state, 1) ? thread : spt_thread_begin();
}

/* Ring. */

/* Waits until there is room for words up to @end, of which those from @at on have been reserved. */
void spt_ring_wait(struct spt_thread *thread, uint32_t at, uint32_t end);

/*
 * Reserves @n words, and waits until there is room for them.  Returns the position of the first
 * one.
 */
static inline uint32_t spt_ring_take(struct spt_thread *thread, unsigned n)
{
	uint32_t at = spt_reserve(&thread->reserved, n);

	if (__builtin_expect((int32_t)(thread->limit - at - n) < 0, 0))
		spt_ring_wait(thread, at, at + n);
	return at;
}

static inline void spt_ring_put(struct spt_thread *thread, uint32_t at, uint64_t word)
{
	thread->words[at & (SPT_RING_WORDS - 1)] = word;
}

#endif
