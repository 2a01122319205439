/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread keeps of the scripts that it executes; part of struct spt_thread. */
#ifndef SPT_PRELOAD_SCRIPT_STATE_H
#define SPT_PRELOAD_SCRIPT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#define SPT_SCRIPT_FRAMES 512u
#define SPT_SCRIPT_CODES  8192u
#define SPT_SCRIPT_PAGES  512u
/* Words that a run may read and be noted: those of some 290 frames of Python; and of all runs. */
#define SPT_SCRIPT_LOADS  2048u
#define SPT_SCRIPT_NOTED  (1u << 18)
#define SPT_SCRIPT_MEMOS  4096u

struct spt_frame;
struct spt_interpreter;

/* A frame that a chain has found. */
struct spt_script_frame {
	uint64_t code, position, identity, with;
	uint64_t mark;			/* address in the native frame of its group; 0: none */
	uint32_t number;		/* of its code; 0: none */
	uint32_t at;			/* the native frame that executes it */
	uint16_t passed;		/* groups without a frame between it and the one before */
	bool is_last;			/* of its group */
};

/* A code that has a number in the thread's ring: that of its place, from 1 on. */
struct spt_script_code {
	uint64_t code, identity;	/* code 0: none */
	uint64_t with;			/* what it was last emitted with */
	bool has_names;			/* the ring has its names */
};

/* What was read: the address, with the bits that the word is shifted by above bit 56; and that. */
struct spt_script_load {
	uint64_t at, value;
};

/* All that the chain has read for the stack of a struct spt_memo. */
struct spt_script_memo {
	uint32_t memo;			/* its number, from 1 on; 0: none */
	uint32_t n;
	uint32_t unmapped;		/* as in the state, when it was noted */
	uint64_t begin;			/* of its words, counted like n_noted */
};

/* Where the elements of each span are, and how many bytes of them there are. */
struct spt_script_spans {
	uint64_t from[9];		/* the first one is the code */
	uint16_t bytes[8];
	uint32_t words;			/* all of them take */
};

struct spt_script_state {
	struct spt_script_frame frames[SPT_SCRIPT_FRAMES];	/* innermost first */
	const struct spt_interpreter *interpreter;		/* that has found them */
	const struct spt_frame *base;	/* the kept frame at which the walk ended */
	uint32_t n;
	uint16_t passed;		/* groups without a frame since the last frame */
	bool is_cut;			/* there may be more */
	int32_t fuel;
	uint32_t looks;			/* pages that may still be asked for */
	/* Pages that were there; each counts until something was unmapped. */
	uint64_t pages[SPT_SCRIPT_PAGES];
	uint32_t unmapped;		/* how often that was so at the last look */
	uint32_t n_codes;
	uint64_t heap_end;		/* at the last look */
	uint64_t registers[16];
	struct spt_script_code codes[SPT_SCRIPT_CODES];
	uint32_t n_loads;		/* more than there is room for: nothing is noted */
	struct spt_script_load loads[SPT_SCRIPT_LOADS];
	struct spt_script_memo memos[SPT_SCRIPT_MEMOS];
	uint64_t n_noted;		/* words of all memos; the latest ones are there */
	struct spt_script_load noted[SPT_SCRIPT_NOTED];
	struct spt_script_spans spans;	/* of the code whose names are written */
};

#endif
