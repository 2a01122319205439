/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared memory in which programs report to a recorder what they do.  It is one file, made by the
 * recorder, that each process of a recording maps once.  First comes a page with the header, then
 * the slots, then a ring of 64-bit words for each slot.  A thread claims a free slot and is the
 * only writer of its ring.  It keeps the slot until the recorder finds that the thread has exited.
 *
 * Both sides may write all of it.  So a reader trusts nothing here (reader.h).
 *
 * The writer stores a record's words, then the head (release; pairs with the reader's acquire of
 * the head).  The reader takes the words, then stores the tail (release; pairs with the writer's
 * acquire of the tail).  Head and tail run on freely and count words.
 */
#ifndef SPT_RINGS_LAYOUT_H
#define SPT_RINGS_LAYOUT_H

#include <stdint.h>

#define SPT_RINGS_MAGIC	    0x315253474e525453ULL
#define SPT_RINGS_VERSION   5
#define SPT_RINGS_PAGE	    4096u
#define SPT_RINGS_SLOTS	    2048u
#define SPT_RINGS_NAME	    256u
#define SPT_RING_WORDS	    (128u << 10)
/* The environment variable that has the path of the file. */
#define SPT_RINGS_VARIABLE  "SPT_RINGS"
/* Stamps count clock ticks divided by this power of two. */
#define SPT_STAMP_SHIFT	    5

enum spt_rings_clock {
	SPT_RINGS_MONOTONIC = 0,	/* CLOCK_MONOTONIC, ns */
	SPT_RINGS_TSC = 1,		/* the CPU's time stamp counter */
};

struct spt_rings_header {
	uint64_t magic;
	uint32_t version, n_slots;
	uint32_t ring_words, clock;	/* clock: enum spt_rings_clock */
	/* mean distance of picked allocations; 0: all are recorded */
	uint64_t mean_bytes;
	uint32_t is_over;		/* nothing more is recorded */
	uint32_t next_image;		/* images are numbered from 1 */
	uint32_t next_slot;		/* where to look for a free one */
	/* Programs whose calls are not seen, since they contain an allocator of their own. */
	uint32_t own_allocators;
	uint32_t has_free_stacks;	/* what is freed is recorded with its stack, too */
	uint32_t has_mappings;		/* mmap() and the like are recorded, too */
	uint64_t least_wait_ns;		/* shorter waits are not recorded */
	uint64_t unseen;		/* calls for which there was no slot */
	char own_name[SPT_RINGS_NAME];	/* path of the first of these programs; may be cut */
};

enum spt_rings_library {
	SPT_RINGS_MEMORY = 0,
	SPT_RINGS_IO = 1,
};

enum spt_slot_state {
	SPT_SLOT_FREE = 0,
	SPT_SLOT_TAKEN = 1,
};

struct spt_ring_slot {
	/* Written by the thread. */
	uint32_t state, head;
	uint32_t pid, tid;
	/* number of the process image; all of its threads have the same */
	uint32_t image;
	uint32_t is_ready;		/* the members above have been written */
	uint64_t begin;			/* stamp of the claim */
	uint64_t waits, waited_ns;	/* for room in the ring */
	uint64_t dropped;		/* calls that were not recorded, even so */
	uint32_t library;		/* enum spt_rings_library: a thread has a ring of each */
	uint32_t reserved;
	/* Written by the recorder, in a cache line of its own. */
	uint32_t tail;
	uint32_t is_waiting;		/* the thread waits for the tail, by futex */
	uint64_t others[7];
};

/*
 * Records.  The first word has the type in bits 0 to 4, then 11 bits, then a pointer or address of
 * 48 bits.  In events the 11 bits are the time since the event before, in stamps.
 */
enum spt_ring_type {
	SPT_RING_NOTHING = 0,		/* one word, to be skipped */
	SPT_RING_FREE = 1,		/* one word */
	SPT_RING_ALLOC = 2,		/* + {size:32, node:32} */
	SPT_RING_BIG = 3,		/* + size + node */
	SPT_RING_REALLOC_FREE = 4,	/* as FREE: a realloc() frees the old block ... */
	SPT_RING_REALLOC_ALLOC = 5,	/* as BIG: ... and allocates the new one, */
	SPT_RING_REALLOC_FAILED = 6,	/* or the old one stays as it was; as FREE */
	SPT_RING_TIME = 7,		/* bits 5 to 63: the stamp */
	/* A frame's address; + {node:32, parent:32}.  Nodes are numbered from 2; see SPT_NODE_. */
	SPT_RING_NODE = 8,
	/*
	 * Code of a file was seen in memory.  The 11 bits are the number of words that follow: end,
	 * offset of the start in the file, device, inode, then the path, padded with zeros.
	 */
	SPT_RING_OBJECT = 9,
	SPT_RING_RESET = 10,		/* earlier nodes and objects are no longer valid */
	/* As FREE and REALLOC_FREE, with the stack that frees; + {0:32, node:32} */
	SPT_RING_FREE_STACK = 11,
	SPT_RING_REALLOC_FREE_STACK = 12,
	SPT_RING_MAP = 13,		/* as BIG: whole pages that the program has mapped */
	SPT_RING_UNMAP = 14,		/* likewise, about to be unmapped; the node is 0 */
	SPT_RING_UNMAP_FAILED = 15,	/* they are there still; as FREE */
	/*
	 * As BIG: a call ends now, within which the thread did not run for that number of ns.  The
	 * stack begins with the called function, and the pointer is the number of the CPU.
	 */
	SPT_RING_WAIT = 16,
};

#define SPT_RING_TYPE_MASK   31u
#define SPT_RING_MORE_SHIFT  5
#define SPT_RING_MORE_MASK   0x7ffu
#define SPT_RING_POINTER_SHIFT 16
#define SPT_RING_POINTER_MASK ((1ULL << 48) - 1)
#define SPT_RING_OBJECT_WORDS 4u		/* before the path */
#define SPT_RING_PATH_WORDS   512u

/* Parents that are not frames. */
#define SPT_NODE_ROOT	    0u
#define SPT_NODE_INCOMPLETE 1u	/* the stack continues, but it is not known where */
#define SPT_NODE_FIRST	    2u
#define SPT_NODE_MOST	    (1u << 20)
/* A node's address is the instruction itself; else it is a return address.  The bit of the word, */
#define SPT_RING_NODE_EXACT (1ULL << SPT_RING_MORE_SHIFT)
/* and that of an address. */
#define SPT_NODE_EXACT	    (1ULL << 63)

static inline uint64_t spt_rings_bytes(void)
{
	uint64_t slots = (uint64_t)SPT_RINGS_SLOTS * sizeof(struct spt_ring_slot);

	return SPT_RINGS_PAGE + slots + (uint64_t)SPT_RINGS_SLOTS * SPT_RING_WORDS * 8;
}

static inline struct spt_ring_slot *spt_rings_slot(void *rings, uint32_t i)
{
	return (struct spt_ring_slot *)((char *)rings + SPT_RINGS_PAGE) + i;
}

static inline uint64_t *spt_rings_words(void *rings, uint32_t i)
{
	return (uint64_t *)spt_rings_slot(rings, SPT_RINGS_SLOTS) + (uint64_t)i * SPT_RING_WORDS;
}

_Static_assert(sizeof(struct spt_ring_slot) == 128 && sizeof(struct spt_rings_header) <= 4096,
	       "the layout is the same on both sides");

#endif
