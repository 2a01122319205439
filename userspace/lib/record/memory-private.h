/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder of memory: memory.c starts and ends it, memory-take.c takes records. */
#ifndef SPT_MEMORY_PRIVATE_H
#define SPT_MEMORY_PRIVATE_H

#include "record/alive.h"
#include "record/blocks.h"
#include "record/memory.h"
#include "rings/reader.h"

G_BEGIN_DECLS

/* A process image and its blocks. */
struct spt_image {
	uint32_t id, pid;
	bool is_foreign;		/* @pid is not of the recorder's PID namespace */
	uint32_t host_pid;		/* then what it is there; 0: not known */
	unsigned n_rings;
	bool has_ring;			/* or has had one */
	bool is_forked;			/* it may free blocks of its parent */
	/* Of a process that was attached to: the numbers are known, and of a stranger ignored. */
	bool is_looked_at, is_ignored;
	SptBlocks blocks;
	GTree *mappings;		/* address -> SptBlock; they do not overlap */
};

struct spt_code {
	uint64_t start, end, offset;
	uint32_t object;
};

/* A function of a script. */
struct spt_script {
	uint64_t number;		/* in the output; 0: none */
	uint32_t interpreter;		/* object */
};

struct spt_memory_ring {
	SptRingReader reader;
	uint32_t slot, pid, tid, library;
	uint32_t number;		/* from 1; never used again */
	struct spt_image *image;
	GArray *nodes;			/* uint32_t in SptMemory.stash, by the ring's number */
	GArray *code;			/* struct spt_code, the latest last */
	GArray *scripts;		/* struct spt_script, by the ring's number; or NULL */
	bool has_next, has_object;	/* a record was read and not taken yet; then next is it */
	SptRingRecord next;
	/* when it began to wait for the source; 0: it does not wait */
	uint64_t held_ns;
	uint64_t last_allocation;	/* its time */
	uint64_t waits, waited_ns, dropped;	/* when last read */
	SptBlock freed;			/* block freed by a realloc() that has not returned yet */
	uint64_t freed_time;
	uint32_t freed_node;		/* of the stack that freed it */
	/* SptBlock: the parts of mappings that an munmap() takes which has not returned yet */
	GArray *unmapped;
	uint64_t unmapped_time;
	uint32_t head;			/* at the last look, and since when it is that */
	uint64_t idle_since_ns;
	bool is_revoked;
};

/* The thread of a ring.  The source may report a thread only after it has exited. */
struct spt_owner {
	uint64_t begin_ns;		/* when the ring was claimed */
	uint32_t tid;
	uint32_t thread;		/* of the capture; 0: not known */
	bool is_given_up;
	bool is_nameless;		/* rows of it were written even so */
};

/* What the row of a block says besides the block itself. */
struct spt_block_end {
	uint64_t time, duration_ns;
	uint32_t free_node;		/* of the own stash; 0: not known */
	uint32_t flags;			/* SPT_ALLOCATION_*; of a wait the number of the CPU */
	bool is_wait;			/* then the block has only ring and node */
};

/* A row that waits for the thread of its block. */
struct spt_late_row {
	SptBlock block;
	struct spt_block_end end;
};

struct SptMemory {
	SptOutput *output;
	void *rings;
	int fd;
	uint32_t attached_pid;		/* the process whose rings these are; 0: they are our own */
	uint64_t unseen_before[SPT_UNSEEN_REASONS];	/* counted by earlier recorders */
	bool is_busy;			/* the last step left something */
	SptAlive *alive;
	char *noted_names[SPT_NOTES];	/* one of the programs that cannot be recorded */
	char *variables[9];		/* names and values, NULL at the end */
	uint64_t mean_bytes, least_wait_ns;
	bool has_allocations, has_waits;
	uint32_t n_cpus;
	bool has_free_stacks, has_mappings, keeps_loops;
	SptScriptChains *chains;	/* NULL: they cannot be shared */
	bool is_tsc;
	uint64_t base_stamp, base_ns;	/* at the start */
	uint64_t now_stamp, now_ns;	/* at the last look */
	/* Programs choose how often /proc is read: no more than half of the time. */
	uint64_t ask_ns;		/* not before, CLOCK_MONOTONIC */
	unsigned n_unasked;		/* rings that wait for that */
	/* between two stamps, on average from the start to then; times 2^32 */
	uint64_t stamp_step;
	uint64_t last_ns;		/* time of the last event */
	uint64_t most_bytes;		/* for blocks in use; 0: not decided yet */
	uint64_t next_handle;
	GArray *owners;			/* struct spt_owner, by the number of the ring */
	uint32_t first_unknown;		/* the owners before it are known, or given up */
	GArray *late;			/* struct spt_late_row */
	uint64_t looked_ns;		/* when threads that have exited were last looked for */
	GPtrArray *active;		/* struct spt_memory_ring */
	struct spt_memory_ring *by_slot[SPT_RINGS_SLOTS];
	struct spt_expected *expected;	/* programs that were started */
	GHashTable *images;		/* id -> struct spt_image */
	const SptThreadIds *threads;
	GHashTable *objects;		/* inode -> GArray of struct spt_known_object */
	GHashTable *by_path;		/* path -> struct spt_known_object, the latest one */
	bool is_ending;			/* the source has reported everything */
	GHashTable *given_up;		/* names of objects that are not waited for; or NULL */
	SptStash *stash;		/* all stacks; the output's stash may be replaced */
	GArray *nodes;			/* node of this stash -> the output's; 0: not yet */
	SptStash *output_stash;
	unsigned stash_number;
	/* Rows that are given to the output together; their nodes are of its stash. */
	SptAllocationRow rows[64];
	unsigned n_rows;
	SptMemoryStatus status;
	GError *failure;
};

