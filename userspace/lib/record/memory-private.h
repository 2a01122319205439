/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a recorder of memory knows: memory.c has its life, memory-take.c takes records. */
#ifndef SPT_MEMORY_PRIVATE_H
#define SPT_MEMORY_PRIVATE_H

#include "record/blocks.h"
#include "record/memory.h"
#include "rings/reader.h"

G_BEGIN_DECLS

/* A process image: the blocks it has. */
struct spt_image {
	uint32_t id, pid;
	unsigned n_rings;
	SptBlocks blocks;
};

struct spt_code {
	uint64_t start, end, offset;
	uint32_t object;
};

struct spt_memory_ring {
	SptRingReader reader;
	uint32_t slot, pid, tid;
	uint32_t number;		/* from 1; never used again */
	struct spt_image *image;
	GArray *nodes;			/* uint32_t in the own stash, by the ring's number */
	GArray *code;			/* struct spt_code, the latest last */
	bool has_next, has_object;	/* a record that was read and not taken yet */
	SptRingRecord next;
	uint64_t held_ns;		/* since when it waits for the source; 0: it does not */
	uint64_t n_allocations;
	uint64_t waits, waited_ns, dropped;	/* as of the last look */
	SptBlock freed;			/* by a realloc() that has not returned yet */
	uint64_t freed_time;
};

/* Whose a ring was: the source may report a thread when it has exited. */
struct spt_owner {
	uint64_t begin_ns;		/* when the ring was claimed */
	uint32_t tid;
	uint32_t thread;		/* of the capture; 0: not known */
	bool is_given_up;
};

/* A row that waits for the thread of its block. */
struct spt_late_row {
	SptBlock block;
	uint64_t time, duration_ns;
	uint8_t flags;
};

struct SptMemory {
	SptOutput *output;
	void *rings;
	int fd;
	char *own_program;		/* one that has an allocator of its own */
	char *variables[5];
	uint64_t mean_bytes;
	bool is_tsc;
	uint64_t base_stamp, base_ns;	/* at the start */
	uint64_t now_stamp, now_ns;	/* at the last look */
	uint64_t last_ns;		/* time of the last event */
	uint64_t next_handle;
	GArray *owners;			/* struct spt_owner, by the number of the ring */
	uint32_t first_unknown;		/* those before are known, or given up */
	GArray *late;			/* struct spt_late_row */
	uint64_t looked_ns;		/* when it was last checked for threads that have exited */
	GPtrArray *active;		/* struct spt_memory_ring */
	struct spt_memory_ring *by_slot[SPT_RINGS_SLOTS];
	GHashTable *images;		/* id -> struct spt_image */
	GHashTable *threads;		/* tid -> GArray of struct spt_known_thread */
	GHashTable *objects;		/* inode -> GArray of struct spt_known_object */
	SptStash *stash;		/* of all stacks; the output's may be replaced */
	GArray *nodes;			/* own node -> the output's, 0: not yet */
	unsigned stash_number;
	SptMemoryStatus status;
	GError *failure;
};

struct spt_known_thread {
	uint32_t id;
	uint64_t start_ns;
};

struct spt_known_object {
	uint32_t id, dev_major, dev_minor;
	char *path;
};

/* The record that @ring has next, taken until an event is next.  False: it has to wait. */
bool spt_memory_advance(SptMemory *memory, struct spt_memory_ring *ring);
/* The event that is next. */
void spt_memory_take(SptMemory *memory, struct spt_memory_ring *ring);
/* What a realloc() has freed is free. */
void spt_memory_settle(SptMemory *memory, struct spt_memory_ring *ring);
void spt_memory_put_open(SptMemory *memory, SptBlocks *blocks);
/* Rows whose threads are known by now; @all: the others, too. */
void spt_memory_put_late(SptMemory *memory, bool all);
uint64_t spt_memory_time(const SptMemory *memory, uint64_t stamp);

G_END_DECLS

#endif
