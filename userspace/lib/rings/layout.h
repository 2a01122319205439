/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared memory in which programs report to a recorder what they do.  It is one file, made by the
 * recorder, that each process of a recording maps once.  First comes the recorder's page, which
 * programs only read, then the programs' pages, then the slots, then a ring of 64-bit words for
 * each slot.  A thread claims a free slot and is the only writer of its ring.
 *
 * Both sides may write all of it.  So a reader trusts nothing here (reader.h).
 *
 * The writer stores a record's words, then the head (release; pairs with the reader's acquire of
 * the head).  The reader takes the words, then stores the tail (release; pairs with the writer's
 * acquire of the tail).  Head and tail run on freely and count words.
 *
 * A thread keeps its slot until it says that it has exited, or until the recorder knows that its
 * process has.  The recorder cannot always know: the thread may be in another PID namespace.  The
 * slot of such a thread (is_foreign) is taken from it when it has been idle for long, and it claims
 * another one for its next call.  Before each call it says that it is busy, and then looks whether
 * the slot is still its own; the recorder revokes the slot, and then looks whether the thread is
 * busy (both in sequentially consistent order).  So no ring ever has two writers.
 *
 * Whether the recorder exists, the kernel says: it marks the word of a thread of the recorder as
 * that of a robust futex whose owner has died.
 *
 * A program can also wait for a recorder: then it makes the file at its start, and keeps a
 * descriptor of it, by which a recorder finds it.  All of its threads are foreign: the next
 * recorder takes the slots that they had of the one before.
 */
#ifndef SPT_RINGS_LAYOUT_H
#define SPT_RINGS_LAYOUT_H

#include <stdint.h>

#define SPT_RINGS_MAGIC	    0x315253474e525453ULL
#define SPT_RINGS_VERSION   8
#define SPT_RINGS_PAGE	    4096u
#define SPT_RINGS_SLOTS	    2048u
#define SPT_RINGS_NAME	    256u
#define SPT_RING_WORDS	    (128u << 10)
/* The environment variable that has the path of the file. */
#define SPT_RINGS_VARIABLE  "SPT_RINGS"
/* A descriptor of the file that a program inherits, where it cannot open the path. */
#define SPT_RINGS_FD_VARIABLE "SPT_RINGS_FD"
/* Its value where a program waits, and then the name of its file. */
#define SPT_RINGS_WAIT	    "wait"
#define SPT_RINGS_WAITING   "sysprof-memory-waits"
#define SPT_RINGS_WAIT_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
/* Stamps count clock ticks divided by this power of two. */
#define SPT_STAMP_SHIFT	    5

enum spt_rings_clock {
	SPT_RINGS_MONOTONIC = 0,	/* CLOCK_MONOTONIC, ns */
	SPT_RINGS_TSC = 1,		/* the CPU's time stamp counter */
};

enum spt_rings_over {
	SPT_RINGS_RECORDS = 0,
	SPT_RINGS_OVER = 1,
	SPT_RINGS_WAITS = 2,		/* a recorder may come */
};

/* Written by the recorder. */
struct spt_rings_header {
	uint64_t magic;
	uint32_t version, n_slots;
	uint32_t ring_words, clock;	/* clock: enum spt_rings_clock */
	/* mean distance of picked allocations; 0: all are recorded */
	uint64_t mean_bytes;
	uint32_t is_over;		/* enum spt_rings_over */
	/* A robust futex, which the recorder holds.  FUTEX_OWNER_DIED: it has exited. */
	uint32_t recorder;
	uint32_t has_free_stacks;	/* what is freed is recorded with its stack, too */
	uint32_t has_mappings;		/* mmap() and the like are recorded, too */
	uint64_t least_wait_ns;		/* shorter waits are not recorded */
	uint64_t pid_namespace;		/* inode of the recorder's own */
	uint64_t proc_device;		/* of its /proc; 0: that has other numbers for processes */
	uint32_t freed;			/* how many slots have become free again */
	uint32_t n_filters;		/* of system calls, to which the recorder is subject */
};

/* Why calls were not seen. */
enum spt_unseen {
	SPT_UNSEEN_SLOTS,		/* all rings were taken */
	SPT_UNSEEN_MEMORY,		/* the process had no memory left */
	SPT_UNSEEN_SANDBOX,		/* the thread must not make the system calls it takes */
	SPT_UNSEEN_HANDLER,		/* a signal handler interrupted the thread's first call */
	SPT_UNSEEN_SHARED,		/* another process was writing to the thread's ring */
	SPT_UNSEEN_REASONS,
};

/* Threads count in one of several places, so that they seldom write to the same cache line. */
#define SPT_UNSEEN_PLACES 64u
struct spt_unseen_calls {
	uint64_t calls[SPT_UNSEEN_REASONS];
	uint64_t others[3];
};

/* Programs that cannot be recorded as a whole. */
enum spt_program_note {
	/* They contain an allocator, whose calls are not seen. */
	SPT_NOTE_OWN_ALLOCATOR,
	/* A library has operator new and delete that do not call malloc(). */
	SPT_NOTE_OWN_NEW,
	/* They have loaded libraries into a namespace of the loader's (dlmopen). */
	SPT_NOTE_NAMESPACE,
	/* They have locked all of their memory, where that left no room for a record. */
	SPT_NOTE_LOCKED,
	SPT_NOTES,
};