struct spt_known_object {
	uint32_t id, dev_major, dev_minor;
	char *path;
};

/* Takes the next records of @ring up to an event.  False: the ring has to wait. */
bool spt_memory_advance(SptMemory *memory, struct spt_memory_ring *ring);
/* Takes the events of @ring up to the stamp @last; returns their number. */
uint64_t spt_memory_take(SptMemory *memory, struct spt_memory_ring *ring, uint64_t last);
/* Frees the block of a realloc() that has returned. */
void spt_memory_settle(SptMemory *memory, struct spt_memory_ring *ring);
void spt_memory_put_open(SptMemory *memory, SptBlocks *blocks);
void spt_memory_put_row(SptMemory *memory, const SptBlock *block,
			const struct spt_block_end *end);
/* Gives the output what was put.  Called before anybody else may flush the output. */
void spt_memory_put_rows(SptMemory *memory);
/* The node of the own stash that @node of the ring is. */
uint32_t spt_memory_node(SptMemory *memory, const struct spt_memory_ring *ring, uint32_t node);
/* Puts rows whose threads are known by now; @all: the others, too. */
void spt_memory_put_late(SptMemory *memory, bool all);

/* The object that has @address in the ring's process; 0: not known. */
uint32_t spt_memory_object_at(const struct spt_memory_ring *ring, uint64_t address);

/* memory-scripts.c */
/* Takes the code that @ring has next. */
void spt_memory_take_code(SptMemory *memory, struct spt_memory_ring *ring);
/* Its numbers are not valid any more. */
void spt_memory_forget_scripts(SptMemory *memory, struct spt_memory_ring *ring);
/* The node of the own stash, inside of @parent, of the script's frame that @ring has next. */
uint32_t spt_memory_script_node(SptMemory *memory, const struct spt_memory_ring *ring,
				uint32_t parent);

/* memory-rings.c */
/* Begins to read the rings of new threads. */
void spt_memory_adopt(SptMemory *memory);
/* Makes rings of threads that have said that they exit free for others. */
void spt_memory_take_back(SptMemory *memory);
/* The same of those that did not say so, and puts what their processes left. */
void spt_memory_look_after_gone(SptMemory *memory);
/* Adds what @ring has counted since then. */
void spt_memory_count_waits(SptMemory *memory, struct spt_memory_ring *ring);

/* memory-attach.c */
/* Takes the rings of @memory->attached_pid.  Its threads report from begin() on. */
bool spt_memory_attach(SptMemory *memory, GError **error);
void spt_memory_attach_begin(SptMemory *memory);
/* Finds out whose @ring is, if it is of a process that was attached to; @inode: of the file. */
void spt_memory_attach_ring(SptMemory *memory, struct spt_memory_ring *ring, uint64_t inode);
/* Calls that were not seen, by reason. */
void spt_memory_sum_unseen(const SptMemory *memory, uint64_t *sums);

/* memory-expected.c */
struct spt_expected *spt_memory_expected_new(void);
void spt_memory_expected_free(struct spt_expected *all);
/* A program, process @pid, 0 if it is not known, had its first ring at @stamp. */
void spt_memory_connected(SptMemory *memory, uint32_t pid, uint64_t stamp);
/* How many programs did not load the library, and the name of one. */
uint64_t spt_memory_unconnected(const SptMemory *memory, const char **ret_name);

/* memory-mappings.c */
GTree *spt_mappings_new(void);
/* Take an event of @ring at @time. */
void spt_mappings_map(SptMemory *memory, struct spt_memory_ring *ring, uint64_t time);
void spt_mappings_unmap(SptMemory *memory, struct spt_memory_ring *ring, uint64_t time);
void spt_mappings_unmap_failed(SptMemory *memory, struct spt_memory_ring *ring);
/* The munmap() before has returned. */
void spt_mappings_settle(SptMemory *memory, struct spt_memory_ring *ring);
/* Puts a row for each mapping that is left, and forgets them. */
void spt_mappings_put_open(SptMemory *memory, struct spt_image *image);

/* Not later than the last look at the clock. */
uint64_t spt_memory_time(const SptMemory *memory, uint64_t stamp);

G_END_DECLS

#endif