struct spt_rings_note {
	uint32_t programs;		/* how many */
	char name[SPT_RINGS_NAME];	/* path of the first one; may be cut */
	uint32_t others[3];
};

/* Written by all programs. */
struct spt_rings_programs {
	uint32_t next_image;		/* images are numbered from 1 */
	uint32_t next_slot;		/* where to look for a free one */
	uint32_t next_owner;		/* see struct spt_ring_slot */
	struct spt_rings_note notes[SPT_NOTES];
	struct spt_unseen_calls unseen[SPT_UNSEEN_PLACES] __attribute__((aligned(64)));
};

enum spt_rings_library {
	SPT_RINGS_MEMORY = 0,
	SPT_RINGS_IO = 1,
};

#define SPT_SLOT_FREE	 0u
/* A bit of the owner's number. */
#define SPT_SLOT_REVOKED (1u << 31)

struct spt_ring_slot {
	/* Written by the thread; the recorder frees and revokes. */
	uint32_t owner;			/* a number that no other claim has; SPT_SLOT_FREE */
	uint32_t head;
	/* In the recorder's PID namespace, or the process's own; tid 0: it is not known. */
	uint32_t pid, tid;
	/* number of the process image; all of its threads have the same */
	uint32_t image;
	uint32_t is_ready;		/* the members above have been written */
	uint64_t begin;			/* stamp of the claim */
	uint64_t waits, waited_ns;	/* for room in the ring */
	uint64_t dropped;		/* calls that were not recorded, even so */
	uint32_t library;		/* enum spt_rings_library: a thread has a ring of each */
	uint8_t is_foreign, is_busy, has_exited;
	uint8_t is_forked;		/* the image is a fork: it has blocks of its parent */
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
	SPT_RING_RESET = 10,		/* earlier nodes, objects and code are no longer valid */
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
	/*
	 * A function of a script, before the nodes that have its number, which is the pointer.  The
	 * 11 bits are the number of words that follow: an address in the interpreter's code, the
	 * tag of its chain, then bytes of spans and their data as in struct sysprof_code.
	 */
	SPT_RING_CODE = 17,
};

#define SPT_RING_TYPE_MASK   31u
#define SPT_RING_MORE_SHIFT  5
#define SPT_RING_MORE_MASK   0x7ffu
#define SPT_RING_POINTER_SHIFT 16
#define SPT_RING_POINTER_MASK ((1ULL << 48) - 1)
#define SPT_RING_OBJECT_WORDS 4u		/* before the path */
#define SPT_RING_PATH_WORDS   512u
#define SPT_RING_CODE_WORDS   4u		/* before the data of spans */
/* Numbers of code are from 1 up to this. */
#define SPT_RING_CODE_MOST    8192u

/* Parents that are not frames. */
#define SPT_NODE_ROOT	    0u
#define SPT_NODE_INCOMPLETE 1u	/* the stack continues, but it is not known where */
#define SPT_NODE_FIRST	    2u
#define SPT_NODE_MOST	    (1u << 20)
/* A node's address is the instruction itself; else it is a return address.  The bit of the word, */
#define SPT_RING_NODE_EXACT (1ULL << SPT_RING_MORE_SHIFT)
/* and that of an address. */
#define SPT_NODE_EXACT	    (1ULL << 63)
/* The same of a frame of a script: instead of an address it has {code:30, position:18}. */
#define SPT_RING_NODE_SCRIPT (1ULL << (SPT_RING_MORE_SHIFT + 1))
#define SPT_NODE_SCRIPT	    (1ULL << 62)
#define SPT_NODE_CODE_SHIFT 18

#define SPT_RINGS_PROGRAMS_AT SPT_RINGS_PAGE
#define SPT_RINGS_SLOTS_AT    (4 * SPT_RINGS_PAGE)
#define SPT_RINGS_WORDS_AT \
	(SPT_RINGS_SLOTS_AT + SPT_RINGS_SLOTS * (uint64_t)sizeof(struct spt_ring_slot))

/* Of a file with the first @n_slots rings. */
static inline uint64_t spt_rings_bytes_of(uint32_t n_slots)
{
	return SPT_RINGS_WORDS_AT + (uint64_t)n_slots * SPT_RING_WORDS * 8;
}

static inline uint64_t spt_rings_bytes(void)
{
	return spt_rings_bytes_of(SPT_RINGS_SLOTS);
}

static inline struct spt_rings_programs *spt_rings_programs(void *rings)
{
	return (struct spt_rings_programs *)((char *)rings + SPT_RINGS_PROGRAMS_AT);
}

static inline struct spt_ring_slot *spt_rings_slot(void *rings, uint32_t i)
{
	return (struct spt_ring_slot *)((char *)rings + SPT_RINGS_SLOTS_AT) + i;
}

static inline uint64_t *spt_rings_words(void *rings, uint32_t i)
{
	return (uint64_t *)((char *)rings + SPT_RINGS_WORDS_AT) + (uint64_t)i * SPT_RING_WORDS;
}

_Static_assert(sizeof(struct spt_ring_slot) == 128 && sizeof(struct spt_rings_header) <= 4096 &&
		       SPT_RINGS_PROGRAMS_AT + sizeof(struct spt_rings_programs) <=
			       SPT_RINGS_SLOTS_AT &&
		       SPT_RINGS_WORDS_AT % SPT_RINGS_PAGE == 0,
	       "the layout is the same on both sides");

#endif
